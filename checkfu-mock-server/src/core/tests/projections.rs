//! What the state shows of approvals and threads where nothing in the log says it outright.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{Counter, admission, finish, message, text};
use crate::core::admission::{Admission, Behaviour, Overlap};
use crate::core::batch::Outcome;
use crate::core::command::{Command, Response};
use crate::core::decide::decide;
use crate::core::event::{Event, EventData};
use crate::core::id::{PrincipalId, RunId, ThreadId, ToolUseId};
use crate::core::moment::Moment;
use crate::core::payload::{Cause, Decision, SessionForked, ToolKind, UserInterrupt, UserToolConfirmation};
use crate::core::session::Session;
use crate::core::status::ThreadStatus;
use crate::core::step::{Action, Step, ToolCall};
use crate::core::touched::Touched;
use crate::core::wait::{Approval, ApprovalStatus};

/// A Session whose clock stands where each command is given.
struct Stage {
    session: Session,
    log: Vec<Event>,
    entropy: Counter,
}

impl Stage {
    fn new(overlap: Overlap) -> Self {
        let plain = (*admission()).clone();
        let admission = Arc::new(Admission {
            roster: [("child".to_owned(), plain.thread_agent.clone())].into(),
            behaviour: Behaviour {
                overlap,
                ..plain.behaviour
            },
            ..plain
        });
        let mut stage = Self {
            session: Session::admitted(admission),
            log: Vec::new(),
            entropy: Counter(0),
        };
        stage.at(0, Command::Admit);
        stage
    }

    /// Of the first `length` events, as the fork that is made at a time.
    fn forked(&self, length: usize, at: i64) -> (Self, Outcome) {
        let mut fork = Self {
            session: Session::admitted(Arc::clone(&self.session.admission)),
            log: self.log[..length].to_vec(),
            entropy: Counter(1_000),
        };
        for event in &fork.log {
            fork.session.apply(event, &mut Touched::default());
        }
        let left = &self.log[length - 1];
        let outcome = fork.at(
            at,
            Command::BeginFork(SessionForked {
                source_session_id: left.session_id.clone(),
                source_event_id: left.id.clone(),
                source_seq: left.seq,
            }),
        );
        (fork, outcome)
    }

    fn at(&mut self, milliseconds: i64, command: Command) -> Outcome {
        let now = Moment::from_milliseconds(milliseconds);
        let outcome = decide(&mut self.session, command, now, &mut self.entropy).unwrap();
        self.log.extend(outcome.events.iter().cloned());
        outcome
    }

    /// The Run that was created last.
    fn newest(&self) -> RunId {
        self.session.unfinished.iter().next_back().unwrap().id.clone()
    }

    fn step(&mut self, at: i64, run: &RunId, step: Step) -> Outcome {
        let run = run.clone();
        self.at(at, Command::Step { run, step })
    }

    /// Lets a Run act at its current position.
    fn act(&mut self, at: i64, run: &RunId, action: Action) -> Outcome {
        let position = self.session.run(run).unwrap().position;
        self.step(at, run, Step::Act { position, action })
    }

    /// A message at a time, and its Run a second later.
    fn running(&mut self, at: i64) -> RunId {
        self.at(at, message());
        let run = self.newest();
        self.step(at, &run, Step::Claim);
        self.step(at + 1_000, &run, Step::Start);
        run
    }

    fn approval(&self) -> &Approval {
        self.session.waits.all()[0].approval.as_ref().unwrap()
    }
}

/// WAIT-1, A-GEN: `decided_at` is when somebody decided. Nobody decides a request that expires, or whose turn is
/// interrupted.
#[test]
fn what_nobody_decided_has_no_time_of_a_decision() {
    for (command, status) in [
        (Command::Tick, ApprovalStatus::Expired),
        (interrupt(), ApprovalStatus::Canceled),
    ] {
        let mut stage = Stage::new(Overlap::Queue);
        let run = stage.running(1_000);
        stage.act(3_000, &run, governed());
        assert_eq!(stage.approval().status, ApprovalStatus::Pending);
        let outcome = stage.at(10_000, command);
        let approval = stage.approval();
        assert_eq!(
            (approval.status, &approval.decided_by, approval.decided_at),
            (status, &None, None)
        );
        assert_eq!(outcome.approvals, stage.session.waits.all());
    }
}

