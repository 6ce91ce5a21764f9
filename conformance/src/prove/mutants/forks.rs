use std::sync::{Arc, Mutex};

use crate::prove::{
    lock::locked,
    traffic::{Answer, Call},
};

/// Sources and their forks, as they went by.
#[derive(Debug, Clone, Default)]
pub(super) struct Forks(Arc<Mutex<Vec<(String, String)>>>);

impl Forks {
    pub(super) fn learn(&self, call: &Call, answer: &Answer) {
        if call.is_fork()
            && answer.status == 201
            && let Some(source) = call.session()
            && let Some(fork) = answer.json()["id"].as_str()
        {
            locked(&self.0).push((source.to_owned(), fork.to_owned()));
        }
    }

    pub(super) fn source_of(&self, fork: &str) -> Option<String> {
        let known = locked(&self.0);
        known
            .iter()
            .find(|(_, known)| known == fork)
            .map(|(source, _)| source.clone())
    }

    pub(super) fn fork_of(&self, source: &str) -> Option<String> {
        let known = locked(&self.0);
        known
            .iter()
            .find(|(known, _)| known == source)
            .map(|(_, fork)| fork.clone())
    }
}
