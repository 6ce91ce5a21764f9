//! One history: a Session and its forks, driven by random moves in the core and in the model at once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::commands::command;
use super::generator::{next_move, pause};
use super::invariants::Promises;
use super::moves::Move;
use super::names::Names;
use super::projected::expected::of_model as of_specification;
use super::projected::stored::Tables;
use super::random::Random;
use super::roster::{MAX_DURATION, admission};
use super::shown::{of_model, of_session};
use super::specification::{Model, Verdict};
use super::view::View;
use crate::core::admission::{Behaviour, ForkOrigin, OnDeadline, Overlap, WaitStyle};
use crate::core::batch::Outcome;
use crate::core::command::Command;
use crate::core::decide::decide;
use crate::core::event::Event;
use crate::core::id::Entropy;
use crate::core::moment::Moment;
use crate::core::payload::SessionForked;
use crate::core::refusal::Refusal;
use crate::core::session::Session;
use crate::core::snapshot::Snapshot;
use crate::core::touched::Touched;

/// Counts instead of guessing.
struct Counter(u128);

impl Entropy for Counter {
    fn next(&mut self) -> [u8; 16] {
        self.0 += 1;
        self.0.to_be_bytes()
    }
}

/// One Session in both.
struct World {
    session: Session,
    log: Vec<Event>,
    names: Names,
    model: Model,
    promises: Promises,
    tables: Tables,
}

/// Something that happened.
enum Told {
    Move(i64, usize, Move),
    Fork(i64, usize, usize, usize),
    Line(String),
}

/// One history.
pub(super) struct History {
    label: String,
    random: Random,
    behaviour: Behaviour,
    worlds: Vec<World>,
    entropy: Counter,
    now: i64,
    serial: u64,
    /// What was done, to be read by people.
    told: Vec<Told>,
    /// The types of events that were written, and the refusals.
    seen: BTreeSet<String>,
}

impl History {
    /// Plays one round to its end.
    pub(super) fn play(seed: u64, round: u64) -> BTreeSet<String> {
        let mut random = Random::seeded(seed.wrapping_add(round.wrapping_mul(0x1000_0001)));
        let behaviour = Behaviour {
            overlap: [Overlap::Queue, Overlap::Queue, Overlap::Parallel][random.below(3)],
            wait_style: [WaitStyle::Both, WaitStyle::Waiting, WaitStyle::Idle][random.below(3)],
            on_deadline: [OnDeadline::Idle, OnDeadline::Failed][random.below(2)],
            max_retries: u32::try_from(random.below(3)).unwrap(),
            max_startups: u32::try_from(random.below(3)).unwrap(),
        };
        let moves = 30 + random.below(170);
        let mut history = Self {
            label: format!("CHECKFU_TEST_SEED={seed}, round {round}, {behaviour:?}"),
            random,
            behaviour,
            worlds: Vec::new(),
            entropy: Counter(0),
            now: 0,
            serial: 0,
            told: Vec::new(),
            seen: BTreeSet::new(),
        };
        history.admit();
        for _ in 0..moves {
            history.advance();
        }
        history.seen
    }

    fn admit(&mut self) {
        let now = Moment::from_milliseconds(0);
        let mut session = Session::admitted(admission(0, self.behaviour, None, now));
        let promises = Promises::of(&session);
        let outcome = decide(&mut session, Command::Admit, now, &mut self.entropy).unwrap();
        self.worlds.push(World {
            promises,
            tables: Tables::of(&session),
            session,
            log: Vec::new(),
            names: Names::default(),
            model: Model::admitted(self.behaviour, i64::from(MAX_DURATION) * 1_000),
        });
        self.compare(0, 0, outcome, "admission");
        self.check(0);
    }

    fn advance(&mut self) {
        let mut place = self.random.below(self.worlds.len());
        if self.worlds[place].model.status.is_terminal() && !self.random.one_in(3) {
            place = self.random.below(self.worlds.len());
        }
        if self.worlds.len() < 4 && self.random.one_in(45) {
            return self.fork(place);
        }
        let world = &self.worlds[place];
        let action = next_move(&mut self.random, &world.model);
        self.now += pause(&mut self.random, &world.model, &action, self.now);
        self.carry_out(place, &action);
    }

