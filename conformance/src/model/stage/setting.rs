use std::sync::atomic::{AtomicU64, Ordering};

use super::{known::Sessions, recorder::Recorder};
use crate::{model::script::Place, stimulus::bench::Bench, wire::client::Client};

/// Where one history is played and written down.
pub(super) struct Stage<'run> {
    pub(super) bench: &'run Bench,
    pub(super) client: Client,
    pub(super) recorder: Recorder,
    pub(super) sessions: Sessions,
    pub(super) history: u64,
    names: AtomicU64,
}

impl<'run> Stage<'run> {
    pub(super) fn new(bench: &'run Bench, history: u64) -> Self {
        Self {
            bench,
            client: bench.client.with_own_transcript(),
            recorder: Recorder::new(),
            sessions: Sessions::default(),
            history,
            names: AtomicU64::new(0),
        }
    }

    pub(super) fn cursor(&self, session: &str, place: Place) -> u64 {
        match place {
            Place::Natural => 0,
            Place::Seen(number) => self.sessions.seen(session, number),
        }
    }

    /// A name that this run uses once.
    pub(super) fn fresh(&self) -> String {
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        format!("{}-{}-{number}", self.bench.run_id, self.history)
    }
}
