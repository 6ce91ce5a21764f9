//! Without the feature every promise is kept.

use std::future::Future;

use super::promise::Mutant;
use crate::fault::plan::Shot;
use crate::fault::target::Facts;

/// No mutants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mutants {
    none: (),
}

impl Mutants {
    /// What these mutants do to a request from outside.
    pub(crate) fn meet(&self, _: &Facts<'_>) -> Option<Shot> {
        let () = self.none;
        None
    }

    pub(crate) fn enter<F: Future>(self, future: F) -> F {
        future
    }
}

/// Whether this promise is being broken: never.
pub(crate) const fn active(_: Mutant) -> bool {
    false
}
