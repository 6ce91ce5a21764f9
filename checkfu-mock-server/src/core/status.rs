//! The statuses of Sessions and Runs.

use serde::{Deserialize, Serialize};

/// Where a Session stands: one of ten statuses (SES-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionStatus {
    /// Admitted, not executing.
    Pending,
    /// A Run prepares its environment.
    Provisioning,
    /// A Run executes.
    Running,
    /// A Run needs an external action.
    Waiting,
    /// No active compute, often for a human answer.
    Paused,
    /// Compute finished, output is settling.
    Reconciling,
    /// The turn settled.
    Idle,
    /// Ended successfully.
    Completed,
    /// Ended in failure.
    Failed,
    /// Ended by an explicit act.
    Canceled,
}

impl SessionStatus {
    pub(crate) const ALL: [Self; 10] = [
        Self::Pending,
        Self::Provisioning,
        Self::Running,
        Self::Waiting,
        Self::Paused,
        Self::Reconciling,
        Self::Idle,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
    ];

    /// SES-8: nothing follows these.
    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Provisioning => "provisioning",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Reconciling => "reconciling",
            Self::Idle => "idle",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Where a Run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunStatus {
    Queued,
    Provisioning,
    Running,
    /// Parked until something external comes.
    Waiting,
    /// Compute is done, output settles.
    Reconciling,
    Completed,
    Failed,
    Canceled,
}

/// Where a thread stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ThreadStatus {
    Running,
    Idle,
    Rescheduling,
    Terminated,
}
