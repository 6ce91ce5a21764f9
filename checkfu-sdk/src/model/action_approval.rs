use jiff::Timestamp;
use serde_json::{Map, Value};

use super::id::{ActionApprovalId, PrincipalId, RunId, SessionId, SessionThreadId, ToolUseId};
use super::open_enum::open_enum;
use super::resource::resource;

open_enum! {
    /// Where an ActionApproval stands.
    ActionApprovalStatus {
        /// Nobody has decided yet.
        Pending = "pending",
        /// Allowed.
        Allowed = "allowed",
        /// Denied.
        Denied = "denied",
        /// Its time ran out, which counts as denied.
        Expired = "expired",
        /// The wait was interrupted.
        Canceled = "canceled",
    }
}

resource! {
    /// A governed tool call that needs a person's decision, given with a
    /// [`ToolConfirmation`](crate::input::ToolConfirmation) (`WAIT-1`, `WAIT-5`).
    ActionApproval(ActionApprovalId) {
        values {
            /// Which wait under this key it opened, from 1 (`A-GEN`).
            generation: u64,
            /// Until when it can be decided.
            expires_at: Timestamp,
            /// When it was requested.
            created_at: Timestamp,
            /// When it was decided.
            decided_at: Timestamp,
        }
        references {
            /// The Session that it belongs to.
            session_id: SessionId,
            /// The thread that made the call.
            session_thread_id: SessionThreadId,
            /// The Run that waits.
            run_id: RunId,
            /// The call.
            tool_use_id: ToolUseId,
            /// The arguments of the call.
            input: Map<String, Value>,
            /// The status.
            status: ActionApprovalStatus,
            /// Who decided.
            decided_by: PrincipalId,
        }
        texts {
            /// The tool.
            name,
            /// What the Agent is told about a denial.
            deny_message,
        }
    }
}
