use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{preview::is_preview, view::Sighting};

/// What a stretch of a read is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Right behind the cursor of a stream.
    Resumed { previews: bool },
    /// The rest of a stream.
    Streamed { previews: bool },
    /// Where a page of a list ends and the next begins.
    BetweenPages,
    /// The rest of a list.
    InPage,
}

/// The numbers above one and below another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) kind: Kind,
    above: u64,
    below: u64,
}

/// The events of a log that no read was found to miss yet. One that was found in a stretch of a kind is not looked at in
/// the next of that kind: it would be the same finding, and to look at all of them for each read would take as long as
/// reads times events.
pub(super) struct Gaps {
    all: BTreeSet<u64>,
    unfound: HashMap<Kind, BTreeSet<u64>>,
    /// An event is inserted before, and vanished behind, the end of the list that shows it first: by the line of that end,
    /// the last one first.
    turning: Vec<(usize, u64)>,
}

impl Gap {
    pub(super) fn new(kind: Kind, above: u64, below: u64) -> Self {
        Self { kind, above, below }
    }
}

impl Gaps {
    pub(super) fn of(log: &BTreeMap<u64, Sighting<'_>>) -> Self {
        // Previews are no events: the matter of P17.
        let events = log.iter().filter(|(_, known)| !is_preview(&known.event.kind));
        let mut turning: Vec<(usize, u64)> = events
            .clone()
            .filter_map(|(seq, known)| Some((known.list?.completed?, *seq)))
            .collect();
        turning.sort_unstable_by(|one, other| other.cmp(one));
        Self {
            all: events.map(|(seq, _)| *seq).collect(),
            unfound: HashMap::new(),
            turning,
        }
    }

    /// A read begins at this line. Reads come in the order in which they begin.
    pub(super) fn begin(&mut self, line: usize) {
        while let Some((_, seq)) = self.turning.pop_if(|(completed, _)| *completed < line) {
            if let Some(unfound) = self.unfound.get_mut(&Kind::InPage) {
                unfound.insert(seq);
            }
        }
    }

    /// Those in this stretch that the read misses.
    pub(super) fn take(&mut self, gap: &Gap, misses: impl FnMut(&u64) -> bool) -> Vec<u64> {
        let first = gap.above.saturating_add(1);
        if gap.below <= first {
            return Vec::new();
        }
        let unfound = self.unfound.entry(gap.kind).or_insert_with(|| self.all.clone());
        let missed: Vec<u64> = unfound.range(first..gap.below).copied().filter(misses).collect();
        for seq in &missed {
            unfound.remove(seq);
        }
        missed
    }
}
