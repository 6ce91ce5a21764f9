/// Declares an id: an opaque string of its own type.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        ///
        /// The server owns the format: any text is accepted.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.into())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id.into_boxed_str())
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// Names a Session (`sess_…`).
    SessionId,
    /// Names a thread of a Session (`sthr_…`).
    SessionThreadId,
    /// Names an event (`evt_…`). A fork's copies keep the ids of the originals (`A-ID`).
    EventId,
    /// Names a Run (`run_…`).
    RunId,
    /// Names the Principal that acts or writes (`prin_…`).
    PrincipalId,
    /// Names a workspace.
    WorkspaceId,
    /// Names a deployed Agent (`adep_…`).
    AgentDeploymentId,
    /// Names a call of a tool (`toolu_…`). It is unique in its thread only.
    ToolUseId,
    /// Names a question of the Agent.
    QuestionId,
    /// Names an Outcome.
    OutcomeId,
    /// Names an ActionApproval.
    ActionApprovalId,
    /// Names a Watch.
    WatchId,
    /// Names a Checkpoint.
    CheckpointId,
    /// Names a Project.
    ProjectId,
    /// Names a MemoryStore.
    MemoryStoreId,
    /// Names one request, as the server logs it.
    RequestId,
}
