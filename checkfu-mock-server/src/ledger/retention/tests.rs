//! The fold over what is left of a log against the fold of the whole of it, over random logs of the built-in Agents.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;

use super::{erase, trim};
use crate::agent;
use crate::agent::next::Next;
use crate::catalog::Catalog;
use crate::core::admission::Admission;
use crate::core::assign::assignment;
use crate::core::command::{Command, Response};
use crate::core::cursor::Retained;
use crate::core::event::Event;
use crate::core::id::{PrincipalId, SessionId, ThreadId, WorkspaceId};
use crate::core::moment::Moment;
use crate::core::payload::{
    Block, Cause, Decision, UserCustomToolResult, UserInterrupt, UserMessage, UserQuestionAnswer,
    UserToolConfirmation, Wait,
};
use crate::core::session::Session;
use crate::core::touched::Touched;
use crate::core::wait::WaitRecord;
use crate::deployment::Deployment;
use crate::ledger::append::append;
use crate::ledger::entropy::SystemEntropy;
use crate::ledger::folds::{Folds, fold_to};
use crate::ledger::fork::{ForkPoint, fork};
use crate::ledger::handle::{LogEnd, SessionHandle};
use crate::ledger::mutation::{Effect, Mutation};
use crate::storage::writer::Mirror;
use crate::storage::{events, schema, sessions};

/// A-GAP, A-SEQ, SES-5: random inputs to every built-in Agent, with events trimmed and erased at random in between. Every
/// state that can be asked for is the fold of the whole log up to there; the log's end never goes back; a fork begins
/// with the state that its source had, and its own fold is what it began with (A-FORK).
#[test]
fn the_fold_over_what_is_left_is_the_fold_of_the_whole_log() {
    let seed = std::env::var("CHECKFU_TEST_SEED").map_or(20_260_831, |seed| seed.parse().unwrap());
    println!("CHECKFU_TEST_SEED={seed}");
    let shared = Arc::new(Mutex::new(Connection::open_in_memory().unwrap()));
    schema::prepare(&mut shared.lock().unwrap(), ":memory:".as_ref()).unwrap();
    let catalog = Catalog::open(&shared, &WorkspaceId::from_number(1), &[]).unwrap();
    let connection = shared.lock().unwrap();
    let mut forks = 0;
    let mut holes = 0;
    for round in 0..2 {
        for (number, deployment) in catalog.deployments().into_iter().enumerate() {
            let mut random = Random(seed + round * 1000 + number as u64);
            let mut history = History::begin(&connection, &catalog, &deployment);
            for _ in 0..50 {
                match random.below(12) {
                    0 => holes += history.remove(&mut random),
                    1 if history.try_fork(&mut random) => forks += 1,
                    2 => history.begin_again(),
                    _ => history.go_on(&mut random),
                }
                history.check(&mut random);
            }
        }
    }
    assert!(forks > 25 && holes > 250, "{forks} forks, {holes} events removed");
}

struct History<'a> {
    connection: &'a Connection,
    catalog: &'a Catalog,
    folds: Folds,
    handle: Arc<SessionHandle>,
    admission: Arc<Admission>,
    /// Every event that there ever was.
    whole: Vec<Event>,
    now: i64,
}

impl<'a> History<'a> {
    fn begin(connection: &'a Connection, catalog: &'a Catalog, deployment: &Deployment) -> Self {
        let admission = admission(deployment);
        let (id, workspace) = (admission.id.clone(), admission.workspace_id.clone());
        let mut folds = Folds::default();
        let create = Mutation {
            record: None,
            effect: Effect::Create(Box::new(admission)),
        };
        create
            .carry_out(connection, &mut folds, Moment::from_milliseconds(1))
            .unwrap();
        let stored = sessions::find(connection, &workspace, &id).unwrap().unwrap();
        let end = LogEnd {
            retained: Retained {
                first_seq: 1,
                last_seq: 1,
            },
            terminal: false,
        };
        let mut history = Self {
            connection,
            catalog,
            folds,
            handle: Arc::new(SessionHandle::new(stored.row, id, workspace, end)),
            admission: Arc::new(stored.admission),
            whole: Vec::new(),
            now: 1,
        };
        history.take_new();
        history
    }

