//! A Run as the log tells it (RUN-1).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assignment::Parked;
use super::id::{EventId, OutcomeId, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Block, Cost, Failure, Resolved, Subject, Trigger, Usage};
use super::status::RunStatus;

/// One Run. Settled Runs leave the fold; their last state is the Run resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) id: RunId,
    /// The `seq` of its `run.created`: its place among the Runs of its Session.
    pub(crate) created_seq: u64,
    pub(crate) thread_id: ThreadId,
    pub(crate) status: RunStatus,
    pub(crate) trigger: Trigger,
    /// How often it was started; it never resets (A-CONT).
    pub(crate) attempt: u32,
    /// How often it was resumed (A-CONT).
    pub(crate) continuation: u32,
    pub(crate) continues_run_id: Option<RunId>,
    pub(crate) deadline_at: Option<Moment>,
    pub(crate) resolved: Option<Resolved>,
    pub(crate) usage: Option<Usage>,
    pub(crate) cost: Option<Cost>,
    pub(crate) error: Option<Failure>,
    pub(crate) created_at: Moment,
    pub(crate) started_at: Option<Moment>,
    pub(crate) settled_at: Option<Moment>,
    /// When a Runner took it; the start-up allowance counts from here.
    pub(crate) claimed_at: Option<Moment>,
    /// A fresh attempt has to begin with `run.started`; the continuation after a Question does not.
    pub(crate) needs_start: bool,
    pub(crate) lost_attempts: u32,
    pub(crate) startup_timeouts: u32,
    /// What it was asked.
    pub(crate) input: Vec<Block>,
    pub(crate) outcome: Option<RunOutcome>,
    /// How many events of its Agent the log holds; a restarted Agent goes on from here.
    pub(crate) position: u32,
    /// The calls that it made and that may block.
    pub(crate) calls: Vec<Call>,
    /// What it parked for, in order.
    pub(crate) parked: Vec<Parked>,
}

/// The Outcome that a Run works for (A-OUT).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunOutcome {
    pub(crate) id: OutcomeId,
    pub(crate) max_iterations: u32,
    /// The try that is being judged or was judged last; 0 before the first.
    pub(crate) iteration: u32,
}

/// A call or Question, as far as a wait needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) subject: Subject,
    pub(crate) event_id: EventId,
    pub(crate) name: String,
    pub(crate) input: Value,
    /// The application executes it: once it is allowed, its result is still needed (WAIT-5).
    pub(crate) custom: bool,
}

impl Run {
    /// Whether a Runner has something to do for it by itself.
    pub(crate) fn is_driven(&self, grading: bool) -> bool {
        match self.status {
            RunStatus::Queued | RunStatus::Provisioning | RunStatus::Running | RunStatus::Reconciling => true,
            RunStatus::Waiting => grading,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Canceled => false,
        }
    }

    /// Whether it takes part in the turn: executing or parked, and not settling its output already (A-INT).
    pub(crate) fn can_be_interrupted(&self) -> bool {
        self.status != RunStatus::Reconciling
    }

    pub(crate) fn call(&self, subject: &Subject) -> Option<&Call> {
        self.calls.iter().rev().find(|call| call.subject == *subject)
    }
}
