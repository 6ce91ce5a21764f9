//! The promises that a server breaks, known wherever its code runs.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::promise::Mutant;
use super::wire;
use crate::fault::plan::Shot;
use crate::fault::target::Facts;

tokio::task_local! {
    static CURRENT: Mutants;
}

/// The promises that one server breaks. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mutants(Arc<AtomicU64>);

impl Mutants {
    /// Breaks these promises and no others.
    pub(crate) fn set(&self, mutants: &[Mutant]) {
        let bits = mutants.iter().fold(0, |bits, mutant| bits | bit(*mutant));
        self.0.store(bits, Ordering::Release);
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

    fn has(&self, mutant: Mutant) -> bool {
        self.0.load(Ordering::Acquire) & bit(mutant) != 0
    }
}

/// Whether this promise is being broken by the server that runs here.
pub(crate) fn active(mutant: Mutant) -> bool {
    CURRENT.try_with(|current| current.has(mutant)).unwrap_or(false)
}

fn bit(mutant: Mutant) -> u64 {
    1 << (mutant as u64)
}
