//! The promises that a server breaks, known wherever its code runs.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;

use super::promise::Mutant;
use super::scope::{Scope, Scoped};
use super::wire;
use crate::fault::plan::Shot;
use crate::fault::target::Facts;

tokio::task_local! {
    static CURRENT: Mutants;
}

/// The promises that one server breaks. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mutants(Arc<[AtomicU64; WORDS]>);

/// A bit for every mutant.
const WORDS: usize = Mutant::ALL.len().div_ceil(64);

impl Mutants {
    /// Breaks these promises and no others.
    pub(crate) fn set(&self, mutants: &[Mutant]) {
        for (index, word) in self.0.iter().enumerate() {
            let here = mutants.iter().map(|mutant| place(*mutant));
            let bits = here
                .filter(|(at, _)| *at == index)
                .fold(0, |bits, (_, bit)| bits | bit);
            word.store(bits, Ordering::Release);
        }
    }

    pub(crate) fn active(&self) -> Vec<Mutant> {
        Mutant::ALL
            .iter()
            .copied()
            .filter(|mutant| self.has(*mutant))
            .collect()
    }

    /// What these mutants do to a request from outside.
    pub(crate) fn meet(&self, facts: &Facts<'_>) -> Vec<Shot> {
        self.active()
            .into_iter()
            .filter_map(|mutant| wire::meet(mutant, facts))
            .collect()
    }

    /// Runs a part of the server: whatever it does knows of its mutants.
    pub(crate) fn enter<F: Future>(self, future: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(self, future)
    }

    /// Runs a part of the server that is no task.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), work)
    }

    /// A body that knows of the mutants wherever it is read.
    pub(crate) fn body(&self, body: Body) -> Body {
        Body::new(Scoped::new(body, self.clone()))
    }

    fn has(&self, mutant: Mutant) -> bool {
        let (index, bit) = place(mutant);
        self.0
            .get(index)
            .is_some_and(|word| word.load(Ordering::Acquire) & bit != 0)
    }
}

impl Scope for Mutants {
    fn read<T>(&self, work: impl FnOnce() -> T) -> T {
        self.within(work)
    }
}

/// Whether this promise is being broken by the server that runs here.
pub(crate) fn active(mutant: Mutant) -> bool {
    CURRENT.try_with(|current| current.has(mutant)).unwrap_or(false)
}

/// A task that knows of the mutants of the one that starts it.
pub(crate) fn carry<F: Future>(future: F) -> impl Future<Output = F::Output> + use<F> {
    let current = CURRENT.try_with(Clone::clone).unwrap_or_default();
    CURRENT.scope(current, future)
}

/// Work for another thread that knows of the mutants of the task that hands it over.
pub(crate) fn hand_over<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let current = CURRENT.try_with(Clone::clone).unwrap_or_default();
    move || current.within(work)
}

fn place(mutant: Mutant) -> (usize, u64) {
    let number = mutant as usize;
    (number / 64, 1 << (number % 64))
}