    fn state(&mut self) -> &Session {
        self.folds.load(self.connection, self.handle.row).unwrap()
    }

    /// The state after so many events of the whole log.
    fn expected(&self, seq: u64, first_seq: u64) -> Session {
        let mut session = Session::admitted(Arc::clone(&self.admission));
        for event in self.whole.iter().take_while(|event| event.seq <= seq) {
            session.apply(event, &mut Touched::default());
        }
        session.head.first_seq = first_seq;
        session
    }

    fn carry_out(&mut self, command: Command) {
        let now = Moment::from_milliseconds(self.now);
        let handle = Arc::clone(&self.handle);
        // A refusal is as good as any answer here.
        let _ = append(self.connection, &mut self.folds, now, handle, command).unwrap();
        self.take_new();
    }

    fn take_new(&mut self) {
        let after = self.whole.last().map_or(0, |event| event.seq);
        let whole = &mut self.whole;
        events::replay(self.connection, self.handle.row, after, u64::MAX, |event| {
            whole.push(event.clone());
        })
        .unwrap();
    }

    /// The next step of an Agent, or something that somebody writes.
    fn go_on(&mut self, random: &mut Random) {
        self.now += random.below(50).cast_signed();
        if random.below(4) > 0
            && let Some(command) = self.step()
        {
            return self.carry_out(command);
        }
        let pending: Vec<WaitRecord> = self.state().pending_actions().cloned().collect();
        let author = PrincipalId::from_number(1);
        let command = match (random.below(8), pending.first()) {
            (0, _) => Command::Interrupt(UserInterrupt {
                session_thread_id: None,
                authored_by: author,
                caused_by: cause(),
            }),
            (1, _) => {
                self.now += 120_000;
                Command::Tick
            }
            (2..=5, Some(record)) => match answer(record, author, random) {
                Some(response) => Command::Respond(response),
                None => Command::Tick,
            },
            _ => Command::Message {
                message: UserMessage {
                    content: vec![Block::text("checkfu")],
                    prompt_integrity: None,
                    authored_by: author,
                    caused_by: cause(),
                },
                check: None,
            },
        };
        self.carry_out(command);
    }

    fn step(&mut self) -> Option<Command> {
        let catalog = self.catalog;
        let session = self.state();
        let run = session.driven().next()?;
        let assigned = assignment(session, run);
        let scenario = catalog.scenario(&assigned.deployment, assigned.revision)?;
        match agent::next(&scenario, &run.id, &assigned, &mut SystemEntropy) {
            Next::Step(planned) => Some(Command::Step {
                run: run.id.clone(),
                step: planned.step,
            }),
            Next::Nothing | Next::NeverReady => None,
        }
    }

    /// Takes random events out; gives how many.
    fn remove(&mut self, random: &mut Random) -> usize {
        let head = self.state().head.clone();
        let row = self.handle.row;
        let (removed, end) = if random.below(3) == 0 {
            let before = head.first_seq + random.below(8);
            let trimmed = trim(self.connection, &mut self.folds, row, before).unwrap();
            (trimmed.removed, trimmed.end)
        } else {
            let from = random.below(head.last_seq + 1);
            let seqs: BTreeSet<u64> = (0..random.below(6))
                .map(|_| (from + random.below(7)).min(head.last_seq + 1))
                .collect();
            let erased = erase(self.connection, &mut self.folds, row, &seqs).unwrap();
            assert!(erased.seqs.iter().all(|seq| seqs.contains(seq)));
            (erased.seqs.len(), erased.end)
        };
        assert_eq!(end.retained.last_seq, head.last_seq);
        removed
    }

    /// A restart: what was in memory is gone.
    fn begin_again(&mut self) {
        self.folds.forget();
    }

