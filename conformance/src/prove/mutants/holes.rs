use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex},
};

use crate::prove::{
    lock::locked,
    traffic::{Answer, Call},
};

/// The seqs of each view whose list went by.
#[derive(Debug, Clone, Default)]
pub(super) struct Holes(Arc<Mutex<HashMap<String, BTreeSet<u64>>>>);

impl Holes {
    pub(super) fn learn(&self, call: &Call, answer: &Answer) {
        if !call.is_list() || answer.status != 200 {
            return;
        }
        let seqs = answer.json()["data"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|event| event["seq"].as_u64())
            .collect::<Vec<_>>();
        locked(&self.0).entry(call.path.clone()).or_default().extend(seqs);
    }

    /// The first seq of the view behind this one, if the view does not have this one.
    pub(super) fn end_of(&self, call: &Call, seq: u64) -> Option<u64> {
        let list = match call.path.strip_suffix("/stream") {
            Some(path) if path.ends_with("/events") => path.to_owned(),
            Some(path) => format!("{path}/events"),
            None => call.path.clone(),
        };
        let known = locked(&self.0);
        let seqs = known.get(&list)?;
        match seqs.contains(&seq) {
            true => None,
            false => seqs.range(seq..).next().copied(),
        }
    }
}
