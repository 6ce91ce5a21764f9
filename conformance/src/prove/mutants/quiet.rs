use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::children::Children;
use crate::prove::{lock::locked, mutant::Mutant, traffic::Call};

/// Longer than a stream of the suite takes that is not held open on purpose.
const SOON: Duration = Duration::from_secs(2);

/// What went by on one stream.
struct Life {
    began: Instant,
    /// When the last event came.
    latest: Instant,
    comments: usize,
    idles: usize,
}

pub(super) fn mutants() -> Vec<Mutant> {
    let (stream, thread) = (
        "srv.stream.outlives-silence",
        "srv.thread.stream-outlives-silence",
    );
    let children = Children::default();
    let (learned, known, others) = (children.clone(), children.clone(), children.clone());
    let also_learned = children;
    vec![
        losing("streams-fall-silent-in-time", Call::is_stream, |life| {
            life.began.elapsed() >= SOON
        })
        .kills(stream, "the stream behind silence 1"),
        losing("streams-fall-silent-after-a-heartbeat", Call::is_stream, |life| {
            // The first comment stands at the beginning.
            life.comments >= 2
        })
        .kills(stream, "the stream behind silence 1"),
        losing("streams-fall-silent-after-a-turn", Call::is_stream, |life| {
            life.idles >= 1
        })
        .kills(stream, "the stream behind silence 2"),
        losing("silence-costs-an-event", Call::is_stream, |life| {
            life.latest.elapsed() >= SOON
        })
        .kills(stream, "the stream behind silence 1"),
        losing(
            "streams-of-children-fall-silent",
            move |call| call.is_thread_stream() && known.has(call.thread()),
            |life| life.began.elapsed() >= SOON,
        )
        .answer(move |call, answer| learned.learn(call, answer))
        .kills(thread, "the child's stream behind the silence"),
        losing(
            "stream-of-the-primary-falls-silent",
            move |call| call.is_thread_stream() && !others.has(call.thread()),
            |life| life.comments >= 2,
        )
        .answer(move |call, answer| also_learned.learn(call, answer))
        .kills(thread, "the primary thread's stream behind the silence"),
    ]
}

/// Keeps streams open and loses the events that come once their life was such.
fn losing(
    name: &'static str,
    concerns: impl Fn(&Call) -> bool + Send + Sync + 'static,
    loses: fn(&Life) -> bool,
) -> Mutant {
    let lives: Arc<Mutex<HashMap<usize, Life>>> = Arc::default();
    Mutant::new(name).every_frame(move |call, number, frame| {
        if !concerns(call) {
            return vec![frame];
        }
        let mut lives = locked(&lives);
        let life = lives.entry(number).or_insert_with(Life::new);
        if frame.is_comment() {
            life.comments += 1;
            return vec![frame];
        }
        let lost = loses(life);
        life.latest = Instant::now();
        life.idles += usize::from(frame.kind() == "session.status_idle");
        match lost {
            true => Vec::new(),
            false => vec![frame],
        }
    })
}

impl Life {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            latest: now,
            comments: 0,
            idles: 0,
        }
    }
}