    /// Forks at a random event, if it is retained; the fork stands on its own.
    fn try_fork(&mut self, random: &mut Random) -> bool {
        let head = self.state().head.clone();
        let seq = 1 + random.below(head.last_seq);
        let point = if seq == head.last_seq {
            ForkPoint::Head
        } else {
            ForkPoint::Seq(seq)
        };
        let now = Moment::from_milliseconds(self.now);
        let made = fork(self.connection, &mut self.folds, now, &self.handle, &point).unwrap();
        let Ok(reply) = made else {
            assert!(!events::is_retained(self.connection, self.handle.row, seq).unwrap());
            return false;
        };
        let made: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        let id = SessionId::parse(made["id"].as_str().unwrap()).unwrap();
        let stored = sessions::find(self.connection, &self.handle.workspace, &id).unwrap();
        let row = stored.unwrap().row;
        let live = self.folds.load(self.connection, row).unwrap().clone();
        assert_eq!(live, fold_to(self.connection, row, u64::MAX).unwrap());
        assert!(live.unfinished.is_empty() && live.waits.open().next().is_none());
        let prefix = fold_to(self.connection, row, seq).unwrap();
        let mut expected = self.expected(seq, head.first_seq);
        expected.admission = Arc::clone(&prefix.admission);
        assert_eq!(prefix, expected, "what was copied");
        true
    }

    fn check(&mut self, random: &mut Random) {
        let (connection, row) = (self.connection, self.handle.row);
        let head = self.state().head.clone();
        let expected = self.expected(u64::MAX, head.first_seq);
        assert_eq!(*self.state(), expected);
        assert_eq!(fold_to(connection, row, u64::MAX).unwrap(), expected);
        let stored = sessions::at(connection, row).unwrap().unwrap();
        assert_eq!(stored.head, expected.head, "the Session resource");
        let seq = 1 + random.below(head.last_seq);
        if events::is_retained(connection, row, seq).unwrap() {
            let then = fold_to(connection, row, seq).unwrap();
            assert_eq!(then, self.expected(seq, head.first_seq), "at {seq}");
        }
    }
}

fn answer(record: &WaitRecord, author: PrincipalId, random: &mut Random) -> Option<Response> {
    let session_thread_id = Some(record.thread.clone());
    Some(match record.wait.clone() {
        Wait::ActionApproval { tool_use_id, .. } => Response::Confirmation {
            confirmation: UserToolConfirmation {
                tool_use_id,
                result: if random.below(2) == 0 {
                    Decision::Allow
                } else {
                    Decision::Deny
                },
                deny_message: None,
                session_thread_id,
                wait_generation: None,
                authored_by: author,
                caused_by: cause(),
            },
            authorized: true,
        },
        Wait::CustomTool { tool_use_id, .. } => Response::Result(UserCustomToolResult {
            tool_use_id,
            result: json!({"status": "sent"}).into(),
            is_error: None,
            session_thread_id,
            wait_generation: None,
            authored_by: author,
            caused_by: cause(),
        }),
        Wait::Question { question_id, .. } => Response::Answer(UserQuestionAnswer {
            question_id,
            answer: json!("yes").into(),
            session_thread_id,
            wait_generation: None,
            authored_by: author,
            caused_by: cause(),
        }),
        Wait::Outcome { .. } => return None,
    })
}

fn admission(deployment: &Deployment) -> Admission {
    let revision = deployment.current().unwrap();
    Admission {
        id: SessionId::fresh(&mut SystemEntropy),
        workspace_id: deployment.workspace_id.clone(),
        principal_id: PrincipalId::from_number(1),
        agent_deployment_id: deployment.id.clone(),
        agent_deployment_revision_number: revision.number,
        agent: revision.agent.clone(),
        max_duration_seconds: Duration::from_hours(1).as_secs(),
        behaviour: revision.scenario.behaviour,
        agent_name: revision.scenario.agent.name.clone(),
        thread_agent: revision.thread_agent.clone(),
        roster: revision.roster.clone(),
        forked_from: None,
        primary_thread_id: ThreadId::fresh(&mut SystemEntropy),
        title: None,
        metadata: Default::default(),
        created_at: Moment::from_milliseconds(1),
    }
}

fn cause() -> Cause {
    Cause {
        kind: "api".to_owned(),
        event_id: None,
        watch_id: None,
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
