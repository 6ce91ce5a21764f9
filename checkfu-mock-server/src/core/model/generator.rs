//! Random moves, weighted so that the states that are hard to reach are reached: several children, several open waits
//! under one key, later generations, revisions, retries until they are exhausted.

use super::moves::{Act, Answer, AnswerKind, Call, Finding, Move, Reply, Spent, Subject, Work};
use super::random::Random;
use super::specification::Model;
use super::state::{Run, Wait, WaitKind, WaitState};
use crate::core::payload::{OutcomeResult, ToolKind};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

const TOOLS: [&str; 3] = ["a", "b", "c"];
const MOST_CHILDREN: usize = 4;

/// A move that makes sense in the state, or nearly.
pub(super) fn next_move(random: &mut Random, model: &Model) -> Move {
    // An end comes late, so that there is something to end, and more often where a Session seldom stands.
    let end = match model.status {
        status if status.is_terminal() => 15,
        SessionStatus::Paused => 12,
        SessionStatus::Reconciling => 24,
        SessionStatus::Provisioning | SessionStatus::Idle if model.lines.len() > 40 => 6,
        _ if model.lines.len() > 40 => 2,
        _ => 0,
    };
    match random.weighted(&[420, 130, 60, 55, 40, 25, 35, 40, 25, end, end]) {
        0 => work(random, model),
        1 => fitting_answer(random, model),
        2 => odd_answer(random, model),
        3 => message(random),
        4 => interrupt(random, model),
        5 => Move::DefineOutcome {
            max_iterations: 1 + u32::try_from(random.below(3)).unwrap(),
        },
        6 => Move::Archive {
            thread: place(random, model),
        },
        7 => Move::Tick,
        8 => misplaced_step(random, model),
        9 => Move::Complete,
        _ => Move::Cancel,
    }
}

/// How far time goes before the move, in milliseconds; a tick goes to what is due next, or nearly.
pub(super) fn pause(random: &mut Random, model: &Model, action: &Move, now: i64) -> i64 {
    let small = i64::try_from(random.below(1_500)).unwrap();
    if !matches!(action, Move::Tick) {
        return small;
    }
    let next = model.next_due().map_or(0, |at| (at - now).max(0));
    match random.below(4) {
        0 => small,
        1 => (next - 1).max(0),
        2 => next,
        _ => next + i64::try_from(random.below(60_000)).unwrap(),
    }
}

fn message(random: &mut Random) -> Move {
    let finding = random.one_in(5).then(|| Finding {
        decision: (!random.one_in(3)).then(|| (u8::try_from(random.below(4)).unwrap(), random.one_in(2))),
        challenge_is_valid: !random.one_in(4),
    });
    Move::Message {
        text: ["hello", "again", "more"][random.below(3)],
        finding,
    }
}

fn interrupt(random: &mut Random, model: &Model) -> Move {
    Move::Interrupt {
        thread: (!random.one_in(3)).then(|| place(random, model)),
    }
}

/// A thread, seldom one that does not exist.
fn place(random: &mut Random, model: &Model) -> usize {
    if random.one_in(12) {
        return model.threads.len() + 3;
    }
    random.below(model.threads.len())
}

fn work(random: &mut Random, model: &Model) -> Move {
    let ready: Vec<usize> = (0..model.threads.len())
        .flat_map(|thread| model.active(thread))
        .filter(|&run| model.runs[run].status != RunStatus::Waiting || grading(model, run))
        .collect();
    let Some(&run) = random.pick(&ready) else {
        return if random.one_in(2) {
            fitting_answer(random, model)
        } else {
            message(random)
        };
    };
    let state = &model.runs[run];
    let work = match state.status {
        RunStatus::Queued => Work::Claim,
        RunStatus::Provisioning => Work::Start,
        RunStatus::Waiting => act(state, Act::Grade(grade(random, state))),
        RunStatus::Reconciling => match random.below(6) {
            0 => act(state, Act::Trouble),
            1 => act(state, fail(random, false)),
            _ => act(state, Act::Complete("end_turn", spent(random))),
        },
        _ => {
            let chosen = running(random, model, state);
            act(state, chosen)
        }
    };
    Move::Step { run, work }
}

