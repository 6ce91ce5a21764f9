use jiff::Timestamp;

use super::id::{RunId, SessionId, SessionThreadId};
use super::open_enum::open_enum;
use super::payload::{Cost, Failure, Resolved, Trigger, Usage};
use super::resource::resource;

open_enum! {
    /// Where a Run stands.
    RunStatus {
        /// It waits for its turn.
        Queued = "queued",
        /// Its environment is prepared.
        Provisioning = "provisioning",
        /// It executes.
        Running = "running",
        /// It needs an action from outside.
        Waiting = "waiting",
        /// Its compute finished; output or writeback settles.
        Reconciling = "reconciling",
        /// It settled in success.
        Completed = "completed",
        /// It settled in failure.
        Failed = "failed",
        /// It was canceled.
        Canceled = "canceled",
    }
}

impl RunStatus {
    /// Whether the Run has settled: completed, failed or canceled (`RUN-3`).
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }
}

resource! {
    /// A Run: one execution inside a Session (`RUN-1`).
    Run(RunId) {
        values {
            /// How often it was started; 0 while it is queued for the first time.
            attempt: u64,
            /// How often it was resumed after a wait.
            continuation: u64,
            /// When the part that executes must be over; `None` while it is queued, waits or has settled (`DLN-2`).
            deadline_at: Timestamp,
            /// When it was created.
            created_at: Timestamp,
            /// When its latest attempt started.
            started_at: Timestamp,
            /// When it settled.
            settled_at: Timestamp,
        }
        references {
            /// The Session that it belongs to.
            session_id: SessionId,
            /// The thread that it executes on.
            session_thread_id: SessionThreadId,
            /// The status.
            status: RunStatus,
            /// What started it.
            trigger: Trigger,
            /// The Run that it carries on under another id (`A-CONT`).
            continues_run_id: RunId,
            /// The exact versions that its latest attempt received (`RUN-2`).
            resolved: Resolved,
            /// Tokens counted.
            usage: Usage,
            /// Money counted.
            cost: Cost,
            /// Why it failed.
            error: Failure,
        }
        texts {}
    }
}
