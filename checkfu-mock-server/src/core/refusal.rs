//! Why the core turned a command down. Nothing was changed.

use super::status::SessionStatus;

/// A command that does not fit the Session's state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// A-TRANS: the Session may not go there from where it is.
    #[error("a Session that is {} cannot become {}", from.as_str(), to.as_str())]
    InvalidTransition { from: SessionStatus, to: SessionStatus },
    /// The step was meant for a Run, or a point of a Run, that is no longer current.
    #[error("the Run has moved on")]
    StaleStep,
}
