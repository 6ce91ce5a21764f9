//! How each event changes the state. Nothing else changes it (SES-5).

mod runs;
mod threads;
mod waits;

use super::assignment::Resolution;
use super::event::{Event, EventData};
use super::fork;
use super::payload::{Block, Decision, RequeueReason, Subject};
use super::run::{Call, RunOutcome};
use super::session::{Input, Session};
use super::status::{RunStatus, ThreadStatus};
use super::thread::Thread;
use super::touched::Touched;
use super::wait::ApprovalStatus;

/// A-PIN: after this many milliseconds no challenge can be used any more, so that it was used need not be remembered.
const CHALLENGE_LIFE: i64 = 10 * 60 * 1000;

impl Session {
    /// Takes one event of the log into the state.
    pub(crate) fn apply(&mut self, event: &Event, touched: &mut Touched) {
        let before = self.head.updated_at;
        self.head.last_seq = event.seq;
        self.head.updated_at = event.created_at;
        if let Some(status) = event.data.session_status() {
            self.head.status = status;
        }
        if event.data.is_action() {
            self.change_run(event, touched, |run| run.position += 1);
        }
        match &event.data {
            EventData::UserMessage(message) => {
                self.latest_input = Some(Input {
                    event: event.id.clone(),
                    content: message.content.clone(),
                    outcome: None,
                });
                if let Some(decided) = &message.prompt_integrity {
                    self.used_challenges
                        .retain(|(_, used_at)| event.created_at.since(*used_at) <= CHALLENGE_LIFE);
                    self.used_challenges
                        .push((decided.challenge.clone(), event.created_at));
                }
            }
            EventData::ThreadMessageReceived(message) => {
                self.latest_input = Some(Input {
                    event: event.id.clone(),
                    content: message.content.clone(),
                    outcome: None,
                });
            }
            EventData::UserDefineOutcome(outcome) => {
                self.latest_input = Some(Input {
                    event: event.id.clone(),
                    content: vec![Block::text(outcome.description.clone())],
                    outcome: Some(RunOutcome {
                        id: outcome.outcome_id.clone(),
                        max_iterations: outcome.max_iterations,
                        iteration: 0,
                    }),
                });
            }
            EventData::UserToolConfirmation(answer) => self.confirm(event, answer, touched),
            EventData::UserCustomToolResult(answer) => {
                let resolution = Resolution::Result {
                    result: answer.result.clone(),
                    is_error: answer.is_error.unwrap_or(false),
                };
                self.answer(
                    event,
                    &Subject::Tool(answer.tool_use_id.clone()),
                    resolution,
                    touched,
                );
            }
            EventData::UserQuestionAnswer(answer) => {
                let resolution = Resolution::Answer {
                    answer: answer.answer.clone(),
                };
                self.answer(
                    event,
                    &Subject::Question(answer.question_id.clone()),
                    resolution,
                    touched,
                );
            }
            EventData::AgentToolUse(call) => self.note_call(event, call, touched),
            EventData::AgentQuestion(question) => self.change_run(event, touched, |run| {
                run.calls.push(Call {
                    subject: Subject::Question(question.question_id.clone()),
                    event_id: event.id.clone(),
                    name: String::new(),
                    input: serde_json::Value::Null,
                    custom: false,
                });
            }),
            EventData::RunCreated(created) => self.create_run(event, created, touched),
            EventData::StatusProvisioning(_) => self.claim(event, touched),
            EventData::StatusRunning(_) => self.change_run(event, touched, |run| {
                if run.status == RunStatus::Provisioning && !run.needs_start {
                    run.status = RunStatus::Running;
                }
            }),
            EventData::StatusReconciling(_) => {
                self.change_run(event, touched, |run| run.status = RunStatus::Reconciling);
            }
            EventData::StatusIdle(idle) => self.head.stop_reason = Some(idle.stop_reason.clone()),
            EventData::RunStarted(started) => self.start(event, started, touched),
            EventData::RunRequeued(requeued) => self.change_run(event, touched, |run| {
                run.status = RunStatus::Queued;
                run.attempt = requeued.attempt;
                run.needs_start = true;
                run.deadline_at = None;
                run.claimed_at = None;
                match requeued.reason {
                    RequeueReason::RunnerLost => {
                        run.lost_attempts += 1;
                        run.position += 1;
                    }
                    RequeueReason::StartupTimeout => run.startup_timeouts += 1,
                }
            }),
            EventData::RunWaiting(waiting) => self.open_wait(event, waiting, touched),
            EventData::RunResumed(resumed) => self.resume(event, resumed, touched),
            EventData::RunCompleted(completed) => self.settle(event, touched, |run| {
                run.status = RunStatus::Completed;
                run.usage = Some(completed.usage);
                run.cost = Some(completed.cost.clone());
            }),
            EventData::RunFailed(failed) => self.settle(event, touched, |run| {
                run.status = RunStatus::Failed;
                run.error = Some(failed.error.clone());
                run.usage = failed.usage;
                run.cost.clone_from(&failed.cost);
            }),
            EventData::RunCanceled(_) => {
                self.settle(event, touched, |run| run.status = RunStatus::Canceled);
            }
            EventData::ApprovalRequested(requested) => self.request_approval(event, requested, touched),
            EventData::ApprovalDecided(decided) => {
                self.change_approval(&decided.approval_id, touched, |approval| {
                    approval.status = match decided.decision {
                        Decision::Allow => ApprovalStatus::Allowed,
                        Decision::Deny => ApprovalStatus::Denied,
                    };
                    approval.decided_by = Some(decided.by.clone());
                    approval.decided_at = Some(event.created_at);
                })
            }
            EventData::ApprovalExpired(expired) => self.expire(&expired.approval_id, touched),
            EventData::EvaluationStarted(started) => self.change_run(event, touched, |run| {
                if let Some(outcome) = &mut run.outcome {
                    outcome.iteration = started.iteration;
                }
                run.calls.push(Call {
                    subject: Subject::Outcome(started.outcome_id.clone()),
                    event_id: event.id.clone(),
                    name: String::new(),
                    input: serde_json::Value::Null,
                    custom: false,
                });
            }),
            EventData::Evaluated(evaluated) => self.grade(event, evaluated, touched),
            EventData::SessionUsage(usage) => self.head.usage = Some(usage.usage),
            EventData::ThreadCreated(created) => {
                self.threads.push(Thread::new(
                    created.session_thread_id.clone(),
                    Some(created.parent_thread_id.clone()),
                    created.agent_name.clone(),
                    event.created_at,
                ));
                touched.threads.push(created.session_thread_id.clone());
            }
            EventData::ThreadRunning(_) => {
                self.change_thread(event, touched, |thread| thread.become_running(event.created_at));
                self.claim(event, touched);
            }
            EventData::ThreadIdle(idle) => self.change_thread(event, touched, |thread| {
                thread.come_to_rest(ThreadStatus::Idle, event.created_at);
                thread.stop_reason = Some(idle.stop_reason.r#type.clone());
            }),
            EventData::ThreadRescheduled(_) => self.change_thread(event, touched, |thread| {
                thread.come_to_rest(ThreadStatus::Rescheduling, event.created_at);
            }),
            EventData::ThreadTerminated(terminated) => self.change_thread(event, touched, |thread| {
                thread.come_to_rest(ThreadStatus::Terminated, event.created_at);
                match &terminated.error {
                    Some(error) => thread.error = Some(error.clone()),
                    // A-ARCH: an end without an error is an archive, also of a child that had ended by one.
                    None => thread.archived_at = Some(event.created_at),
                }
            }),
            EventData::SessionForked(_) => fork::begin(self, event, before, touched),
            EventData::UserInterrupt(_)
            | EventData::AgentMessage(_)
            | EventData::AgentThinking(_)
            | EventData::AgentToolResult(_)
            | EventData::ThreadMessageSent(_)
            | EventData::SessionError(_)
            | EventData::StatusPending(_)
            | EventData::StatusWaiting(_)
            | EventData::StatusPaused(_)
            | EventData::StatusCompleted(_)
            | EventData::StatusFailed(_)
            | EventData::StatusCanceled(_) => {}
        }
        self.follow_primary(event, touched);
    }
}
