//! The event envelope (A-ENV) and the closed set of events that this server writes.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::id::{EventId, RunId, SessionId, ThreadId};
use super::moment::Moment;
use super::payload::{
    AgentMessage, AgentQuestion, AgentToolResult, AgentToolUse, ApprovalDecided, ApprovalExpired,
    ApprovalRequested, Empty, Evaluated, EvaluationStarted, RunCanceled, RunCompleted, RunCreated, RunFailed,
    RunRequeued, RunResumed, RunStarted, RunWaiting, SessionError, SessionForked, SessionUsage, StatusFailed,
    StatusIdle, ThreadCreated, ThreadIdle, ThreadMessageReceived, ThreadMessageSent, ThreadStatusChange,
    ThreadTerminated, UserCustomToolResult, UserDefineOutcome, UserInterrupt, UserMessage,
    UserQuestionAnswer, UserToolConfirmation,
};
use super::status::SessionStatus;

/// One entry of the log. Its JSON is what is stored, listed and streamed, byte for byte (LST-3).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    pub(crate) seq: u64,
    pub(crate) session_id: SessionId,
    /// Absent for what concerns the whole Session.
    pub(crate) session_thread_id: Option<ThreadId>,
    /// The Run that this event belongs to; a triggering event carries the Run it starts.
    pub(crate) run_id: Option<RunId>,
    pub(crate) created_at: Moment,
    #[serde(flatten)]
    pub(crate) data: EventData,
}

impl<'de> Deserialize<'de> for Event {
    /// The payload is read from its own text: what it keeps of other people's JSON keeps every digit.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let envelope = Envelope::deserialize(deserializer)?;
        Ok(Self {
            data: EventData::read(&envelope.r#type, envelope.payload.get()).map_err(D::Error::custom)?,
            id: envelope.id,
            seq: envelope.seq,
            session_id: envelope.session_id,
            session_thread_id: envelope.session_thread_id,
            run_id: envelope.run_id,
            created_at: envelope.created_at,
        })
    }
}

#[derive(Deserialize)]
struct Envelope {
    id: EventId,
    seq: u64,
    session_id: SessionId,
    session_thread_id: Option<ThreadId>,
    run_id: Option<RunId>,
    created_at: Moment,
    r#type: String,
    payload: Box<RawValue>,
}

