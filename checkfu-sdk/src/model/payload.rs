//! The payloads of the known event types, one struct each; types without members of their own share one.
//!
//! Members that the documentation leaves optional are optional here. A payload may hold more members than its
//! struct names; they stay in [`Event::raw_json`](crate::model::Event::raw_json).

mod agent;
mod content;
mod observation;
mod run;
mod session;
mod usage;
mod user;

pub use agent::{
    AgentMessage, AgentQuestion, AgentThinking, AgentToolResult, AgentToolUse, Permission, ThreadMessage,
    ToolKind,
};
pub use content::{Content, ContentBlock};
pub use observation::{
    ActionApproval, CheckpointCreated, EvaluationResult, MemoryEvent, OutcomeEvaluation, ProjectEvent,
    WatchEvent,
};
pub use run::{
    MemoryAccess, MemoryVersion, ProjectRevision, Resolved, RunCreated, RunEnded, RunRequeued, RunStarted,
    RunWait, Trigger, TriggerKind, Wait, WaitKind,
};
pub use session::{SessionForked, SessionIdle, SessionStatusChange, SessionUsage, ThreadEvent};
pub use usage::{Cost, Failure, RetryState, RetryStatus, Usage};
pub use user::{
    Confirmation, CustomToolResult, DefineOutcome, IntegrityDecision, Interrupt, PromptIntegrity,
    QuestionAnswer, ToolConfirmation, UserMessage,
};
