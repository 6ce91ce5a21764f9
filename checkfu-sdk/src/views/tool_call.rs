use serde_json::Value;

use crate::model::payload::{AgentToolUse, Confirmation, Content, Permission, ToolKind};
use crate::model::{Event, EventId, RunId, Seq, SessionThreadId, ToolUseId};

/// A call of a tool, and what became of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The event of the call.
    pub event_id: EventId,
    /// The place of that event.
    pub seq: Seq,
    /// The call's id, unique in its thread only.
    pub tool_use_id: ToolUseId,
    /// The thread that calls, if the event names one.
    pub session_thread_id: Option<SessionThreadId>,
    /// The Run that calls, if the event names one.
    pub run_id: Option<RunId>,
    /// The tool.
    pub name: String,
    /// What it is given.
    pub input: Value,
    /// Who runs it.
    pub kind: Option<ToolKind>,
    /// What the governing policy said.
    pub permission: Option<Permission>,
    /// How far it is.
    pub state: ToolCallState,
    /// How many waits were opened under its thread and id, its own and those of earlier calls: what a response may name as
    /// its `wait_generation` (`A-GEN`). 0 if there was none.
    pub generation: u64,
    /// What was decided about it.
    pub confirmation: Option<Confirmation>,
    /// Why it was denied.
    pub deny_message: Option<String>,
    /// What the application gave, for a tool that it runs.
    pub answer: Option<Value>,
    /// What the tool gave, as the Agent got it.
    pub result: Option<Content>,
    /// Whether it failed.
    pub is_error: bool,
}

/// How far a call of a tool is (`A-PARK`, `WAIT-5`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolCallState {
    /// It waits for a `user.tool_confirmation`.
    AwaitsConfirmation,
    /// It waits for the `user.custom_tool_result` of the application.
    AwaitsResult,
    /// It may run, and no result was seen. That of a child's call stands in the child's own log only (`A-VIEW`).
    Running,
    /// The application gave its result. A server may repeat it as the result that the Agent got.
    Answered,
    /// It was denied, by a decision, by the policy, or because the time for it ran out.
    Denied,
    /// The Agent got a result.
    Finished,
    /// It was given up: its wait was interrupted, its Run ended, or the Session was forked from another.
    Canceled,
}

impl ToolCallState {
    /// Whether it waits for somebody outside.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::AwaitsConfirmation | Self::AwaitsResult)
    }
}

impl ToolCall {
    /// A new call; `waits` were opened under its key before.
    pub(super) fn of(event: &Event, call: &AgentToolUse, waits: u64) -> Self {
        let mut made = Self {
            event_id: event.id().clone(),
            seq: event.seq(),
            tool_use_id: call.tool_use_id.clone(),
            session_thread_id: event.session_thread_id().cloned(),
            run_id: event.run_id().cloned(),
            name: call.name.clone(),
            input: call.input.clone(),
            kind: call.kind.clone(),
            permission: call.evaluated_permission.clone(),
            state: ToolCallState::Running,
            generation: waits,
            confirmation: None,
            deny_message: None,
            answer: None,
            result: None,
            is_error: false,
        };
        match made.permission {
            Some(Permission::Deny) => made.state = ToolCallState::Denied,
            Some(Permission::Ask) => made.waits(ToolCallState::AwaitsConfirmation),
            _ => made.may_run(),
        }
        made
    }

    pub(super) fn confirmed(&mut self, result: &Confirmation, message: Option<&String>) {
        self.confirmation = Some(result.clone());
        self.deny_message = message.cloned();
        match result {
            Confirmation::Allow if self.state == ToolCallState::AwaitsConfirmation => self.may_run(),
            Confirmation::Deny => self.state = ToolCallState::Denied,
            _ => {}
        }
    }

    pub(super) fn answered(&mut self, answer: &Value, is_error: Option<bool>) {
        self.answer = Some(answer.clone());
        self.is_error = is_error.unwrap_or_default();
        self.state = ToolCallState::Answered;
    }

    pub(super) fn finished(&mut self, result: Option<&Content>, is_error: Option<bool>) {
        self.result = result.cloned();
        self.is_error = is_error.unwrap_or_default();
        // The Agent is told of a denial by a result, too.
        if self.state != ToolCallState::Denied {
            self.state = ToolCallState::Finished;
        }
    }

    fn may_run(&mut self) {
        match self.kind {
            Some(ToolKind::Custom) => self.waits(ToolCallState::AwaitsResult),
            _ => self.state = ToolCallState::Running,
        }
    }

    fn waits(&mut self, state: ToolCallState) {
        self.state = state;
        self.generation += 1;
    }
}
