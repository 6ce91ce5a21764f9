use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::limits::ViewLimits;

/// Entries in the order in which they came, found by their keys. Over its limits it lets go of the oldest.
#[derive(Debug, Clone)]
pub(super) struct Shelf<K, V> {
    limits: ViewLimits,
    entries: VecDeque<Entry<K, V>>,
    /// The number of the newest entry of each key, counted from the first one that ever was.
    numbers: HashMap<K, usize>,
    /// How many entries were let go, which is the number of the first that is here.
    gone: usize,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry<K, V> {
    key: K,
    value: V,
    bytes: usize,
}

impl<K: Clone + Eq + Hash, V> Shelf<K, V> {
    pub(super) fn new(limits: ViewLimits) -> Self {
        Self {
            limits,
            entries: VecDeque::new(),
            numbers: HashMap::new(),
            gone: 0,
            bytes: 0,
        }
    }

    /// Adds an entry, the one that its key stands for from now on.
    pub(super) fn add(&mut self, key: K, value: V, bytes: usize) {
        self.numbers.insert(key.clone(), self.gone + self.entries.len());
        self.entries.push_back(Entry { key, value, bytes });
        self.bytes += bytes;
        self.shrink();
    }

    pub(super) fn find(&self, key: &K) -> Option<&V> {
        let place = self.place(key)?;
        self.entries.get(place).map(|entry| &entry.value)
    }

    /// Changes the entry of a key, if there is one, which holds so many bytes more from then on.
    pub(super) fn change<T>(&mut self, key: &K, bytes: usize, change: impl FnOnce(&mut V) -> T) -> Option<T> {
        let place = self.place(key)?;
        let entry = self.entries.get_mut(place)?;
        let changed = change(&mut entry.value);
        entry.bytes += bytes;
        self.bytes += bytes;
        self.shrink();
        Some(changed)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries.iter().map(|entry| &entry.value)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }

    /// How many entries were let go.
    pub(super) fn gone(&self) -> usize {
        self.gone
    }

    fn place(&self, key: &K) -> Option<usize> {
        self.numbers.get(key)?.checked_sub(self.gone)
    }

    fn shrink(&mut self) {
        while self.entries.len() > self.limits.entries || self.bytes > self.limits.bytes {
            let Some(oldest) = self.entries.pop_front() else {
                return;
            };
            if self.numbers.get(&oldest.key) == Some(&self.gone) {
                self.numbers.remove(&oldest.key);
            }
            self.gone += 1;
            self.bytes -= oldest.bytes;
        }
    }
}
