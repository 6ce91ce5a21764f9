//! A Run as the log tells it (RUN-1).

use super::id::{RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Block, Cost, Resolved, Trigger, Usage};
use super::status::RunStatus;

/// One Run. Settled Runs leave the fold; their last state is the Run resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) id: RunId,
    /// The `seq` of its `run.created`: its place among the Runs of its Session.
    pub(crate) created_seq: u64,
    pub(crate) thread_id: Option<ThreadId>,
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
    pub(crate) created_at: Moment,
    pub(crate) started_at: Option<Moment>,
    pub(crate) settled_at: Option<Moment>,
    /// When a Runner took it; deadlines count from here.
    pub(crate) claimed_at: Option<Moment>,
    /// The content of the message that started it.
    pub(crate) input: Vec<Block>,
    /// How many observations of the agent the log holds; a restarted agent goes on from here.
    pub(crate) observations: u32,
}
