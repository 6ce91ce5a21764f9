use jiff::Timestamp;
use serde_json::Value;

use crate::model::payload::{ActionApproval, Confirmation};
use crate::model::{ActionApprovalId, Event, PrincipalId, RunId, Seq, SessionThreadId, ToolUseId};

/// An ActionApproval: the request to decide about a governed tool call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Approval {
    /// The approval.
    pub approval_id: ActionApprovalId,
    /// The place of the request.
    pub seq: Seq,
    /// The thread of the call, if the event names one.
    pub session_thread_id: Option<SessionThreadId>,
    /// The Run of the call, if the event names one.
    pub run_id: Option<RunId>,
    /// The call.
    pub tool_use_id: Option<ToolUseId>,
    /// The tool.
    pub name: Option<String>,
    /// What it would be given.
    pub input: Option<Value>,
    /// When the request lapses.
    pub expires_at: Option<Timestamp>,
    /// What became of it.
    pub state: ApprovalState,
    /// Who decided.
    pub decided_by: Option<PrincipalId>,
}

/// What became of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalState {
    /// Nobody has decided.
    Pending,
    /// Somebody decided.
    Decided(Confirmation),
    /// It lapsed, which counts as a denial.
    Expired,
    /// The call was given up.
    Canceled,
}

impl Approval {
    pub(super) fn of(event: &Event, requested: &ActionApproval) -> Option<Self> {
        Some(Self {
            approval_id: requested.approval_id.clone()?,
            seq: event.seq(),
            session_thread_id: event.session_thread_id().cloned(),
            run_id: event.run_id().cloned(),
            tool_use_id: requested.tool_use_id.clone(),
            name: requested.name.clone(),
            input: requested.input.clone(),
            expires_at: requested.expires_at,
            state: ApprovalState::Pending,
            decided_by: None,
        })
    }
}