fn act(run: &Run, act: Act) -> Work {
    Work::Act {
        position: run.position,
        act,
    }
}

fn grading(model: &Model, run: usize) -> bool {
    model.open_of(run).any(|wait| wait.kind == WaitKind::Outcome)
}

fn grade(random: &mut Random, run: &Run) -> OutcomeResult {
    let last = run
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.iteration >= outcome.max_iterations);
    match random.below(5) {
        0 => OutcomeResult::Satisfied,
        1 => OutcomeResult::Failed,
        _ if last && random.one_in(2) => OutcomeResult::MaxIterationsReached,
        _ => OutcomeResult::NeedsRevision,
    }
}

/// What a running Agent does next.
fn running(random: &mut Random, model: &Model, run: &Run) -> Act {
    let primary = run.thread == 0;
    let live: Vec<usize> = (1..model.threads.len())
        .filter(|&place| model.threads[place].status != ThreadStatus::Terminated)
        .collect();
    let weights = [
        4,
        6,
        4,
        3,
        26,
        10,
        if run.outcome.is_some() { 40 } else { 0 },
        if primary && live.len() < MOST_CHILDREN {
            22
        } else {
            0
        },
        if primary && !live.is_empty() { 14 } else { 0 },
        if primary { 0 } else { 10 },
        2,
        9,
        if primary { 4 } else { 0 },
        14,
        3,
        1,
    ];
    match random.weighted(&weights) {
        0 => Act::Think,
        1 => Act::Say,
        2 => Act::UseTool("free"),
        3 => Act::ToolResult("free"),
        4 => block(random, model, run),
        5 => ask(random, model, run),
        6 => Act::AwaitGrader,
        7 => Act::Spawn,
        8 => Act::Send(*random.pick(&live).unwrap()),
        9 => Act::Report,
        10 => Act::Trouble,
        11 => Act::LoseRunner,
        12 => Act::Reconcile,
        13 => Act::Complete(
            ["end_turn", "end_turn", "refusal", "budget_reached"][random.below(4)],
            spent(random),
        ),
        14 => fail(random, false),
        _ => fail(random, true),
    }
}

fn fail(random: &mut Random, terminates: bool) -> Act {
    Act::Fail {
        terminates,
        spent: spent(random),
    }
}

fn spent(random: &mut Random) -> Spent {
    Spent {
        tokens: [(); 4].map(|()| random.below(1_000) as u64),
        cents: random.below(1_000) as u64,
    }
}

/// One call or several; an identifier that is pending on the thread is not used a second time before it is answered.
fn block(random: &mut Random, model: &Model, run: &Run) -> Act {
    let mut free: Vec<&'static str> = TOOLS
        .into_iter()
        .filter(|tool| !is_open(model, run.thread, Subject::Tool(tool)))
        .collect();
    let mut calls = Vec::new();
    for _ in 0..1 + random.below(3) {
        if free.is_empty() {
            break;
        }
        let kind = [
            ToolKind::Custom,
            ToolKind::Custom,
            ToolKind::Builtin,
            ToolKind::Mcp,
        ][random.below(4)];
        calls.push(Call {
            tool: free.remove(random.below(free.len())),
            kind,
            asks: kind != ToolKind::Custom || random.one_in(2),
            expires_after: random
                .one_in(3)
                .then(|| 5 + u32::try_from(random.below(100)).unwrap()),
        });
    }
    if calls.is_empty() {
        Act::Say
    } else {
        Act::Block(calls)
    }
}

fn ask(random: &mut Random, model: &Model, run: &Run) -> Act {
    let number = u8::try_from(random.below(3)).unwrap();
    if is_open(model, run.thread, Subject::Question(number)) {
        return Act::Think;
    }
    Act::Ask(number)
}

fn is_open(model: &Model, thread: usize, subject: Subject) -> bool {
    model
        .open_waits()
        .any(|wait| wait.thread == thread && wait.subject == subject)
}

/// An answer to an open wait, mostly named in full.
fn fitting_answer(random: &mut Random, model: &Model) -> Move {
    let open: Vec<&Wait> = model
        .open_waits()
        .filter(|wait| wait.kind != WaitKind::Outcome)
        .collect();
    let Some(wait) = random.pick(&open) else {
        return work_or_message(random, model);
    };
    let kind = kind_of(wait);
    Move::Respond(Reply {
        subject: wait.subject,
        answer: answer(random, kind),
        thread: (!random.one_in(3)).then_some(wait.thread),
        generation: random.one_in(2).then_some(wait.generation),
        authorized: !random.one_in(8),
    })
    .of_a_kind()
}

