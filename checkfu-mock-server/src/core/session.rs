//! A Session's state: the fold of its log over what was fixed at admission (SES-1, SES-5).

use std::collections::VecDeque;
use std::sync::Arc;

use super::admission::Admission;
use super::event::{Event, EventData};
use super::id::{EventId, RunId};
use super::moment::Moment;
use super::payload::{Block, RunCreated, Usage};
use super::run::Run;
use super::status::{RunStatus, SessionStatus};

/// The part of the state that the Session resource shows (A-HEAD).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    pub(crate) status: SessionStatus,
    /// Of the latest `session.status_idle`; none once a Run starts.
    pub(crate) stop_reason: Option<String>,
    /// The oldest retained event.
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) usage: Option<Usage>,
    pub(crate) updated_at: Moment,
}

/// What an event did to the Runs.
#[derive(Debug)]
pub(crate) enum RunChange {
    None,
    Changed(RunId),
    Settled(Box<Run>),
}

/// One Session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    pub(crate) admission: Arc<Admission>,
    pub(crate) head: Head,
    /// Runs that have not settled, oldest first. The first one is the active one (A-OVERLAP: the others queue).
    pub(crate) unfinished: VecDeque<Run>,
    /// The latest input, until its Run is created.
    latest_input: Option<(EventId, Vec<Block>)>,
}

impl Session {
    /// The state before the first event.
    pub(crate) fn admitted(admission: Arc<Admission>) -> Self {
        let head = Head {
            status: SessionStatus::Pending,
            stop_reason: None,
            first_seq: 1,
            last_seq: 0,
            usage: None,
            updated_at: admission.created_at,
        };
        Self {
            admission,
            head,
            unfinished: VecDeque::new(),
            latest_input: None,
        }
    }

    /// The Run that executes or is about to.
    pub(crate) fn active_run(&self) -> Option<&Run> {
        self.unfinished.front()
    }

    /// Takes one event of the log into the state.
    pub(crate) fn apply(&mut self, event: &Event) -> RunChange {
        self.head.last_seq = event.seq;
        self.head.updated_at = event.created_at;
        if let Some(status) = event.data.session_status() {
            self.head.status = status;
        }
        match &event.data {
            EventData::UserMessage(message) => {
                self.latest_input = Some((event.id.clone(), message.content.clone()));
                RunChange::None
            }
            EventData::StatusIdle(idle) => {
                self.head.stop_reason = Some(idle.stop_reason.clone());
                RunChange::None
            }
            EventData::SessionUsage(usage) => {
                self.head.usage = Some(usage.usage);
                RunChange::None
            }
            EventData::RunCreated(created) => self.create_run(event, created),
            EventData::StatusProvisioning(_) => self.change_run(event, |run| {
                run.status = RunStatus::Provisioning;
                run.claimed_at = Some(event.created_at);
            }),
            EventData::RunStarted(started) => {
                self.head.stop_reason = None;
                self.change_run(event, |run| {
                    run.status = RunStatus::Running;
                    run.attempt = started.attempt;
                    run.deadline_at = Some(started.deadline_at);
                    run.resolved = Some(started.resolved.clone());
                    run.started_at = Some(event.created_at);
                })
            }
            EventData::AgentMessage(_) => {
                self.change_run(event, |run| run.observations += 1);
                RunChange::None
            }
            EventData::RunCompleted(completed) => self.settle_run(event, |run| {
                run.status = RunStatus::Completed;
                run.usage = Some(completed.usage);
                run.cost = Some(completed.cost.clone());
            }),
            EventData::RunCanceled(_) => self.settle_run(event, |run| run.status = RunStatus::Canceled),
            EventData::StatusPending(_)
            | EventData::StatusRunning(_)
            | EventData::StatusCompleted(_)
            | EventData::StatusCanceled(_) => RunChange::None,
        }
    }

    fn create_run(&mut self, event: &Event, created: &RunCreated) -> RunChange {
        let Some(id) = event.run_id.clone() else {
            return RunChange::None;
        };
        let input = match self.latest_input.take() {
            Some((trigger, content)) if trigger == created.trigger.event_id => content,
            _ => Vec::new(),
        };
        self.unfinished.push_back(Run {
            id: id.clone(),
            created_seq: event.seq,
            thread_id: event.session_thread_id.clone(),
            status: RunStatus::Queued,
            trigger: created.trigger.clone(),
            attempt: 0,
            continuation: 0,
            continues_run_id: created.continues_run_id.clone(),
            deadline_at: None,
            resolved: None,
            usage: None,
            cost: None,
            created_at: event.created_at,
            started_at: None,
            settled_at: None,
            claimed_at: None,
            input,
            observations: 0,
        });
        RunChange::Changed(id)
    }

    fn change_run(&mut self, event: &Event, change: impl FnOnce(&mut Run)) -> RunChange {
        let Some(run) = self
            .unfinished
            .iter_mut()
            .find(|run| Some(&run.id) == event.run_id.as_ref())
        else {
            return RunChange::None;
        };
        change(run);
        RunChange::Changed(run.id.clone())
    }

    fn settle_run(&mut self, event: &Event, change: impl FnOnce(&mut Run)) -> RunChange {
        let Some(position) = self
            .unfinished
            .iter()
            .position(|run| Some(&run.id) == event.run_id.as_ref())
        else {
            return RunChange::None;
        };
        let Some(mut run) = self.unfinished.remove(position) else {
            return RunChange::None;
        };
        run.settled_at = Some(event.created_at);
        run.deadline_at = None;
        change(&mut run);
        RunChange::Settled(Box::new(run))
    }
}
