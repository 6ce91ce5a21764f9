use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{SessionStatus, SessionThreadStatus, StopReason};

/// How work was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The turn ended and the Session can be driven again. The reason is `None` where the server gave none.
    Idle {
        /// Why the turn stopped; never `requires_action`.
        stop_reason: Option<StopReason>,
    },
    /// The Session ended in success, for good.
    Completed,
    /// The Session ended in failure, for good.
    Failed,
    /// The Session was canceled, for good.
    Canceled,
    /// The Run that was followed ended in success (`FOL-11`). It says nothing about the Session.
    RunCompleted,
    /// The Run that was followed failed.
    RunFailed,
    /// The Run that was followed was canceled.
    RunCanceled,
    /// The turn of the child that was followed ended, and it can be driven again. It says nothing about the Session. The
    /// reason is `None` where the server gave none.
    ThreadIdle {
        /// Why the turn stopped; never `requires_action`.
        stop_reason: Option<StopReason>,
    },
    /// The child that was followed ended, for good.
    ThreadTerminated,
}

impl Outcome {
    /// Whether the Session can be driven no more.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }

    pub(super) fn of_session(status: &SessionStatus, stop_reason: Option<&StopReason>) -> Option<Self> {
        match status {
            SessionStatus::Completed => Some(Self::Completed),
            SessionStatus::Failed => Some(Self::Failed),
            SessionStatus::Canceled => Some(Self::Canceled),
            SessionStatus::Idle if !stop_reason.is_some_and(StopReason::is_requires_action) => {
                Some(Self::Idle {
                    stop_reason: stop_reason.cloned(),
                })
            }
            _ => None,
        }
    }

    pub(super) fn of_child(status: &SessionThreadStatus, stop_reason: Option<&StopReason>) -> Option<Self> {
        match status {
            SessionThreadStatus::Terminated => Some(Self::ThreadTerminated),
            SessionThreadStatus::Idle if !stop_reason.is_some_and(StopReason::is_requires_action) => {
                Some(Self::ThreadIdle {
                    stop_reason: stop_reason.cloned(),
                })
            }
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle {
                stop_reason: Some(reason),
            } => write!(formatter, "idle ({reason})"),
            Self::Idle { stop_reason: None } => formatter.write_str("idle"),
            Self::Completed => formatter.write_str("completed"),
            Self::Failed => formatter.write_str("failed"),
            Self::Canceled => formatter.write_str("canceled"),
            Self::RunCompleted => formatter.write_str("run completed"),
            Self::RunFailed => formatter.write_str("run failed"),
            Self::RunCanceled => formatter.write_str("run canceled"),
            Self::ThreadIdle {
                stop_reason: Some(reason),
            } => write!(formatter, "thread idle ({reason})"),
            Self::ThreadIdle { stop_reason: None } => formatter.write_str("thread idle"),
            Self::ThreadTerminated => formatter.write_str("thread terminated"),
        }
    }
}