/// A-FORK: no wait is carried over, so no request is pending in a fork, also where the prefix ends between an answer and
/// the decision that it brought.
#[test]
fn nothing_is_pending_in_a_fork() {
    let mut stage = Stage::new(Overlap::Queue);
    let run = stage.running(1_000);
    stage.act(3_000, &run, governed());
    stage.at(4_000, denial());
    let answered = 1 + stage
        .log
        .iter()
        .position(|event| matches!(event.data, EventData::UserToolConfirmation(_)))
        .unwrap();
    assert!(matches!(stage.log[answered].data, EventData::ApprovalDecided(_)));
    for length in [answered - 1, answered, answered + 1] {
        let (fork, outcome) = stage.forked(length, 9_000);
        let approval = fork.approval();
        let decided = length > answered;
        let expected = if decided {
            (
                ApprovalStatus::Denied,
                Some("no"),
                Some(Moment::from_milliseconds(4_000)),
            )
        } else {
            (ApprovalStatus::Canceled, None, None)
        };
        let got = (
            approval.status,
            approval.deny_message.as_deref(),
            approval.decided_at,
        );
        assert_eq!(got, expected, "after {length} events");
        assert_eq!(outcome.approvals, fork.session.waits.all());
    }
}

/// THR-13, A-FORK: what ran at the last event that was copied did not run until the fork was made.
#[test]
fn the_running_time_of_a_fork_ends_with_its_prefix() {
    let mut stage = Stage::new(Overlap::Queue);
    let run = stage.running(1_000);
    stage.act(5_000, &run, use_result());
    let (fork, _) = stage.forked(stage.log.len(), 3_600_000);
    let primary = &fork.session.threads[0];
    assert_eq!(primary.status, ThreadStatus::Idle);
    assert_eq!(
        (primary.timing.active, primary.timing.running_since),
        (4_000, None)
    );
    assert_eq!(primary.updated_at, Moment::from_milliseconds(3_600_000));
}

/// A-OVERLAP, A-VIEW: where Runs overlap, the Session may be idle while the primary thread runs: then the thread has no
/// reason for a rest.
#[test]
fn a_thread_that_runs_has_no_reason_for_its_rest() {
    let mut stage = Stage::new(Overlap::Parallel);
    let first = stage.running(1_000);
    let second = stage.running(3_000);
    let outcome = stage.step(5_000, &first, finish(0));
    assert!(matches!(
        outcome.events.last().unwrap().data,
        EventData::StatusIdle(_)
    ));
    let primary = &stage.session.threads[0];
    assert_eq!(
        (primary.status, &primary.stop_reason),
        (ThreadStatus::Running, &None)
    );
    stage.step(6_000, &second, finish(0));
    let primary = &stage.session.threads[0];
    assert_eq!(
        (primary.status, primary.stop_reason.as_deref()),
        (ThreadStatus::Idle, Some("end_turn"))
    );
}

/// THR-10, THR-13: a thread whose usage rose was updated then, also if it goes on with its next Run at once.
#[test]
fn what_a_run_spent_updates_its_thread() {
    let mut stage = Stage::new(Overlap::Queue);
    let run = stage.running(1_000);
    let child = ThreadId::from_number(2);
    let spawn = Action::Spawn {
        thread_id: child.clone(),
        agent_name: "child".to_owned(),
        content: text(),
    };
    stage.act(3_000, &run, spawn);
    let first = stage.newest();
    let send = Action::Send {
        to: child,
        content: text(),
    };
    stage.act(4_000, &run, send);
    stage.step(5_000, &first, Step::Claim);
    stage.step(6_000, &first, Step::Start);
    let outcome = stage.step(7_000, &first, finish(0));
    let (place, thread) = &outcome.threads[0];
    assert_eq!((*place, thread.status), (1, ThreadStatus::Running));
    assert_eq!(thread.usage.map(|usage| usage.input_tokens), Some(1));
    assert_eq!(thread.updated_at, Moment::from_milliseconds(7_000));
}

fn governed() -> Action {
    Action::Block(vec![ToolCall {
        tool_use_id: ToolUseId::new("a"),
        name: "publish".to_owned(),
        input: json!({}),
        kind: ToolKind::Builtin,
        asks: true,
        expires_after: Some(Duration::from_secs(5)),
        mcp_server_name: None,
    }])
}

fn use_result() -> Action {
    Action::ToolResult {
        tool_use_id: ToolUseId::new("b"),
        content: text(),
        is_error: false,
    }
}

fn denial() -> Command {
    Command::Respond(Response::Confirmation {
        confirmation: UserToolConfirmation {
            tool_use_id: ToolUseId::new("a"),
            result: Decision::Deny,
            deny_message: Some("no".to_owned()),
            session_thread_id: None,
            wait_generation: None,
            authored_by: PrincipalId::from_number(2),
            caused_by: cause(),
        },
        authorized: true,
    })
}

fn interrupt() -> Command {
    Command::Interrupt(UserInterrupt {
        session_thread_id: None,
        authored_by: PrincipalId::from_number(2),
        caused_by: cause(),
    })
}

fn cause() -> Cause {
    Cause {
        kind: "api".to_owned(),
        event_id: None,
        watch_id: None,
    }
}
