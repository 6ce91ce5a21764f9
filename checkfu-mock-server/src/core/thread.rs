//! Threads as the log tells them (THR-2, THR-10, THR-13).

use serde::{Deserialize, Serialize};

use super::id::ThreadId;
use super::moment::Moment;
use super::payload::{Failure, Usage};
use super::status::ThreadStatus;

/// One thread of a Session; the first one is the primary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    /// None for the primary thread.
    pub(crate) parent: Option<ThreadId>,
    pub(crate) agent_name: String,
    pub(crate) status: ThreadStatus,
    pub(crate) stop_reason: Option<String>,
    pub(crate) error: Option<Failure>,
    pub(crate) created_at: Moment,
    pub(crate) updated_at: Moment,
    pub(crate) archived_at: Option<Moment>,
    pub(crate) usage: Option<Usage>,
    pub(crate) timing: Timing,
}

/// What the statistics of a thread are made of, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    /// Time spent running, up to the last rest.
    pub(crate) active: i64,
    pub(crate) running_since: Option<Moment>,
    /// What the first start took.
    pub(crate) startup: Option<i64>,
    /// When the thread ended; the clock of its duration stands still from here.
    pub(crate) ended_at: Option<Moment>,
}

impl Thread {
    pub(crate) fn new(
        id: ThreadId,
        parent: Option<ThreadId>,
        agent_name: String,
        created_at: Moment,
    ) -> Self {
        Self {
            id,
            parent,
            agent_name,
            status: ThreadStatus::Idle,
            stop_reason: None,
            error: None,
            created_at,
            updated_at: created_at,
            archived_at: None,
            usage: None,
            timing: Timing::default(),
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.status != ThreadStatus::Terminated
    }

    pub(crate) fn become_running(&mut self, now: Moment) {
        self.status = ThreadStatus::Running;
        self.stop_reason = None;
        self.updated_at = now;
        self.timing.running_since.get_or_insert(now);
    }

    pub(crate) fn come_to_rest(&mut self, status: ThreadStatus, now: Moment) {
        self.stop_running(now);
        self.status = status;
        self.updated_at = now;
        if status == ThreadStatus::Terminated {
            self.timing.ended_at.get_or_insert(now);
        }
    }

    /// The time that it spends running is counted up to here.
    pub(crate) fn stop_running(&mut self, now: Moment) {
        if let Some(since) = self.timing.running_since.take() {
            self.timing.active += now.since(since);
        }
    }

    /// The first start of all: from the claim to the readiness.
    pub(crate) fn started(&mut self, claimed_at: Option<Moment>, now: Moment) {
        let took = now.since(claimed_at.unwrap_or(now));
        self.timing.startup.get_or_insert(took);
    }

    pub(crate) fn spend(&mut self, usage: Usage, now: Moment) {
        self.updated_at = now;
        self.usage = Some(self.usage.unwrap_or_default().plus(usage));
    }
}
