use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::stimulus::event::Event;

/// The most Sessions that one history makes steps in.
const MOST: usize = 5;

/// The Sessions of a history, and what its processes know of them.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Vec<Known>>);

/// A Session and the events that some process has read.
#[derive(Debug)]
pub(super) struct Known {
    id: String,
    events: BTreeMap<u64, Event>,
}

impl Known {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            events: BTreeMap::new(),
        }
    }
}

impl Sessions {
    pub(super) fn add(&self, known: Known) {
        let mut all = self.all();
        if all.len() < MOST && all.iter().all(|other| other.id != known.id) {
            all.push(known);
        }
    }

    /// One of them; the first exists before any process begins.
    pub(super) fn pick(&self, number: u64) -> String {
        let all = self.all();
        let place = number.checked_rem(all.len() as u64).unwrap_or(0) as usize;
        all.get(place).map(|known| known.id.clone()).unwrap_or_default()
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.all().iter().map(|known| known.id.clone()).collect()
    }

    pub(super) fn learn(&self, session: &str, events: &[Event]) {
        if let Some(known) = self.all().iter_mut().find(|known| known.id == session) {
            for event in events {
                known.events.entry(event.seq).or_insert_with(|| event.clone());
            }
        }
    }

    /// One of the numbers that were read, 0 if none was.
    pub(super) fn seen(&self, session: &str, number: u64) -> u64 {
        let all = self.all();
        let events = all
            .iter()
            .find(|known| known.id == session)
            .map(|known| &known.events);
        let place = events
            .and_then(|events| number.checked_rem(events.len() as u64))
            .unwrap_or(0);
        events
            .and_then(|events| events.keys().nth(place as usize))
            .copied()
            .unwrap_or(0)
    }

    fn all(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
