use super::approval::{Approval, ApprovalState};
use super::context::ContextEntry;
use super::message::Message;
use super::thread::Thread;
use super::tool_call::{ToolCall, ToolCallState};
use super::whole::Views;
use crate::model::payload::{ActionApproval, Confirmation, ThreadEvent};
use crate::model::{
    Event, EventData, RunId, SessionStatus, SessionThreadId, SessionThreadStatus, StopReason, ToolUseId,
};

impl Views {
    /// Applies the next event; `false` if it is not above the last one, and nothing was changed.
    pub fn apply(&mut self, event: &Event) -> bool {
        if self.last_seq.unwrap_or_default() >= event.seq() {
            return false;
        }
        self.last_seq = Some(event.seq());
        let bytes = event.raw_json().len();
        if let Some(message) = Message::of(event) {
            self.messages.add(event.seq(), message, bytes);
        }
        if let Some(entry) = ContextEntry::of(event) {
            self.context.add(event.seq(), entry, bytes);
        }
        self.apply_to_calls(event, bytes);
        self.apply_to_approvals(event, bytes);
        self.apply_to_threads(event, bytes);
        true
    }

    fn apply_to_calls(&mut self, event: &Event, bytes: usize) {
        let key = |id: &ToolUseId| (event.session_thread_id().cloned(), id.clone());
        match event.data() {
            EventData::AgentToolUse(call) => {
                let key = key(&call.tool_use_id);
                let waits = self.tool_calls.find(&key).map_or(0, |before| before.generation);
                self.tool_calls.add(key, ToolCall::of(event, call, waits), bytes);
            }
            EventData::RunWaiting(parked) => {
                let wait = parked.wait.as_ref();
                if let Some((id, generation)) =
                    wait.and_then(|wait| wait.tool_use_id.as_ref().zip(wait.generation))
                {
                    self.tool_calls
                        .change(&key(id), 0, |call| call.generation = generation);
                }
            }
            EventData::UserToolConfirmation(answer) => {
                self.tool_calls.change(&key(&answer.tool_use_id), bytes, |call| {
                    call.confirmed(&answer.result, answer.deny_message.as_ref());
                });
            }
            EventData::UserCustomToolResult(answer) => {
                self.tool_calls.change(&key(&answer.tool_use_id), bytes, |call| {
                    call.answered(&answer.result, answer.is_error);
                });
            }
            EventData::AgentToolResult(result) => {
                self.tool_calls.change(&key(&result.tool_use_id), bytes, |call| {
                    call.finished(result.content.as_ref(), result.is_error);
                });
            }
            _ => {}
        }
    }

    fn apply_to_approvals(&mut self, event: &Event, bytes: usize) {
        match event.data() {
            EventData::ActionApprovalRequested(requested) => {
                if let Some(approval) = Approval::of(event, requested) {
                    self.approvals.add(approval.approval_id.clone(), approval, bytes);
                }
            }
            EventData::ActionApprovalDecided(ActionApproval {
                approval_id: Some(id),
                decision: Some(decision),
                by,
                ..
            }) => {
                self.approvals.change(id, bytes, |approval| {
                    approval.state = ApprovalState::Decided(decision.clone());
                    approval.decided_by.clone_from(by);
                });
            }
            EventData::ActionApprovalExpired(ActionApproval {
                approval_id: Some(id),
                ..
            }) => {
                let expired = self.approvals.change(id, 0, |approval| {
                    approval.state = ApprovalState::Expired;
                    Some((approval.session_thread_id.clone(), approval.tool_use_id.clone()?))
                });
                if let Some(key) = expired.flatten() {
                    self.tool_calls
                        .change(&key, 0, |call| call.confirmed(&Confirmation::Deny, None));
                }
            }
            _ => {}
        }
    }

    fn apply_to_threads(&mut self, event: &Event, bytes: usize) {
        use SessionThreadStatus::{Idle, Rescheduling, Running, Terminated};
        match event.data() {
            EventData::SessionThreadCreated(thread) => self.thread(event, thread, None, bytes),
            EventData::SessionThreadStatusRunning(thread) => self.thread(event, thread, Some(Running), bytes),
            EventData::SessionThreadStatusRescheduled(thread) => {
                self.thread(event, thread, Some(Rescheduling), bytes);
            }
            EventData::SessionThreadStatusIdle(thread) => {
                self.thread(event, thread, Some(Idle), bytes);
                if !event.stop_reason().is_some_and(StopReason::is_requires_action) {
                    self.give_up_waits(event.session_thread_id());
                }
            }
            EventData::SessionThreadStatusTerminated(thread) => {
                self.thread(event, thread, Some(Terminated), bytes);
                self.give_up_waits(event.session_thread_id());
            }
            EventData::RunCompleted(_) | EventData::RunFailed(_) | EventData::RunCanceled(_) => {
                if let Some(run_id) = event.run_id() {
                    self.give_up(|run| run == Some(run_id));
                }
            }
            EventData::SessionForked(_) => {
                self.give_up(|_| true);
                for thread in self.threads.values_mut() {
                    thread.status = Some(Terminated);
                }
            }
            _ if ends_session(event) => self.give_up(|_| true),
            _ => {}
        }
    }

    fn thread(
        &mut self,
        event: &Event,
        told: &ThreadEvent,
        status: Option<SessionThreadStatus>,
        bytes: usize,
    ) {
        let Some(id) = event.session_thread_id() else {
            return;
        };
        if self.threads.find(id).is_none() {
            let thread = Thread {
                session_thread_id: id.clone(),
                parent_thread_id: None,
                agent_name: None,
                seq: event.seq(),
                status: None,
                stop_reason: None,
            };
            self.threads.add(id.clone(), thread, bytes);
        }
        self.threads.change(id, 0, |thread| {
            if let Some(parent) = &told.parent_thread_id {
                thread.parent_thread_id = Some(parent.clone());
            }
            if let Some(name) = &told.agent_name {
                thread.agent_name = Some(name.clone());
            }
            if let Some(status) = status {
                thread.stop_reason = event.stop_reason().cloned();
                thread.status = Some(status);
            }
        });
    }

    /// Nothing more comes of what these Runs had under way.
    fn give_up(&mut self, is_over: impl Fn(Option<&RunId>) -> bool) {
        for call in self.tool_calls.values_mut() {
            let is_open = call.state.is_pending() || call.state == ToolCallState::Running;
            if is_open && is_over(call.run_id.as_ref()) {
                call.state = ToolCallState::Canceled;
            }
        }
        for approval in self.approvals.values_mut() {
            if approval.state == ApprovalState::Pending && is_over(approval.run_id.as_ref()) {
                approval.state = ApprovalState::Canceled;
            }
        }
    }

    /// A thread rests, so nothing of it waits any more; a Session's log does not tell of a child's Runs (`A-VIEW`).
    fn give_up_waits(&mut self, of: Option<&SessionThreadId>) {
        for call in self.tool_calls.values_mut() {
            if call.state.is_pending() && call.session_thread_id.as_ref() == of {
                call.state = ToolCallState::Canceled;
            }
        }
        for approval in self.approvals.values_mut() {
            if approval.state == ApprovalState::Pending && approval.session_thread_id.as_ref() == of {
                approval.state = ApprovalState::Canceled;
            }
        }
    }
}

fn ends_session(event: &Event) -> bool {
    let status = event.event_type().strip_prefix("session.status_");
    status.is_some_and(|status| SessionStatus::from(status).is_terminal())
}
