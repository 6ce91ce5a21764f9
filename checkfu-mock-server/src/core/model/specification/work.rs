//! A Runner's steps (RUN-1, A-TURN, A-PARK, MUL-1, A-OUT).

use super::waiting::Opening;
use super::{Model, STARTUP};
use crate::core::model::moves::{Act, Call, Spent, Subject, Work};
use crate::core::model::state::{Thread, WaitKind, WaitState};
use crate::core::payload::{OutcomeResult, ToolKind};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    pub(super) fn step(&mut self, run: usize, work: &Work) -> Result<(), String> {
        let stale = || Err("stale step".to_owned());
        if run >= self.runs.len() || !self.active(self.runs[run].thread).contains(&run) {
            return stale();
        }
        match (work, self.runs[run].status) {
            (Work::Claim, RunStatus::Queued) => self.claim(run),
            (Work::Start, RunStatus::Provisioning) => self.start(run),
            (Work::Act { position, act }, status) => {
                let fits = match act {
                    Act::Grade(_) => self.open_of(run).any(|wait| wait.kind == WaitKind::Outcome),
                    Act::Complete(..) | Act::Fail { .. } | Act::Trouble => {
                        matches!(status, RunStatus::Running | RunStatus::Reconciling)
                    }
                    _ => status == RunStatus::Running,
                };
                if !fits || *position != self.runs[run].position {
                    return stale();
                }
                self.act(run, act);
            }
            _ => return stale(),
        }
        Ok(())
    }

    fn claim(&mut self, run: usize) {
        let thread = self.runs[run].thread;
        let state = &mut self.runs[run];
        state.status = RunStatus::Provisioning;
        state.claimed = Some(self.now);
        state.deadline = Some(self.now + STARTUP + self.max_duration);
        if thread == 0 {
            self.become_status(SessionStatus::Provisioning, Some(run), "");
        } else {
            self.threads[thread].status = ThreadStatus::Running;
            self.of_run("session.thread_status_running", run, &format!("t{thread}"));
        }
    }

    fn start(&mut self, run: usize) {
        let thread = self.runs[run].thread;
        let state = &mut self.runs[run];
        state.status = RunStatus::Running;
        if state.fresh {
            state.fresh = false;
            state.attempt += 1;
            let members = format!("attempt={} deadline={}", state.attempt, state.deadline.unwrap());
            let seq = self.of_run("run.started", run, &members);
            let took = self.now - self.runs[run].claimed.unwrap();
            self.threads[thread].startup.get_or_insert((seq, took));
            if thread == 0 {
                // A-HEAD names the start and the resumption; the readiness after a Question is neither.
                self.stop_reason = None;
            }
        }
        if thread == 0 {
            self.become_status(SessionStatus::Running, Some(run), "");
        }
    }

    fn act(&mut self, run: usize, act: &Act) {
        let thread = self.runs[run].thread;
        self.runs[run].position += weight(act);
        match act {
            Act::Think => {
                self.of_run("agent.thinking", run, "");
            }
            Act::Say => {
                self.of_run("agent.message", run, "");
            }
            Act::UseTool(tool) => {
                self.of_run("agent.tool_use", run, tool);
            }
            Act::ToolResult(tool) => {
                self.of_run("agent.tool_result", run, tool);
            }
            Act::Block(calls) => self.block(run, calls),
            Act::Ask(number) => {
                let blocker = self.of_run("agent.question", run, &format!("q{number}"));
                self.open(Opening {
                    run,
                    subject: Subject::Question(*number),
                    kind: WaitKind::Question,
                    blocker,
                    custom: false,
                    expires: None,
                    requested: None,
                });
                self.parked(run);
            }
            Act::AwaitGrader => self.await_grader(run),
            Act::Grade(result) => self.grade(run, *result),
            Act::Spawn => self.spawn(run),
            Act::Send(to) => self.tell(run, *to),
            Act::Report => {
                self.of_run("agent.thread_message_sent", run, "to=t0");
                let created = self.runs.len();
                let seq = self.write(
                    "agent.thread_message_received",
                    Some(thread),
                    Some(created),
                    &format!("from=t{thread}"),
                );
                self.create_primary_run("ChildReport", seq, None);
            }
            Act::Trouble => {
                self.of_run("session.error", run, "");
            }
            Act::LoseRunner => {
                self.runs[run].lost += 1;
                let exhausted = self.runs[run].lost > self.behaviour.max_retries;
                self.retry(
                    run,
                    "RunnerLost",
                    exhausted.then_some("runtime.retries_exhausted"),
                );
            }
            Act::Reconcile => {
                self.runs[run].status = RunStatus::Reconciling;
                self.become_status(SessionStatus::Reconciling, Some(run), "");
            }
            Act::Complete(stop_reason, spent) => {
                self.spend("run.completed", run, None, *spent);
                self.settle(run, RunStatus::Completed, stop_reason);
            }
            Act::Fail { terminates, spent } => self.fail(run, *terminates, *spent),
        }
    }

    fn block(&mut self, run: usize, calls: &[Call]) {
        let thread = self.runs[run].thread;
        for call in calls {
            let blocker = self.of_run("agent.tool_use", run, call.tool);
            self.views.last_mut().unwrap().session = true;
            let expires = call
                .expires_after
                .filter(|_| call.asks)
                .map(|seconds| self.now + i64::from(seconds) * 1000);
            let members = format!("t{thread} {} expires={expires:?}", call.tool);
            let requested = call
                .asks
                .then(|| self.of_run("action_approval.requested", run, &members));
            self.open(Opening {
                run,
                subject: Subject::Tool(call.tool),
                kind: if call.asks {
                    WaitKind::Approval
                } else {
                    WaitKind::Custom
                },
                blocker,
                custom: call.kind == ToolKind::Custom,
                expires,
                requested,
            });
        }
        self.parked(run);
    }

    fn await_grader(&mut self, run: usize) {
        let outcome = self.runs[run].outcome.as_mut().unwrap();
        outcome.iteration += 1;
        outcome.evaluated = false;
        let (number, iteration) = (outcome.number, outcome.iteration);
        let blocker = self.of_run(
            "outcome.evaluation_started",
            run,
            &format!("o{number} iteration={iteration}"),
        );
        self.open(Opening {
            run,
            subject: Subject::Outcome(number),
            kind: WaitKind::Outcome,
            blocker,
            custom: false,
            expires: None,
            requested: None,
        });
        self.parked(run);
    }

    fn grade(&mut self, run: usize, result: OutcomeResult) {
        let outcome = self.runs[run].outcome.as_mut().unwrap();
        let out_of_tries =
            result == OutcomeResult::NeedsRevision && outcome.iteration >= outcome.max_iterations;
        let result = if out_of_tries {
            OutcomeResult::MaxIterationsReached
        } else {
            result
        };
        outcome.evaluated = result != OutcomeResult::NeedsRevision;
        let outcome = outcome.clone();
        self.of_run(
            "outcome.evaluated",
            run,
            &format!("o{} iteration={} {result:?}", outcome.number, outcome.iteration),
        );
        let wait = self
            .waits
            .iter()
            .rposition(|wait| wait.run == run && wait.kind == WaitKind::Outcome)
            .unwrap();
        self.waits[wait].state = WaitState::Closed;
        self.resolved(wait);
    }

    fn spawn(&mut self, run: usize) {
        let place = self.threads.len();
        let seq = self.write(
            "session.thread_created",
            Some(place),
            Some(run),
            &format!("t{place} parent=t0"),
        );
        self.threads.push(Thread::new(seq, self.now));
        self.tell(run, place);
    }

    /// MUL-1: a message to a child gets its own Run there; the sender goes on at once.
    fn tell(&mut self, run: usize, to: usize) {
        let from = self.runs[run].thread;
        // A-VIEW: thread messages stand in both views; their thread is the child's.
        self.write(
            "agent.thread_message_sent",
            Some(to),
            Some(run),
            &format!("to=t{to}"),
        );
        let created = self.runs.len();
        let seq = self.write(
            "agent.thread_message_received",
            Some(to),
            Some(created),
            &format!("from=t{from}"),
        );
        self.create_run(to, "Message", seq, None);
    }

    fn fail(&mut self, run: usize, terminates: bool, spent: Spent) {
        let thread = self.runs[run].thread;
        self.spend("run.failed", run, Some("agent.failed"), spent);
        if !terminates {
            self.settle(run, RunStatus::Failed, "run_failed");
        } else if thread == 0 {
            self.runs[run].status = RunStatus::Failed;
            self.wind_up("SessionFailed");
            self.become_status(SessionStatus::Failed, None, "agent.failed");
        } else {
            self.runs[run].status = RunStatus::Failed;
            // What was queued for it fails with it; the decisions are silent.
            for queued in self.unfinished(thread).collect::<Vec<_>>() {
                self.runs[queued].status = RunStatus::Failed;
                self.fail_unpaid(queued, "agent.failed");
            }
            self.terminate(thread, Some(run), true);
        }
    }
}

/// How far an action moves the Run.
fn weight(act: &Act) -> u32 {
    match act {
        Act::Block(calls) => u32::try_from(calls.len()).unwrap(),
        Act::Spawn => 2,
        Act::Complete(..) | Act::Fail { .. } => 0,
        _ => 1,
    }
}
