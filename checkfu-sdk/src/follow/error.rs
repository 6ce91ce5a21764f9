use std::error::Error as StdError;

use crate::error::Error;
use crate::model::Seq;

/// Why a follow stopped without a settlement. Stream and store are told apart (`FOL-4`, `FOL-5`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError<E: StdError + 'static> {
    /// The stream ended before the work was settled. Nothing failed: wait, then follow again.
    #[error("the stream ended before the session settled")]
    StreamEnded {
        /// The durable cursor, where a new follow goes on.
        after: Option<Seq>,
    },
    /// The stream's reconnects were spent, or the server asks for too long a wait. Wait, then follow again.
    #[error("the stream's reconnects were spent")]
    ReconnectsSpent(#[source] Error),
    /// A read failed, and the error comes unchanged: one that ended the stream and is not retryable, or one of the
    /// reads before the stream was opened, which may be.
    #[error(transparent)]
    Read(Error),
    /// The cursor's own store failed. The event was not applied.
    #[error(transparent)]
    Store(E),
    /// The cursor moved while its lock was held: something writes it by another rule (`FOL-2`). The event was
    /// not applied.
    #[error("the cursor was moved past seq {seq} while it was locked")]
    Superseded {
        /// The event that was about to be committed.
        seq: Seq,
    },
    /// The durable cursor was moved back, or removed, while this follower was at work. A new follow begins at it and
    /// applies again what comes after it (`FOL-8`): start one if that is what the move was for.
    #[error("the cursor was moved back while it was followed")]
    Rewound {
        /// Where it was last seen.
        from: Option<Seq>,
        /// Where it is now; `None` is before the first event.
        to: Option<Seq>,
    },
}

impl<E: StdError + 'static> FollowError<E> {
    /// Whether the stream was open, and waiting and following again from the durable cursor is the right answer: it
    /// ended before settlement, or its reconnects were spent (`FOL-5`). A failed read before it was opened is neither,
    /// though [`is_retryable`](Self::is_retryable) may hold for it.
    pub fn is_reconnectable(&self) -> bool {
        matches!(self, Self::StreamEnded { .. } | Self::ReconnectsSpent(_))
    }

    /// Whether a new follow could succeed without a fix (`WIRE-7`): it is reconnectable, or a read failed that the same
    /// call could mend later.
    pub fn is_retryable(&self) -> bool {
        self.is_reconnectable() || matches!(self, Self::Read(error) if error.is_retryable())
    }

    /// The API's side of it, if it was that.
    pub fn api_error(&self) -> Option<&Error> {
        match self {
            Self::ReconnectsSpent(error) | Self::Read(error) => Some(error),
            _ => None,
        }
    }

    /// Sorts what ended the stream: retryable means that the budget was spent.
    pub(super) fn stream(error: Error) -> Self {
        if error.is_retryable() {
            Self::ReconnectsSpent(error)
        } else {
            Self::Read(error)
        }
    }
}

/// Why [`Follower::run`](super::Follower::run) stopped without a settlement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError<E: StdError + 'static, H: StdError + 'static> {
    /// The follow stopped.
    #[error(transparent)]
    Follow(FollowError<E>),
    /// The handler's own error, unchanged. Its event was not applied, and the cursor did not move. It is never
    /// taken for a failure of the stream, even if it is a retryable error of this SDK (`FOL-4`).
    #[error(transparent)]
    Handler(H),
}