/// A repetition, a late answer, one of the wrong type or to nobody.
fn odd_answer(random: &mut Random, model: &Model) -> Move {
    let known: Vec<&Wait> = model
        .waits
        .iter()
        .filter(|wait| wait.kind != WaitKind::Outcome)
        .collect();
    let Some(wait) = random.pick(&known).filter(|_| !random.one_in(10)) else {
        return Move::Respond(Reply {
            subject: if random.one_in(2) {
                Subject::Tool("free")
            } else {
                Subject::Question(9)
            },
            answer: answer(random, AnswerKind::Result),
            thread: random.one_in(2).then(|| place(random, model)),
            generation: None,
            authorized: true,
        })
        .of_a_kind();
    };
    let given = match wait.state {
        WaitState::Answered { answer, .. } => Some(answer),
        _ => None,
    };
    let same = given.filter(|_| !random.one_in(4));
    let kind = if random.one_in(4) {
        AnswerKind::Confirmation
    } else {
        kind_of(wait)
    };
    let answer = same.unwrap_or_else(|| answer(random, kind));
    Move::Respond(Reply {
        subject: wait.subject,
        answer,
        thread: match random.below(5) {
            0 | 1 => None,
            2 => Some(place(random, model)),
            _ => Some(wait.thread),
        },
        generation: match random.below(4) {
            0 => Some(wait.generation),
            1 => Some(1 + u32::try_from(random.below(3)).unwrap()),
            _ => None,
        },
        authorized: !random.one_in(8),
    })
    .of_a_kind()
}

impl Move {
    /// A Question is answered by one type only, and that type answers nothing else.
    fn of_a_kind(mut self) -> Self {
        if let Self::Respond(reply) = &mut self {
            let question = matches!(reply.subject, Subject::Question(_));
            reply.answer.kind = match reply.answer.kind {
                _ if question => AnswerKind::Question,
                AnswerKind::Question => AnswerKind::Result,
                other => other,
            };
            reply.answer.mark &= !question;
            reply.authorized |= reply.answer.kind != AnswerKind::Confirmation;
        }
        self
    }
}

fn kind_of(wait: &Wait) -> AnswerKind {
    match wait.kind {
        WaitKind::Approval => AnswerKind::Confirmation,
        WaitKind::Question => AnswerKind::Question,
        WaitKind::Custom | WaitKind::Outcome => AnswerKind::Result,
    }
}

fn answer(random: &mut Random, kind: AnswerKind) -> Answer {
    let value = u8::try_from(random.below(2)).unwrap();
    Answer {
        kind,
        value,
        mark: match kind {
            AnswerKind::Question => false,
            AnswerKind::Confirmation => value > 0 && random.one_in(2),
            AnswerKind::Result => random.one_in(4),
        },
        author: 1 + u8::try_from(random.below(2)).unwrap(),
    }
}

fn work_or_message(random: &mut Random, model: &Model) -> Move {
    if model
        .runs
        .iter()
        .any(|run| matches!(run.status, RunStatus::Queued | RunStatus::Running))
    {
        return work(random, model);
    }
    message(random)
}

/// A step of a Run that has moved on, was never there, or is not that far.
fn misplaced_step(random: &mut Random, model: &Model) -> Move {
    let run = random.below(model.runs.len() + 2);
    let position = model.runs.get(run).map_or(0, |run| run.position);
    let position = (position + u32::try_from(random.below(4)).unwrap()).saturating_sub(1);
    let complete = Act::Complete("end_turn", spent(random));
    let act = [Act::Say, complete, Act::Reconcile, Act::Think][random.below(4)].clone();
    let child = model.runs.get(run).is_some_and(|run| run.thread > 0);
    let act = if child && matches!(act, Act::Reconcile) {
        Act::Say
    } else {
        act
    };
    let work = [Work::Claim, Work::Start, Work::Act { position, act }][random.below(3)].clone();
    Move::Step { run, work }
}
