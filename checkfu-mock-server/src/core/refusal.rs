//! Why the core turned a command down. Nothing was changed.

use super::id::ThreadId;
use super::prompt_integrity::Inspection;
use super::status::SessionStatus;

/// A command that does not fit the Session's state.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Refusal {
    /// A-TRANS: the Session may not go there from where it is.
    #[error("a Session that is {} cannot become {}", from.as_str(), to.as_str())]
    InvalidTransition { from: SessionStatus, to: SessionStatus },
    /// The step was meant for a Run, or a point of a Run, that is no longer current.
    #[error("the Run has moved on")]
    StaleStep,
    /// A-OUT: one Outcome at a time.
    #[error("an Outcome is being worked on; interrupt it or wait until it is evaluated")]
    OutcomeActive,
    /// THR-4.
    #[error("the primary thread cannot be archived while its Session exists")]
    PrimaryThread,
    /// THR-4.
    #[error("the thread is not at rest: it {0}; interrupt it or wait")]
    ThreadBusy(&'static str),
    #[error("no such SessionThread in this Session")]
    UnknownThread,
    /// A-GEN.
    #[error("no such call or Question was ever pending on this thread")]
    UnknownAction,
    /// A-GEN, THR-9.
    #[error("this wait is no longer open: {0}")]
    StaleWait(&'static str),
    /// A-GEN, THR-8.
    #[error("several children wait under this identifier: repeat with session_thread_id")]
    AmbiguousThread(Vec<ThreadId>),
    /// WAIT-5: the wait stays open.
    #[error("the author has no authority for this decision")]
    InsufficientAuthority,
    /// PIN-1: nothing was appended.
    #[error("the message has look-alike or bidirectional characters: its author must decide")]
    DecisionRequired {
        inspection: Box<Inspection>,
        challenge: String,
    },
}
