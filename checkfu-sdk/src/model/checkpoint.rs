use jiff::Timestamp;

use super::id::{CheckpointId, EventId, RunId, SessionId};
use super::open_enum::open_enum;
use super::resource::resource;
use super::seq::Seq;

open_enum! {
    /// Whether a fork can adopt a Checkpoint.
    CheckpointStatus {
        /// It can.
        Available = "available",
        /// No Runner can, for now.
        Unavailable = "unavailable",
        /// It is not kept any more.
        Expired = "expired",
    }
}

resource! {
    /// The state of a sandbox, kept at the end of a turn, from which a fork may start (`FRK-3`).
    Checkpoint(CheckpointId) {
        values {
            /// The place in the log that the state belongs to.
            seq: Seq,
            /// When it was made.
            created_at: Timestamp,
            /// Until when it is kept; `None` without a limit.
            expires_at: Timestamp,
        }
        references {
            /// The Session that it belongs to.
            session_id: SessionId,
            /// The Run whose sandbox it is.
            run_id: RunId,
            /// The `checkpoint.created` event.
            event_id: EventId,
            /// The status.
            status: CheckpointStatus,
        }
        texts {}
    }
}
