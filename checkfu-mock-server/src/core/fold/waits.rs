//! Waits and approvals in the fold (A-GEN).

use crate::core::assignment::{Parked, Resolution};
use crate::core::digest;
use crate::core::event::Event;
use crate::core::id::{ApprovalId, RunId};
use crate::core::payload::{
    ApprovalRequested, Decision, Evaluated, RunResumed, RunWaiting, Subject, UserToolConfirmation, Wait,
};
use crate::core::session::Session;
use crate::core::status::RunStatus;
use crate::core::touched::Touched;
use crate::core::wait::{Approval, ApprovalStatus, WaitRecord, WaitState};

impl Session {
    pub(super) fn open_wait(&mut self, event: &Event, waiting: &RunWaiting, touched: &mut Touched) {
        let (Some(run), Some(thread)) = (event.run_id.clone(), event.session_thread_id.clone()) else {
            return;
        };
        let subject = waiting.wait.subject();
        let mut blocker = None;
        let again = self
            .waits
            .of_key(&thread, &subject)
            .next_back()
            .map(|record| record.blocker.clone());
        self.change_run(event, touched, |run| {
            run.status = RunStatus::Waiting;
            run.deadline_at = None;
            blocker = run.call(&subject).map(|call| call.event_id.clone());
            // The result of a governed call belongs to the same entry as its decision.
            let same = blocker.is_some() && blocker == again;
            if !same {
                run.parked.push(Parked {
                    subject: subject.clone(),
                    resolution: None,
                });
            }
        });
        let approval = match &waiting.wait {
            Wait::ActionApproval { .. } => self.requested.take(),
            Wait::CustomTool { .. } | Wait::Question { .. } | Wait::Outcome { .. } => None,
        };
        self.waits.push(WaitRecord {
            thread,
            wait: waiting.wait.clone(),
            run,
            blocker: blocker.unwrap_or_else(|| event.id.clone()),
            approval,
            state: WaitState::Open,
        });
    }

    pub(super) fn resume(&mut self, event: &Event, resumed: &RunResumed, touched: &mut Touched) {
        let primary = event.session_thread_id.as_ref() == Some(&self.admission.primary_thread_id);
        let released = primary && matches!(resumed.wait, Wait::Question { .. });
        self.change_run(event, touched, |run| {
            run.continuation = resumed.continuation;
            run.deadline_at = resumed.deadline_at;
            run.claimed_at = Some(event.created_at);
            // WAIT-2: a Question released the compute, so the continuation begins with a claim.
            run.status = if released {
                RunStatus::Provisioning
            } else {
                RunStatus::Running
            };
        });
        if primary {
            self.head.stop_reason = None;
        }
    }

    pub(super) fn confirm(&mut self, event: &Event, answer: &UserToolConfirmation, touched: &mut Touched) {
        let resolution = match answer.result {
            Decision::Allow => Resolution::Allowed,
            Decision::Deny => Resolution::Denied {
                message: answer.deny_message.clone(),
            },
        };
        let subject = Subject::Tool(answer.tool_use_id.clone());
        self.answer(event, &subject, resolution, touched);
        if let Some(run) = &event.run_id {
            self.waits.change_latest_of_run(run, &subject, |record| {
                if let Some(approval) = &mut record.approval {
                    approval.deny_message.clone_from(&answer.deny_message);
                    touched.approvals.push(approval.id.clone());
                }
            });
        }
    }

    /// An answer was accepted: its wait is no longer open, and a repetition of it can be told.
    pub(super) fn answer(
        &mut self,
        event: &Event,
        subject: &Subject,
        resolution: Resolution,
        touched: &mut Touched,
    ) {
        let Some(run) = event.run_id.clone() else { return };
        self.waits.change_latest_of_run(&run, subject, |record| {
            record.state = WaitState::Answered {
                seq: event.seq,
                digest: digest::of_answer(&event.data),
            };
        });
        self.resolve(&run, subject, resolution, touched);
    }

    pub(super) fn resolve(
        &mut self,
        run: &RunId,
        subject: &Subject,
        resolution: Resolution,
        touched: &mut Touched,
    ) {
        if let Some(run) = self.unfinished.run_mut(run)
            && let Some(parked) = run
                .parked
                .iter_mut()
                .rev()
                .find(|parked| parked.subject == *subject)
        {
            parked.resolution = Some(resolution);
            touched.runs.push(run.id.clone());
        }
    }

    pub(super) fn grade(&mut self, event: &Event, evaluated: &Evaluated, touched: &mut Touched) {
        let Some(run) = event.run_id.clone() else { return };
        let subject = Subject::Outcome(evaluated.outcome_id.clone());
        self.waits.change_latest_of_run(&run, &subject, WaitRecord::close);
        let resolution = Resolution::Graded {
            result: evaluated.result,
        };
        self.resolve(&run, &subject, resolution, touched);
    }

    pub(super) fn expire(&mut self, approval: &ApprovalId, touched: &mut Touched) {
        self.change_approval(approval, touched, |approval| {
            approval.status = ApprovalStatus::Expired;
        });
        let expired = self.waits.change_with_approval(approval, |record| {
            record.close();
            (record.run.clone(), record.wait.subject())
        });
        if let Some((run, subject)) = expired {
            self.resolve(&run, &subject, Resolution::Expired, touched);
        }
    }

    /// The request stands right before the wait that it belongs to.
    pub(super) fn request_approval(
        &mut self,
        event: &Event,
        requested: &ApprovalRequested,
        touched: &mut Touched,
    ) {
        self.requested = Some(Approval {
            id: requested.approval_id.clone(),
            created_seq: event.seq,
            name: requested.name.clone(),
            input: requested.input.clone(),
            status: ApprovalStatus::Pending,
            decided_by: None,
            deny_message: None,
            expires_at: requested.expires_at,
            created_at: event.created_at,
            decided_at: None,
        });
        touched.approvals.push(requested.approval_id.clone());
    }

    pub(super) fn change_approval(
        &mut self,
        id: &ApprovalId,
        touched: &mut Touched,
        change: impl FnOnce(&mut Approval),
    ) {
        self.waits.change_with_approval(id, |record| {
            if let Some(approval) = &mut record.approval {
                change(approval);
                touched.approvals.push(id.clone());
            }
        });
    }
}
