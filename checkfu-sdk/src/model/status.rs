use super::open_enum::open_enum;

open_enum! {
    /// The state of a Session (`SES-7`).
    SessionStatus {
        /// Admitted, not executing yet.
        Pending = "pending",
        /// A Run prepares its environment.
        Provisioning = "provisioning",
        /// A Run executes.
        Running = "running",
        /// A Run needs an action from outside.
        Waiting = "waiting",
        /// Suspended with no active compute, often for a person's answer.
        Paused = "paused",
        /// Compute finished; output or writeback settles.
        Reconciling = "reconciling",
        /// The turn settled; another event can start a Run.
        Idle = "idle",
        /// Ended in success, for good.
        Completed = "completed",
        /// Ended in failure, for good.
        Failed = "failed",
        /// Canceled, for good.
        Canceled = "canceled",
    }
}

impl SessionStatus {
    /// Whether the Session has ended for good: completed, failed or canceled.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }
}

open_enum! {
    /// The state of a thread (`THR-10`).
    SessionThreadStatus {
        /// A Run of it executes.
        Running = "running",
        /// At rest; it can be driven again.
        Idle = "idle",
        /// Its Runner failed and is tried again.
        Rescheduling = "rescheduling",
        /// Ended for good.
        Terminated = "terminated",
    }
}

open_enum! {
    /// The kind of cause that brought an event into its Session.
    CauseKind {
        /// A call of the API.
        Api = "api",
        /// The command line.
        Cli = "cli",
        /// A Watch.
        Watch = "watch",
        /// Another event.
        Event = "event",
    }
}
