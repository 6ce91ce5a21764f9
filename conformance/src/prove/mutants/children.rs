use std::sync::{Arc, Mutex};

use crate::prove::{
    lock::locked,
    traffic::{Answer, Call},
};

/// The children that went by in lists of threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Children(Arc<Mutex<Vec<(String, String)>>>);

impl Children {
    pub(super) fn learn(&self, call: &Call, answer: &Answer) {
        if !call.is_thread_list() {
            return;
        }
        let mut known = locked(&self.0);
        for thread in answer.json()["data"].as_array().into_iter().flatten() {
            let (Some(home), Some(id)) = (call.session(), thread["id"].as_str()) else {
                continue;
            };
            let child = (home.to_owned(), id.to_owned());
            if !thread["parent_thread_id"].is_null() && !known.contains(&child) {
                known.push(child);
            }
        }
    }

    pub(super) fn has(&self, thread: Option<&str>) -> bool {
        let known = locked(&self.0);
        known.iter().any(|(_, child)| Some(child.as_str()) == thread)
    }

    /// The children of a Session in the order of their spawn.
    pub(super) fn of(&self, session: &str) -> Vec<String> {
        let known = locked(&self.0);
        let own = known.iter().filter(|(home, _)| home == session);
        own.map(|(_, child)| child.clone()).collect()
    }
}
