//! Runs in the fold.

use crate::core::event::Event;
use crate::core::payload::{AgentToolUse, RunCreated, RunStarted, Subject, ToolKind};
use crate::core::run::{Call, Run};
use crate::core::session::Session;
use crate::core::status::RunStatus;
use crate::core::touched::Touched;

impl Session {
    pub(super) fn create_run(&mut self, event: &Event, created: &RunCreated, touched: &mut Touched) {
        let (Some(id), Some(thread_id)) = (event.run_id.clone(), event.session_thread_id.clone()) else {
            return;
        };
        let input = self
            .latest_input
            .take()
            .filter(|input| input.event == created.trigger.event_id);
        let (content, outcome) = input.map_or_else(Default::default, |input| (input.content, input.outcome));
        touched.runs.push(id.clone());
        self.unfinished.push(Run {
            id,
            created_seq: event.seq,
            thread_id,
            status: RunStatus::Queued,
            trigger: created.trigger.clone(),
            attempt: 0,
            continuation: 0,
            continues_run_id: created.continues_run_id.clone(),
            deadline_at: None,
            resolved: None,
            usage: None,
            cost: None,
            error: None,
            created_at: event.created_at,
            started_at: None,
            settled_at: None,
            claimed_at: None,
            needs_start: true,
            lost_attempts: 0,
            startup_timeouts: 0,
            input: content,
            outcome,
            position: 0,
            calls: Vec::new(),
            parked: Vec::new(),
        });
    }

    /// A Runner took the Run: said by the Session's status on the primary thread, by the thread's own on a child.
    pub(super) fn claim(&mut self, event: &Event, touched: &mut Touched) {
        self.change_run(event, touched, |run| {
            if run.status == RunStatus::Queued {
                run.status = RunStatus::Provisioning;
                run.claimed_at = Some(event.created_at);
            }
        });
    }

    pub(super) fn start(&mut self, event: &Event, started: &RunStarted, touched: &mut Touched) {
        let mut claimed_at = None;
        self.change_run(event, touched, |run| {
            claimed_at = run.claimed_at;
            run.status = RunStatus::Running;
            run.needs_start = false;
            run.attempt = started.attempt;
            run.deadline_at = Some(started.deadline_at);
            run.resolved = Some(started.resolved.clone());
            run.started_at.get_or_insert(event.created_at);
        });
        self.change_thread(event, touched, |thread| {
            thread.started(claimed_at, event.created_at)
        });
        if event.session_thread_id.as_ref() == Some(&self.admission.primary_thread_id) {
            self.head.stop_reason = None;
        }
    }

    pub(super) fn note_call(&mut self, event: &Event, call: &AgentToolUse, touched: &mut Touched) {
        if !call.is_blocking() {
            return;
        }
        self.change_run(event, touched, |run| {
            run.calls.push(Call {
                subject: Subject::Tool(call.tool_use_id.clone()),
                event_id: event.id.clone(),
                name: call.name.clone(),
                input: call.input.clone(),
                custom: call.kind == ToolKind::Custom,
            });
        });
    }

    /// A Run is over: what it waited for is closed, and what it spent counts for its thread.
    pub(super) fn settle(&mut self, event: &Event, touched: &mut Touched, change: impl FnOnce(&mut Run)) {
        let settled = event.run_id.as_ref();
        let Some(mut run) = settled.and_then(|id| self.unfinished.take(id)) else {
            return;
        };
        run.settled_at = Some(event.created_at);
        run.deadline_at = None;
        change(&mut run);
        for record in self.waits.open_of(&run.id) {
            if let Some(approval) = &record.approval {
                touched.approvals.push(approval.id.clone());
            }
        }
        self.waits.close_of(&run.id);
        if let Some(usage) = run.usage
            && let Some(thread) = self.threads.iter_mut().find(|thread| thread.id == run.thread_id)
        {
            thread.spend(usage, event.created_at);
            touched.threads.push(thread.id.clone());
        }
        touched.settled.push(run);
    }

    pub(super) fn change_run(&mut self, event: &Event, touched: &mut Touched, change: impl FnOnce(&mut Run)) {
        if let Some(id) = &event.run_id
            && let Some(run) = self.unfinished.run_mut(id)
        {
            change(run);
            touched.runs.push(run.id.clone());
        }
    }
}