    fn carry_out(&mut self, place: usize, action: &Move) {
        self.serial += 1;
        let now = self.now;
        self.told.push(Told::Move(now, place, action.clone()));
        let world = &mut self.worlds[place];
        let command = command(action, &world.names, self.serial, world.model.threads.len());
        self.seen
            .insert(format!("{} {}", world.model.status.as_str(), action.kind()));
        let known = world.model.lines.len();
        let predicted = world.model.predict(action, now);
        let done = decide(
            &mut world.session,
            command,
            Moment::from_milliseconds(now),
            &mut self.entropy,
        );
        match done {
            Ok(outcome) => {
                let got = outcome.replay_of.map_or(Verdict::Accepted, Verdict::Replay);
                self.seen
                    .extend(outcome.replay_of.map(|_| "repetition".to_owned()));
                if got != predicted {
                    let lines: Vec<&str> = outcome
                        .events
                        .iter()
                        .map(|event| event.data.type_name())
                        .collect();
                    self.fail(&format!("expected {predicted:?}, got {got:?} with {lines:?}"));
                }
                if outcome.replay_of.is_some() && !outcome.events.is_empty() {
                    self.fail("a repetition was written again");
                }
                self.compare(place, known, outcome, "the log");
            }
            Err(refused) => {
                let refusal = spelled(&refused.refusal, &world.session);
                self.seen.insert(
                    refusal
                        .split(" [")
                        .next()
                        .unwrap_or_default()
                        .split(' ')
                        .take(2)
                        .collect::<Vec<_>>()
                        .join(" "),
                );
                let got = Verdict::Refused(refusal);
                // That nothing else was changed shows in the fold of the log, as after every command.
                if !refused.untouched {
                    self.fail(&format!("{got:?}, but something was changed"));
                }
                if got != predicted || world.model.lines.len() != known {
                    self.fail(&format!("expected {predicted:?}, got {got:?}"));
                }
            }
        }
        self.check(place);
    }

    fn fork(&mut self, place: usize) {
        let number = self.worlds.len();
        let source = &self.worlds[place];
        let seq = 1 + self.random.below(source.log.len());
        self.told.push(Told::Fork(self.now, number, place, seq));
        self.seen.insert(format!("{} fork", source.model.status.as_str()));
        let last = &source.log[seq - 1];
        let origin = ForkOrigin {
            session_id: source.session.admission.id.clone(),
            event_id: last.id.clone(),
            seq: seq as u64,
        };
        let forked = SessionForked {
            source_session_id: origin.session_id.clone(),
            source_event_id: origin.event_id.clone(),
            source_seq: origin.seq,
        };
        let now = Moment::from_milliseconds(self.now);
        let admission = admission(number, self.behaviour, Some(origin), now);
        // The copied history begins when the first Session did.
        let before = Session::admitted(self.worlds[0].session.admission.clone());
        let mut session = Snapshot::of(&before).restore(admission.clone());
        let mut names = Names::default();
        let mut promises = Promises::of(&session);
        let mut log = source.log[..seq].to_vec();
        for event in &mut log {
            event.session_id = admission.id.clone();
            session.apply(event, &mut Touched::default());
            names.line(event);
            promises.take(event, &mut self.random);
        }
        let model = source.model.forked_at(seq as u64, self.now);
        let tables = Tables::of(&session);
        let outcome = decide(&mut session, Command::BeginFork(forked), now, &mut self.entropy).unwrap();
        self.worlds.push(World {
            session,
            log,
            names,
            model,
            promises,
            tables,
        });
        self.compare(number, seq, outcome, "the fork");
        self.check(number);
    }

