//! The core against what the decisions promise, over random commands.

mod projections;

use std::sync::Arc;

use super::admission::{Admission, AgentSnapshot, Behaviour, ThreadAgent};
use super::assign::assignment;
use super::command::Command;
use super::decide::decide;
use super::event::{Event, EventData};
use super::id::{DeploymentId, Entropy, EventId, PrincipalId, RunId, SessionId, ThreadId, WorkspaceId};
use super::moment::Moment;
use super::payload::{Block, Cause, Cost, Usage, UserMessage};
use super::refusal::Refusal;
use super::session::Session;
use super::status::{RunStatus, SessionStatus};
use super::step::{Action, Step};
use super::touched::Touched;
use super::transition;

/// Counts instead of guessing.
struct Counter(u128);

impl Entropy for Counter {
    fn next(&mut self) -> [u8; 16] {
        self.0 += 1;
        self.0.to_be_bytes()
    }
}

/// A generator of small numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

struct History {
    session: Session,
    log: Vec<Event>,
    entropy: Counter,
    now: i64,
}

impl History {
    fn new() -> Self {
        let mut history = Self {
            session: Session::admitted(admission()),
            log: Vec::new(),
            entropy: Counter(0),
            now: 0,
        };
        history.carry_out(Command::Admit).unwrap();
        history
    }

    fn carry_out(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        self.now += 1;
        let now = Moment::from_milliseconds(self.now);
        match decide(&mut self.session, command, now, &mut self.entropy) {
            Ok(outcome) => {
                self.log.extend(outcome.events.iter().cloned());
                Ok(outcome.events)
            }
            Err(refused) => {
                assert!(
                    refused.untouched,
                    "refused after something was appended: {}",
                    refused.refusal
                );
                Err(refused.refusal)
            }
        }
    }

    fn active(&self) -> Option<RunId> {
        self.session.driven().next().map(|run| run.id.clone())
    }

    /// The step that the active Run needs next.
    fn next_step(&self) -> Option<Command> {
        let run = self.session.driven().next()?;
        let step = match run.status {
            RunStatus::Queued => Step::Claim,
            RunStatus::Provisioning => Step::Start,
            _ if assignment(&self.session, run).position < 2 => say(run.position),
            _ => finish(run.position),
        };
        Some(Command::Step {
            run: run.id.clone(),
            step,
        })
    }
}

/// SES-5, SES-8, RUN-3, A-TRANS, A-OVERLAP, A-END: 2,000 random histories. The state is the fold of the log; `seq` rises
/// by one; every status follows the table; a Run settles exactly once and in the order of the queue; the Session is idle
/// only when nothing is left; nothing follows a terminal status; a refusal changes nothing.
#[test]
fn random_histories_keep_every_promise() {
    let seed = std::env::var("CHECKFU_TEST_SEED").map_or(20_260_831, |seed| seed.parse().unwrap());
    println!("CHECKFU_TEST_SEED={seed}");
    for round in 0..2_000 {
        let mut random = Random(seed + round);
        let mut history = History::new();
        for _ in 0..random.below(60) {
            let before = (history.session.clone(), history.log.len());
            let command = random_command(&mut random, &history);
            if history.carry_out(command).is_err() {
                assert_eq!((&history.session, history.log.len()), (&before.0, before.1));
            }
            check(&history);
        }
    }
}

fn random_command(random: &mut Random, history: &History) -> Command {
    match random.below(40) {
        0 => Command::Complete,
        1 => Command::Cancel,
        2..12 => message(),
        // Steps that do not fit: of another Run, or of another point of this one.
        12 => Command::Step {
            run: RunId::from_number(u128::MAX),
            step: Step::Claim,
        },
        13..16 => {
            let run = history
                .session
                .unfinished
                .iter()
                .next_back()
                .map(|run| run.id.clone());
            let step = [Step::Claim, Step::Start, say(1), finish(2)][random.below(4) as usize].clone();
            Command::Step {
                run: run.unwrap_or_else(|| RunId::from_number(7)),
                step,
            }
        }
        _ => history.next_step().unwrap_or(message()),
    }
}

fn check(history: &History) {
    let mut fold = Session::admitted(admission());
    let mut status: Option<SessionStatus> = None;
    let mut created: Vec<RunId> = Vec::new();
    let mut settled: Vec<RunId> = Vec::new();
    for (index, event) in history.log.iter().enumerate() {
        assert_eq!(event.seq, index as u64 + 1);
        assert!(
            !status.is_some_and(SessionStatus::is_terminal),
            "{event:?} after a terminal status"
        );
        let run = || event.run_id.clone().unwrap();
        match &event.data {
            EventData::RunCreated(_) => created.push(run()),
            EventData::RunCompleted(_) | EventData::RunCanceled(_) => settled.push(run()),
            EventData::StatusIdle(_) => assert_eq!(created, settled, "idle while a Run is unfinished"),
            _ => {}
        }
        if let Some(to) = event.data.session_status() {
            let unfinished = created.len() > settled.len();
            assert!(
                status.is_none_or(|from| transition::is_legal(from, to, unfinished)),
                "{status:?} to {to:?}"
            );
            status = Some(to);
        }
        fold.apply(event, &mut Touched::default());
    }
    assert_eq!(
        settled,
        created[..settled.len()],
        "Runs settle once, in the order of the queue"
    );
    assert_eq!(fold, history.session, "the state is the fold of the log");
    assert_eq!(
        history.session.unfinished.iter().count(),
        created.len() - settled.len()
    );
}

