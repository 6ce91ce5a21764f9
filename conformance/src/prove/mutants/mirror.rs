//! Streams that fail on what no plain turn has.

use super::{children::Children, forks::Forks, holes::Holes};
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Frame},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [turns(), families(), holes(), forked()]
        .into_iter()
        .flatten()
        .collect()
}

fn turns() -> Vec<Mutant> {
    vec![
        without("streams-no-answers", &["user.question_answer"])
            .kills("srv.stream.of-a-question", "the stream of an answered Question"),
        misnamed(
            "pauses-are-messages",
            &["agent.question", "session.status_paused"],
        )
        .kills(
            "srv.stream.of-a-question",
            "on the stream of an answered Question",
        ),
        without("streams-no-decisions", &["action_approval.decided"])
            .kills("srv.stream.of-a-call", "the stream of an allowed call"),
        without("streams-no-results", &["user.custom_tool_result"]).kills(
            "srv.stream.of-a-call",
            "the stream of a call that took its result",
        ),
        misnamed("resumptions-are-messages", &["run.resumed"])
            .kills("srv.stream.of-a-call", "on the stream of an allowed call"),
        without("streams-no-interrupts", &["user.interrupt"])
            .kills("srv.stream.of-an-interrupt", "the stream of an interrupted turn"),
        misnamed("cancellations-are-messages", &["run.canceled"]).kills(
            "srv.stream.of-an-interrupt",
            "on the stream of an interrupted turn",
        ),
        without("streams-no-failures", &["run.failed"])
            .kills("srv.stream.of-a-failure", "the stream of a failed turn"),
        misnamed("failures-are-messages", &["session.status_failed"])
            .kills("srv.stream.of-a-failure", "on the stream of a failed Session"),
        without("streams-no-verdicts", &["outcome.evaluated"])
            .kills("srv.stream.of-an-outcome", "the stream of work for an Outcome"),
        misnamed("gradings-are-messages", &["outcome.evaluation_started"])
            .kills("srv.stream.of-an-outcome", "on the stream of work for an Outcome"),
        without("streams-no-settling", &["session.status_reconciling"]).kills(
            "srv.stream.of-a-settling",
            "the stream of output that settled late",
        ),
        misnamed("settling-is-a-message", &["session.status_reconciling"]).kills(
            "srv.stream.of-a-settling",
            "on the stream of output that settled late",
        ),
        misnamed("ends-are-messages", &["session.status_completed"]).kills(
            "srv.stream.of-an-end",
            "on the stream of a Session ended by complete",
        ),
        counted_on("stream-of-the-ended-counts-on", |_, frame| {
            frame.kind() == "session.status_canceled"
        })
        .kills(
            "srv.stream.of-an-end",
            "on the stream of a Session ended by cancel",
        ),
    ]
}

fn families() -> Vec<Mutant> {
    let (counted, named) = (Children::default(), Children::default());
    let (counteds, nameds) = (counted.clone(), named.clone());
    vec![
        without("streams-no-births", &["session.thread_created"])
            .kills("srv.stream.of-a-family", "the stream of a Session with children"),
        misnamed("thread-events-are-messages", &["session.thread_created"]).kills(
            "srv.stream.of-a-family",
            "on the stream of a Session with children",
        ),
        counted_on("child-frames-count-on", move |call, _| counted.has(call.thread()))
            .answer(move |call, answer| counteds.learn(call, answer))
            .kills("srv.thread.child-stream-framing", "on the stream of a child"),
        Mutant::new("child-frames-are-messages")
            .answer(move |call, answer| nameds.learn(call, answer))
            .frame(move |call, _, mut frame| {
                if named.has(call.thread()) {
                    frame.set("event", "message");
                }
                vec![frame]
            })
            .kills("srv.thread.child-stream-framing", "on the stream of a child"),
    ]
}

fn holes() -> Vec<Mutant> {
    let listed = Holes::default();
    let listeds = listed.clone();
    vec![
        at_a_hole("hole-starts-again", |_| 0).kills("srv.resume.at-a-hole", "the stream of"),
        at_a_hole("hole-skips-one", |next| next).kills("srv.resume.at-a-hole", "the stream of"),
        Mutant::new("list-starts-again-at-a-hole")
            .answer(move |call, answer| listeds.learn(call, answer))
            .request(move |call| {
                let after = call.parameter("after").and_then(|after| after.parse().ok());
                if call.is_list()
                    && after.is_some_and(|after| after > 0 && listed.end_of(call, after).is_some())
                {
                    call.set_parameter("after", 0);
                }
            })
            .kills("srv.resume.at-a-hole", "events above"),
    ]
}

/// Resumes a stream somewhere else when its cursor is a seq that the view does not have.
fn at_a_hole(name: &'static str, cursor: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Mutant {
    let known = Holes::default();
    let listed = known.clone();
    Mutant::new(name)
        .answer(move |call, answer| listed.learn(call, answer))
        .request(move |call| {
            if let Some(next) = call.cursor().and_then(|seq| known.end_of(call, seq)) {
                call.set_header("last-event-id", cursor(next));
            }
        })
}

fn forked() -> Vec<Mutant> {
    let (streamed, listed) = (Forks::default(), Forks::default());
    let (streameds, listeds) = (streamed.clone(), listed.clone());
    let is_fork = |known: &Forks, call: &Call| call.session().is_some_and(|id| known.source_of(id).is_some());
    vec![
        misnamed("streams-no-forking", &["session.forked"])
            .kills("srv.stream.of-a-fork", "on the stream of a fork"),
        Mutant::new("fork-stream-ignores-the-cursor")
            .answer(move |call, answer| streameds.learn(call, answer))
            .request(move |call| {
                if call.is_stream() && is_fork(&streamed, call) {
                    call.headers.remove("last-event-id");
                }
            })
            .kills("srv.stream.of-a-fork", "the stream of a fork after"),
        Mutant::new("fork-list-ignores-after")
            .answer(move |call, answer| listeds.learn(call, answer))
            .request(move |call| {
                if call.is_list()
                    && call.parameter("after").is_some_and(|after| after.len() == 1)
                    && is_fork(&listed, call)
                {
                    call.set_parameter("after", 0);
                }
            })
            .kills("srv.stream.of-a-fork", "events above"),
    ]
}

/// Leaves these types out of every stream.
fn without(name: &'static str, kinds: &'static [&'static str]) -> Mutant {
    Mutant::new(name).frame(move |_, _, frame| match kinds.contains(&frame.kind()) {
        true => Vec::new(),
        false => vec![frame],
    })
}

/// Gives these types another `event:` on every stream.
fn misnamed(name: &'static str, kinds: &'static [&'static str]) -> Mutant {
    Mutant::new(name).frame(move |_, _, mut frame| {
        if kinds.contains(&frame.kind()) {
            frame.set("event", "message");
        }
        vec![frame]
    })
}

/// Numbers these frames one too high.
fn counted_on(
    name: &'static str,
    concerns: impl Fn(&Call, &Frame) -> bool + Send + Sync + 'static,
) -> Mutant {
    Mutant::new(name).frame(move |call, _, mut frame| {
        if concerns(call, &frame) {
            frame.set("id", frame.seq() + 1);
        }
        vec![frame]
    })
}
