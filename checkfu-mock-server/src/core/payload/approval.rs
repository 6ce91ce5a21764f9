//! ActionApprovals in the log.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::user::Decision;
use crate::core::id::{ApprovalId, PrincipalId, ThreadId, ToolUseId};
use crate::core::moment::Moment;

/// `action_approval.requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ApprovalRequested {
    pub(crate) approval_id: ApprovalId,
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) session_thread_id: ThreadId,
    pub(crate) name: String,
    pub(crate) input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Moment>,
}

/// `action_approval.decided`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ApprovalDecided {
    pub(crate) approval_id: ApprovalId,
    pub(crate) decision: Decision,
    pub(crate) by: PrincipalId,
}

/// `action_approval.expired`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ApprovalExpired {
    pub(crate) approval_id: ApprovalId,
}
