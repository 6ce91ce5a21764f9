use std::collections::BTreeSet;

use serde_json::json;

use super::mirror::{View, cuts};
use crate::{
    check::Check,
    context::{Context, Judgement},
    level::Level,
    stimulus::{Stimulus, fork, log::Log},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.of-a-family",
        title: "The stream of a Session with children gives every envelope of the Session's list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-births", "thread-events-are-messages"],
        run: |cx| Box::pin(of_a_family(cx)),
    },
    Check {
        id: "srv.thread.child-stream-framing",
        title: "The stream of a child gives every envelope of the child's list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-6", "THR-5", "STR-3"],
        killed_by: &["child-frames-count-on", "child-frames-are-messages"],
        run: |cx| Box::pin(of_its_children(cx)),
    },
    Check {
        id: "srv.resume.at-a-hole",
        title: "Behind a seq that a view does not have, its stream and its list go on with the next one that it has.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["STR-2", "LST-2", "THR-6"],
        killed_by: &[
            "hole-starts-again",
            "hole-skips-one",
            "list-starts-again-at-a-hole",
        ],
        run: |cx| Box::pin(at_a_hole(cx)),
    },
    Check {
        id: "srv.stream.of-a-fork",
        title: "The stream of a fork gives every envelope of the fork's list, and both go on right behind a cursor among the copies.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-2", "LST-2", "STR-3"],
        killed_by: &[
            "streams-no-forking",
            "fork-stream-ignores-the-cursor",
            "fork-list-ignores-after",
        ],
        run: |cx| Box::pin(of_a_fork(cx)),
    },
];

/// The most holes of a view that are tried.
const HOLES: usize = 6;

async fn of_a_family(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let view = View::of_session(&family.session, "a Session with children");
    let log = view.expect_mirrored(cx).await?;
    view.expect_resumed(cx, &log, cuts(&log)).await?;
    cx.pass()
}

async fn of_its_children(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for (child, _) in &family.histories {
        let view = View::of_thread(child, "a child");
        let log = view.expect_mirrored(cx).await?;
        view.expect_resumed(cx, &log, cuts(&log)).await?;
    }
    cx.pass()
}

async fn at_a_hole(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let mut views = vec![View::of_session(&family.session, "a Session with children")];
    views.extend(
        family
            .histories
            .iter()
            .map(|(child, _)| View::of_thread(child, "a child")),
    );
    let mut tried = 0;
    for view in views {
        let log = view.log(cx).await?;
        let holes = holes(&log);
        tried += holes.len();
        view.expect_resumed(cx, &log, holes).await?;
    }
    if tried == 0 {
        return Err(Stop::Inconclusive("no view of the family has a hole".to_owned()));
    }
    cx.pass()
}

/// A few of the seqs below the head that the log does not have.
fn holes(log: &Log) -> Vec<u64> {
    let seqs: BTreeSet<u64> = log.events.iter().map(|event| event.seq).collect();
    let first = seqs.first().copied().unwrap_or_default();
    // A number that is not in the view right behind one that is: the end of a gap is as good a cursor as its start.
    let missing: Vec<u64> = seqs
        .iter()
        .map(|seq| seq + 1)
        .chain(seqs.iter().map(|seq| seq.saturating_sub(1)))
        .filter(|seq| *seq > first && *seq < log.head() && !seqs.contains(seq))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let step = missing.len().div_ceil(HOLES).max(1);
    missing.into_iter().step_by(step).collect()
}

async fn of_a_fork(cx: &mut Context<'_>) -> Judgement {
    let source = cx.session().await?;
    cx.offered("forks").await?;
    cx.turn(&source).await?;
    cx.rested(&source.id).await?;
    let made = fork::make(cx.bench, &source, &json!({})).await;
    let made = made.map_err(|stop| stop.blocking("srv.fork.keeps-ids-and-seqs"))?;
    let answer = cx.send(Request::get(made.path())).await?;
    cx.saw("the fork is there", &answer);
    let view = View::of_session(&made, "a fork");
    let log = view.expect_mirrored(cx).await?;
    view.expect_resumed(cx, &log, cuts(&log)).await?;
    cx.pass()
}
