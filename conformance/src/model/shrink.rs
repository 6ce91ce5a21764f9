use std::collections::HashSet;

use super::{
    checker::{Finding, check},
    history::{Call, Entry, History, Line},
};

/// How many times a shrunk history is judged at most.
const BUDGET: usize = 300;

/// As much of a history as still shows this finding by the same operations; nothing where that is all of it.
///
/// Only what a checker sees is dropped, so no request is made.
pub(crate) fn shrunk(history: &History, finding: &Finding) -> Option<History> {
    let all: Vec<u32> = history
        .operations()
        .iter()
        .map(|operation| operation.number)
        .collect();
    let mut kept = all.clone();
    let mut budget = BUDGET;
    let mut shows = |kept: &[u32]| {
        budget = budget.saturating_sub(1);
        budget > 0 && only(history, kept).is_some_and(|history| holds(&history, finding))
    };
    // Most findings need little beside the operations that they name and those that made Sessions.
    let named: HashSet<u32> = finding.operations.iter().copied().collect();
    let makes = |call: &Call| matches!(call, Call::Create { .. } | Call::Fork { .. });
    let calls = history.operations().iter();
    let few: Vec<u32> = calls
        .filter(|operation| named.contains(&operation.number) || makes(&operation.call))
        .map(|operation| operation.number)
        .collect();
    if shows(&few) {
        kept = few;
    }
    let mut size = kept.len().div_ceil(2).max(1);
    loop {
        let mut start = 0;
        while start < kept.len() {
            let end = (start + size).min(kept.len());
            let without: Vec<u32> = kept[..start].iter().chain(&kept[end..]).copied().collect();
            if shows(&without) {
                kept = without;
            } else {
                start = end;
            }
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
    (kept.len() < all.len()).then(|| only(history, &kept)).flatten()
}

/// Whether it shows the same thing by the same operations; another one of the same name would be no proof.
fn holds(history: &History, finding: &Finding) -> bool {
    check(history).findings.iter().any(|found| {
        found.anomaly == finding.anomaly
            && found.subject == finding.subject
            && found.operations == finding.operations
    })
}

/// The history with these operations alone, and the envelopes that they name.
fn only(history: &History, kept: &[u32]) -> Option<History> {
    let kept: HashSet<u32> = kept.iter().copied().collect();
    let stays = |entry: &Entry| kept.contains(&entry.op);
    let entries = history.lines().iter().filter_map(|line| match line {
        Line::Entry(entry) if stays(entry) => Some(entry),
        _ => None,
    });
    let named: HashSet<&str> = entries.flat_map(Entry::names).collect();
    let lines = history.lines().iter().filter(|line| match line {
        Line::Entry(entry) => stays(entry),
        Line::Envelope { envelope, .. } => named.contains(envelope.as_str()),
    });
    History::new(history.header().clone(), lines.cloned().collect()).ok()
}

#[cfg(test)]
mod tests;
