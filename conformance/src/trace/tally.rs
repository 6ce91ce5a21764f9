use super::{
    resolution::{State, resolve},
    sentence::{Sentence, pages, sentences},
};

/// How many sentences of a page are in each state.
pub(crate) struct Tally {
    pub(crate) page: &'static str,
    pub(crate) counts: [usize; State::ALL.len()],
}

impl Tally {
    /// One a page, and the sum of all under the name `all`.
    pub(crate) fn of_every_page() -> Vec<Self> {
        let mut tallies: Vec<Self> = pages()
            .into_iter()
            .map(|page| Self::of(page, sentences().iter().filter(|row| row.page == page)))
            .collect();
        tallies.push(Self::of("all", sentences()));
        tallies
    }

    fn of<'s>(page: &'static str, rows: impl IntoIterator<Item = &'s Sentence>) -> Self {
        let states: Vec<State> = rows.into_iter().map(|row| resolve(row).state).collect();
        Self {
            page,
            counts: State::ALL.map(|state| states.iter().filter(|found| **found == state).count()),
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.counts.iter().sum()
    }
}