macro_rules! events {
    ($($variant:ident($payload:ty) = $name:literal,)+) => {
        /// Type and payload.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", content = "payload")]
        pub(crate) enum EventData {
            $(#[serde(rename = $name)] $variant($payload),)+
        }

        impl EventData {
            /// The `type` on the wire.
            pub(crate) fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            fn read(type_name: &str, payload: &str) -> Result<Self, serde_json::Error> {
                match type_name {
                    $($name => serde_json::from_str(payload).map(Self::$variant),)+
                    other => Err(Error::custom(format_args!("unknown event type {other:?}"))),
                }
            }
        }
    };
}

events! {
    UserMessage(UserMessage) = "user.message",
    UserInterrupt(UserInterrupt) = "user.interrupt",
    UserCustomToolResult(UserCustomToolResult) = "user.custom_tool_result",
    UserToolConfirmation(UserToolConfirmation) = "user.tool_confirmation",
    UserQuestionAnswer(UserQuestionAnswer) = "user.question_answer",
    UserDefineOutcome(UserDefineOutcome) = "user.define_outcome",
    AgentMessage(AgentMessage) = "agent.message",
    AgentThinking(Empty) = "agent.thinking",
    AgentToolUse(AgentToolUse) = "agent.tool_use",
    AgentToolResult(AgentToolResult) = "agent.tool_result",
    AgentQuestion(AgentQuestion) = "agent.question",
    ThreadMessageSent(ThreadMessageSent) = "agent.thread_message_sent",
    ThreadMessageReceived(ThreadMessageReceived) = "agent.thread_message_received",
    RunCreated(RunCreated) = "run.created",
    RunStarted(RunStarted) = "run.started",
    RunRequeued(RunRequeued) = "run.requeued",
    RunWaiting(RunWaiting) = "run.waiting",
    RunResumed(RunResumed) = "run.resumed",
    RunCompleted(RunCompleted) = "run.completed",
    RunFailed(RunFailed) = "run.failed",
    RunCanceled(RunCanceled) = "run.canceled",
    ApprovalRequested(ApprovalRequested) = "action_approval.requested",
    ApprovalDecided(ApprovalDecided) = "action_approval.decided",
    ApprovalExpired(ApprovalExpired) = "action_approval.expired",
    EvaluationStarted(EvaluationStarted) = "outcome.evaluation_started",
    Evaluated(Evaluated) = "outcome.evaluated",
    ThreadCreated(ThreadCreated) = "session.thread_created",
    ThreadRunning(ThreadStatusChange) = "session.thread_status_running",
    ThreadIdle(ThreadIdle) = "session.thread_status_idle",
    ThreadRescheduled(ThreadStatusChange) = "session.thread_status_rescheduled",
    ThreadTerminated(ThreadTerminated) = "session.thread_status_terminated",
    SessionForked(SessionForked) = "session.forked",
    SessionError(SessionError) = "session.error",
    SessionUsage(SessionUsage) = "session.usage",
    StatusPending(Empty) = "session.status_pending",
    StatusProvisioning(Empty) = "session.status_provisioning",
    StatusRunning(Empty) = "session.status_running",
    StatusWaiting(Empty) = "session.status_waiting",
    StatusPaused(Empty) = "session.status_paused",
    StatusReconciling(Empty) = "session.status_reconciling",
    StatusIdle(StatusIdle) = "session.status_idle",
    StatusCompleted(Empty) = "session.status_completed",
    StatusFailed(StatusFailed) = "session.status_failed",
    StatusCanceled(Empty) = "session.status_canceled",
}

impl EventData {
    /// The Session status that this event announces, if it is a status event.
    pub(crate) fn session_status(&self) -> Option<SessionStatus> {
        match self {
            Self::StatusPending(_) => Some(SessionStatus::Pending),
            Self::StatusProvisioning(_) => Some(SessionStatus::Provisioning),
            Self::StatusRunning(_) => Some(SessionStatus::Running),
            Self::StatusWaiting(_) => Some(SessionStatus::Waiting),
            Self::StatusPaused(_) => Some(SessionStatus::Paused),
            Self::StatusReconciling(_) => Some(SessionStatus::Reconciling),
            Self::StatusIdle(_) => Some(SessionStatus::Idle),
            Self::StatusCompleted(_) => Some(SessionStatus::Completed),
            Self::StatusFailed(_) => Some(SessionStatus::Failed),
            Self::StatusCanceled(_) => Some(SessionStatus::Canceled),
            _ => None,
        }
    }

    /// A-VIEW: whether an event of a child stands in the Session's view too: what somebody has to answer, the answers,
    /// messages between threads, and the child's own lifecycle.
    pub(crate) fn is_shared(&self) -> bool {
        match self {
            Self::AgentToolUse(call) => call.is_blocking(),
            Self::UserMessage(_)
            | Self::UserInterrupt(_)
            | Self::UserCustomToolResult(_)
            | Self::UserToolConfirmation(_)
            | Self::UserQuestionAnswer(_)
            | Self::UserDefineOutcome(_)
            | Self::AgentQuestion(_)
            | Self::ThreadMessageSent(_)
            | Self::ThreadMessageReceived(_)
            | Self::ApprovalRequested(_)
            | Self::ApprovalDecided(_)
            | Self::ApprovalExpired(_)
            | Self::ThreadCreated(_)
            | Self::ThreadRunning(_)
            | Self::ThreadIdle(_)
            | Self::ThreadRescheduled(_)
            | Self::ThreadTerminated(_) => true,
            _ => false,
        }
    }

    /// Whether this is something that an Agent did, which moves its Run's position.
    pub(crate) fn is_action(&self) -> bool {
        matches!(
            self,
            Self::AgentMessage(_)
                | Self::AgentThinking(_)
                | Self::AgentToolUse(_)
                | Self::AgentToolResult(_)
                | Self::AgentQuestion(_)
                | Self::ThreadMessageSent(_)
                | Self::ThreadCreated(_)
                | Self::EvaluationStarted(_)
                | Self::Evaluated(_)
                | Self::SessionError(_)
                | Self::StatusReconciling(_)
        )
    }

    /// Whether the Session resource shows more of this event than its `seq` and time.
    pub(crate) fn changes_session(&self) -> bool {
        !matches!(
            self,
            Self::UserMessage(_)
                | Self::AgentMessage(_)
                | Self::AgentThinking(_)
                | Self::AgentToolUse(_)
                | Self::AgentToolResult(_)
                | Self::ThreadMessageSent(_)
        )
    }
}
