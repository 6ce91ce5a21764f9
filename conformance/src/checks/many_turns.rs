use std::collections::HashSet;

use serde_json::{Value, json};

use super::outcome::outcome;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, session::Session, turn},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.turn.each-has-its-run",
        title: "However many turns a Session had, each is settled by one end of the Run that its message names, and of no other.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["RUN-3"],
        killed_by: &["third-turn-ends-another-run", "third-turn-ends-no-run"],
        run: |cx| Box::pin(each_has_its_run(cx)),
    },
    Check {
        id: "srv.append.answer-to-an-interrupt",
        title: "The post of an interrupt answers 202 with the envelope that the list then shows.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-POST"],
        killed_by: &[
            "answers-interrupts-with-another-seq",
            "answers-interrupts-with-another-id",
        ],
        run: |cx| Box::pin(answer_to_an_interrupt(cx)),
    },
    Check {
        id: "srv.append.answer-to-an-outcome",
        title: "The post of an Outcome answers 202 with the envelope that the list then shows.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-POST"],
        killed_by: &[
            "answers-outcomes-with-another-seq",
            "answers-outcomes-with-another-id",
        ],
        run: |cx| Box::pin(answer_to_an_outcome(cx)),
    },
];

/// More than the two of which every other check makes do.
const TURNS: usize = 5;

async fn each_has_its_run(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let mut runs = HashSet::new();
    for number in 1..=TURNS {
        cx.turn(&session).await?;
        // A server may write more behind the settlement.
        let log = cx.rested(&session.id).await?;
        let message = log.events.iter().rev().find(|event| event.kind == "user.message");
        let Some((message, run)) = message.and_then(|event| Some((event, event.run_id()?))) else {
            return Err(Stop::Inconclusive("the message names no Run".to_owned()));
        };
        let behind = log.above(message.seq).iter();
        let ends: Vec<_> = behind
            .filter(|event| event.settles_run())
            .map(|event| event.run_id().unwrap_or("none"))
            .collect();
        let expected = format!("one end of a Run in turn {number}, of {run}");
        expect::that(ends == [run], &log.evidence, expected, ends.join(", "))?;
        let fresh = runs.insert(run.to_owned());
        let expected = format!("a Run of its own for turn {number}");
        expect::that(fresh, &log.evidence, expected, run)?;
        cx.saw(format!("turn {number} ended {run}"), &log.evidence);
    }
    cx.pass()
}

async fn answer_to_an_interrupt(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let body = turn::input(cx.bench, "user.interrupt", json!({}));
    answered_as_listed(cx, &session, &body).await
}

async fn answer_to_an_outcome(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let body = outcome(cx, "A short greeting.", 20);
    answered_as_listed(cx, &session, &body).await
}

/// Posts the first event of its type to a Session.
async fn answered_as_listed(cx: &mut Context<'_>, session: &Session, body: &Value) -> Judgement {
    let answer = cx.post(session, body).await?;
    expect::status(&answer, 202)?;
    let log = cx.log(&session.id).await?;
    let is_it = |event: &&Event| body["type"] == event.kind.as_str();
    let listed = log.events.iter().find(is_it);
    let listed = listed.map_or(Value::Null, |event| event.raw.clone());
    let what = format!("the answer to {}", body["type"]);
    expect::equal(&answer, &what, &listed, &expect::json(&answer)?)?;
    cx.saw(format!("{what} is the listed envelope"), &answer);
    cx.pass()
}
