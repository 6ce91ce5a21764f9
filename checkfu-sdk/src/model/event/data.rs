use serde_json::value::RawValue;

use crate::model::payload::{
    ActionApproval, AgentMessage, AgentQuestion, AgentThinking, AgentToolResult, AgentToolUse,
    CheckpointCreated, CustomToolResult, DefineOutcome, Interrupt, MemoryEvent, OutcomeEvaluation,
    ProjectEvent, QuestionAnswer, RunCreated, RunEnded, RunRequeued, RunStarted, RunWait, SessionForked,
    SessionIdle, SessionStatusChange, SessionUsage, ThreadEvent, ThreadMessage, ToolConfirmation,
    UserMessage, WatchEvent,
};

/// A known type whose payload is not as documented. The event is still delivered, with its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecodable {
    /// What did not fit.
    pub reason: String,
}

macro_rules! event_data {
    ($($variant:ident($payload:ty) = $name:literal,)+) => {
        /// What an event says, by its type.
        ///
        /// The set of types is open. An event of a type that this version does not know is
        /// [`EventData::Unknown`], one of a known type with an unfitting payload is [`EventData::Undecodable`];
        /// both keep their JSON in the event.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum EventData {
            $(
                #[doc = concat!("`", $name, "`.")]
                $variant($payload),
            )+
            /// A type that this version does not know.
            Unknown,
            /// A known type whose payload is not as documented.
            Undecodable(Undecodable),
        }

        impl EventData {
            /// Every event type that this version knows.
            pub const KNOWN_TYPES: &'static [&'static str] = &[$($name,)+];

            /// Decodes the payload of an event of type `event_type`; no payload counts as an empty one.
            pub(super) fn decode(event_type: &str, payload: Option<&RawValue>) -> Self {
                let payload = payload.map_or("{}", RawValue::get);
                let decoded = match event_type {
                    $($name => serde_json::from_str(payload).map(Self::$variant),)+
                    _ => return Self::Unknown,
                };
                decoded.unwrap_or_else(|reason| Self::Undecodable(Undecodable { reason: reason.to_string() }))
            }
        }
    };
}

event_data! {
    UserMessage(UserMessage) = "user.message",
    UserInterrupt(Interrupt) = "user.interrupt",
    UserCustomToolResult(CustomToolResult) = "user.custom_tool_result",
    UserToolConfirmation(ToolConfirmation) = "user.tool_confirmation",
    UserQuestionAnswer(QuestionAnswer) = "user.question_answer",
    UserDefineOutcome(DefineOutcome) = "user.define_outcome",
    AgentMessage(AgentMessage) = "agent.message",
    AgentThinking(AgentThinking) = "agent.thinking",
    AgentToolUse(AgentToolUse) = "agent.tool_use",
    AgentToolResult(AgentToolResult) = "agent.tool_result",
    AgentQuestion(AgentQuestion) = "agent.question",
    AgentThreadMessageSent(ThreadMessage) = "agent.thread_message_sent",
    AgentThreadMessageReceived(ThreadMessage) = "agent.thread_message_received",
    SessionStatusPending(SessionStatusChange) = "session.status_pending",
    SessionStatusProvisioning(SessionStatusChange) = "session.status_provisioning",
    SessionStatusRunning(SessionStatusChange) = "session.status_running",
    SessionStatusWaiting(SessionStatusChange) = "session.status_waiting",
    SessionStatusPaused(SessionStatusChange) = "session.status_paused",
    SessionStatusReconciling(SessionStatusChange) = "session.status_reconciling",
    SessionStatusIdle(SessionIdle) = "session.status_idle",
    SessionStatusCompleted(SessionStatusChange) = "session.status_completed",
    SessionStatusFailed(SessionStatusChange) = "session.status_failed",
    SessionStatusCanceled(SessionStatusChange) = "session.status_canceled",
    SessionForked(SessionForked) = "session.forked",
    SessionError(SessionStatusChange) = "session.error",
    SessionUsage(SessionUsage) = "session.usage",
    SessionThreadCreated(ThreadEvent) = "session.thread_created",
    SessionThreadStatusRunning(ThreadEvent) = "session.thread_status_running",
    SessionThreadStatusIdle(ThreadEvent) = "session.thread_status_idle",
    SessionThreadStatusRescheduled(ThreadEvent) = "session.thread_status_rescheduled",
    SessionThreadStatusTerminated(ThreadEvent) = "session.thread_status_terminated",
    RunCreated(RunCreated) = "run.created",
    RunStarted(RunStarted) = "run.started",
    RunRequeued(RunRequeued) = "run.requeued",
    RunWaiting(RunWait) = "run.waiting",
    RunResumed(RunWait) = "run.resumed",
    RunCompleted(RunEnded) = "run.completed",
    RunFailed(RunEnded) = "run.failed",
    RunCanceled(RunEnded) = "run.canceled",
    ActionApprovalRequested(ActionApproval) = "action_approval.requested",
    ActionApprovalDecided(ActionApproval) = "action_approval.decided",
    ActionApprovalExpired(ActionApproval) = "action_approval.expired",
    OutcomeEvaluationStarted(OutcomeEvaluation) = "outcome.evaluation_started",
    OutcomeEvaluated(OutcomeEvaluation) = "outcome.evaluated",
    WatchCreated(WatchEvent) = "watch.created",
    WatchHinted(WatchEvent) = "watch.hinted",
    WatchEvaluated(WatchEvent) = "watch.evaluated",
    WatchFired(WatchEvent) = "watch.fired",
    WatchExpired(WatchEvent) = "watch.expired",
    ProjectMounted(ProjectEvent) = "project.mounted",
    ProjectWriteback(ProjectEvent) = "project.writeback",
    MemoryMounted(MemoryEvent) = "memory.mounted",
    MemoryWritebackSettled(MemoryEvent) = "memory.writeback_settled",
    CheckpointCreated(CheckpointCreated) = "checkpoint.created",
}
