//! The ActionApproval resource.

use serde::Serialize;
use serde_json::Value;

use crate::core::id::{ApprovalId, PrincipalId, RunId, SessionId, ThreadId, ToolUseId};
use crate::core::moment::Moment;
use crate::core::payload::Subject;
use crate::core::wait::{Approval, ApprovalStatus, WaitRecord};

/// A governed call that needs a person's decision.
#[derive(Debug, Serialize)]
pub(crate) struct ApprovalResource<'a> {
    id: &'a ApprovalId,
    r#type: &'static str,
    session_id: &'a SessionId,
    session_thread_id: &'a ThreadId,
    run_id: &'a RunId,
    tool_use_id: Option<ToolUseId>,
    generation: u32,
    name: &'a str,
    input: &'a Value,
    status: ApprovalStatus,
    decided_by: Option<&'a PrincipalId>,
    deny_message: Option<&'a str>,
    expires_at: Option<Moment>,
    created_at: Moment,
    decided_at: Option<Moment>,
}

impl<'a> ApprovalResource<'a> {
    pub(crate) fn new(session_id: &'a SessionId, record: &'a WaitRecord, approval: &'a Approval) -> Self {
        Self {
            id: &approval.id,
            r#type: "action_approval",
            session_id,
            session_thread_id: &record.thread,
            run_id: &record.run,
            tool_use_id: match record.wait.subject() {
                Subject::Tool(id) => Some(id),
                Subject::Question(_) | Subject::Outcome(_) => None,
            },
            generation: record.wait.generation(),
            name: &approval.name,
            input: &approval.input,
            status: approval.status,
            decided_by: approval.decided_by.as_ref(),
            deny_message: approval.deny_message.as_deref(),
            expires_at: approval.expires_at,
            created_at: approval.created_at,
            decided_at: approval.decided_at,
        }
    }
}
