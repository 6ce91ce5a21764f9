//! Without the feature every promise is kept.

use std::future::Future;

use axum::body::Body;
use bytes::Bytes;

use super::promise::Mutant;
use crate::core::event::Event;
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

    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let () = self.none;
        work()
    }

    pub(crate) fn body(&self, body: Body) -> Body {
        let () = self.none;
        body
    }
}

/// Whether this promise is being broken: never.
pub(crate) const fn active(_: Mutant) -> bool {
    false
}

/// The task as it is.
pub(crate) fn carry<F: Future>(future: F) -> F {
    future
}

/// The work as it is.
pub(crate) fn hand_over<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    work
}

/// The envelope as it is.
pub(crate) const fn shown(envelope: Bytes) -> Bytes {
    envelope
}

/// The events as they are.
pub(crate) const fn rewrite(events: &[Event]) -> &[Event] {
    events
}
