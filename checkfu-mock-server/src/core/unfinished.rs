//! The Runs that have not settled. Thousands may be queued behind one another, so none is found by a walk over all.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize, Serializer};

use super::id::{RunId, ThreadId};
use super::run::Run;

/// Runs of all threads, by the `seq` of their creation, which is their age.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "VecDeque<Run>")]
pub(crate) struct Unfinished {
    runs: BTreeMap<u64, Run>,
    places: HashMap<RunId, u64>,
    /// No thread is here without a Run.
    of_threads: HashMap<ThreadId, BTreeSet<u64>>,
}

impl Unfinished {
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.runs.values()
    }

    pub(crate) fn run(&self, id: &RunId) -> Option<&Run> {
        self.runs.get(self.places.get(id)?)
    }

    /// What changes is neither its identifier nor its thread nor its age.
    pub(super) fn run_mut(&mut self, id: &RunId) -> Option<&mut Run> {
        self.runs.get_mut(self.places.get(id)?)
    }

    /// Those of one thread, oldest first.
    pub(crate) fn of_thread(&self, thread: &ThreadId) -> impl Iterator<Item = &Run> {
        let places = self.of_threads.get(thread).into_iter().flatten();
        places.filter_map(|place| self.runs.get(place))
    }

    /// The threads that have any.
    pub(crate) fn threads(&self) -> impl Iterator<Item = &ThreadId> {
        self.of_threads.keys()
    }

    pub(super) fn push(&mut self, run: Run) {
        let place = run.created_seq;
        self.places.insert(run.id.clone(), place);
        let of_thread = self.of_threads.entry(run.thread_id.clone()).or_default();
        of_thread.insert(place);
        self.runs.insert(place, run);
    }

    /// Takes out a Run that has settled.
    pub(super) fn take(&mut self, id: &RunId) -> Option<Run> {
        let place = self.places.remove(id)?;
        let run = self.runs.remove(&place)?;
        if let Some(of_thread) = self.of_threads.get_mut(&run.thread_id) {
            of_thread.remove(&place);
            if of_thread.is_empty() {
                self.of_threads.remove(&run.thread_id);
            }
        }
        Some(run)
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl From<VecDeque<Run>> for Unfinished {
    fn from(runs: VecDeque<Run>) -> Self {
        let mut unfinished = Self::default();
        runs.into_iter().for_each(|run| unfinished.push(run));
        unfinished
    }
}

impl Serialize for Unfinished {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.runs.values())
    }
}
