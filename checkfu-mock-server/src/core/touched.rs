//! What events changed, for the projections beside the log.

use super::id::{ApprovalId, RunId, ThreadId};
use super::run::Run;

/// Names may repeat; what they name is read from the state once all events are folded.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) runs: Vec<RunId>,
    /// Runs that left the state.
    pub(crate) settled: Vec<Run>,
    pub(crate) threads: Vec<ThreadId>,
    pub(crate) approvals: Vec<ApprovalId>,
}