    /// The events that the core wrote are the lines that the model predicts.
    fn compare(&mut self, place: usize, known: usize, outcome: Outcome, what: &str) {
        let world = &mut self.worlds[place];
        let got: Vec<String> = outcome
            .events
            .iter()
            .map(|event| world.names.line(event))
            .collect();
        world.tables.save(&world.session, &outcome, &world.names);
        let events = outcome.events;
        let views: Vec<View> = events.iter().map(|event| view(&world.session, event)).collect();
        let broken = events
            .iter()
            .find_map(|event| world.promises.take(event, &mut self.random));
        for event in &events {
            if !self.seen.contains(event.data.type_name()) {
                self.seen.insert(event.data.type_name().to_owned());
            }
        }
        world.log.extend(events);
        let expected = &world.model.lines[known..];
        let differs = if got == expected {
            let expected = &world.model.views[known..];
            (views != expected)
                .then(|| format!("the views differ\nexpected {expected:?}\ngot      {views:?}"))
        } else {
            Some(format!("{what} differs\nexpected {expected:#?}\ngot {got:#?}"))
        };
        self.told.extend(got.into_iter().map(Told::Line));
        if let Some(differs) = differs {
            self.fail(&differs);
        }
        if let Some(broken) = broken {
            self.fail(&broken);
        }
    }

    /// The state is what the model has, and keeps every promise that the log makes.
    fn check(&mut self, place: usize) {
        let world = &self.worlds[place];
        let (expected, got) = (of_model(&world.model), of_session(&world.session, &world.names));
        if got != expected {
            self.fail(&format!(
                "the state differs\nexpected {expected:?}\ngot      {got:?}"
            ));
        }
        if let Some(broken) = world.promises.broken(&world.session) {
            self.fail(&broken);
        }
        if world.tables.head() != &world.session.head {
            self.fail("the stored Session is not the one that the log tells");
        }
        let shown = world.tables.shown(&world.session, &world.names, self.now);
        if let Some(differs) = shown.differs(&of_specification(&world.model)) {
            self.fail(&differs);
        }
    }

    fn fail(&self, what: &str) -> ! {
        let mut text = format!("{}\n", self.label);
        for line in &self.told {
            let _ = match line {
                Told::Move(now, place, action) => writeln!(text, "at {now} to Session {place}: {action:?}"),
                Told::Fork(now, number, place, seq) => {
                    writeln!(
                        text,
                        "at {now}: Session {number} forks Session {place} after {seq}"
                    )
                }
                Told::Line(line) => writeln!(text, "        {line}"),
            };
        }
        panic!("{text}\n{what}\n({})", self.label);
    }
}

/// In which histories an event is kept (A-VIEW).
fn view(session: &Session, event: &Event) -> View {
    let thread = event.session_thread_id.as_ref();
    let child = thread
        .and_then(|thread| session.ordinal(thread))
        .filter(|place| *place > 0);
    View {
        session: child.is_none() || event.data.is_shared(),
        child,
    }
}

fn spelled(refusal: &Refusal, session: &Session) -> String {
    match refusal {
        Refusal::InvalidTransition { from, to } => {
            format!("invalid transition {} {}", from.as_str(), to.as_str())
        }
        Refusal::StaleStep => "stale step".to_owned(),
        Refusal::OutcomeActive => "outcome active".to_owned(),
        Refusal::PrimaryThread => "primary thread".to_owned(),
        Refusal::ThreadBusy(_) => "thread busy".to_owned(),
        Refusal::UnknownThread => "unknown thread".to_owned(),
        Refusal::UnknownAction => "unknown action".to_owned(),
        Refusal::StaleWait(_) => "stale wait".to_owned(),
        Refusal::AmbiguousThread(candidates) => {
            let mut places: Vec<_> = candidates.iter().map(|id| session.ordinal(id).unwrap()).collect();
            places.sort_unstable();
            format!("ambiguous {places:?}")
        }
        Refusal::InsufficientAuthority => "insufficient authority".to_owned(),
        Refusal::DecisionRequired { .. } => "decision required".to_owned(),
    }
}