/// A-TURN: an agent that is cut off after any commit and goes on from the folded log writes what one that was never cut
/// off writes.
#[test]
fn a_turn_goes_on_from_every_commit() {
    let finish = |mut history: History| {
        while let Some(step) = history.next_step() {
            history.carry_out(step).unwrap();
        }
        history
            .log
            .iter()
            .map(|event| event.data.type_name())
            .collect::<Vec<_>>()
    };
    let mut history = History::new();
    history.carry_out(message()).unwrap();
    history.carry_out(message()).unwrap();
    let mut finished = Vec::new();
    loop {
        let mut session = Session::admitted(admission());
        history
            .log
            .iter()
            .for_each(|event| session.apply(event, &mut Touched::default()));
        finished.push(finish(History {
            session,
            log: history.log.clone(),
            entropy: Counter(1000),
            now: history.now,
        }));
        let Some(step) = history.next_step() else { break };
        history.carry_out(step).unwrap();
    }
    assert_eq!(finished.len(), 2 * 5 + 1);
    assert!(
        finished.iter().all(|types| *types == finished[0]),
        "{finished:#?}"
    );
    assert_eq!(finished[0].last(), Some(&"session.status_idle"));
}

/// A-TRANS, A-END: what a terminal Session answers, and that a step of a canceled Run is refused.
#[test]
fn nothing_moves_a_terminal_session() {
    let mut history = History::new();
    history.carry_out(message()).unwrap();
    let run = history.active().unwrap();
    history
        .carry_out(Command::Step {
            run: run.clone(),
            step: Step::Claim,
        })
        .unwrap();
    history.carry_out(Command::Cancel).unwrap();
    let from = SessionStatus::Canceled;
    let invalid = |to| Err(Refusal::InvalidTransition { from, to });
    assert_eq!(history.carry_out(message()), invalid(SessionStatus::Pending));
    assert_eq!(
        history.carry_out(Command::Complete),
        invalid(SessionStatus::Completed)
    );
    assert_eq!(
        history.carry_out(Command::Cancel),
        invalid(SessionStatus::Canceled)
    );
    assert_eq!(
        history.carry_out(Command::Step {
            run,
            step: Step::Start
        }),
        Err(Refusal::StaleStep)
    );
}

fn admission() -> Arc<Admission> {
    Arc::new(Admission {
        id: SessionId::from_number(1),
        workspace_id: WorkspaceId::from_number(1),
        principal_id: PrincipalId::from_number(1),
        agent_deployment_id: DeploymentId::from_number(1),
        agent_deployment_revision_number: 1,
        agent: AgentSnapshot {
            release: serde_json::Map::new(),
            harness_profile: serde_json::Map::new(),
            model_routing: serde_json::Map::new(),
            sandbox_profile: serde_json::Map::new(),
            skills: Vec::new(),
        },
        max_duration_seconds: 60,
        behaviour: Behaviour::default(),
        agent_name: "plain".to_owned(),
        thread_agent: ThreadAgent {
            id: "agnt_1".to_owned(),
            workspace_id: WorkspaceId::from_number(1),
            version: 1,
            source_draft_revision: 1,
            draft: serde_json::Map::new(),
        },
        roster: std::collections::BTreeMap::new(),
        forked_from: None,
        primary_thread_id: ThreadId::from_number(1),
        title: None,
        metadata: std::collections::BTreeMap::new(),
        created_at: Moment::from_milliseconds(0),
    })
}

fn message() -> Command {
    let message = UserMessage {
        content: text(),
        prompt_integrity: None,
        authored_by: PrincipalId::from_number(2),
        caused_by: Cause {
            kind: "api".to_owned(),
            event_id: None,
            watch_id: None,
        },
    };
    Command::Message { message, check: None }
}

fn text() -> Vec<Block> {
    vec![Block::text("hello")]
}

fn say(position: u32) -> Step {
    Step::Act {
        position,
        action: Action::Say {
            event_id: EventId::from_number(u128::from(position) << 64),
            content: text(),
        },
    }
}

fn finish(position: u32) -> Step {
    let cost = Cost {
        amount: "0".to_owned(),
        currency: "USD".to_owned(),
    };
    Step::Act {
        position,
        action: Action::Complete {
            usage: Usage {
                input_tokens: 1,
                ..Usage::default()
            },
            cost,
            stop_reason: "end_turn",
        },
    }
}
