use serde_json::{Value, json};

use super::interrupt::interrupt;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, session::Session, wait},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.outcome.iterations",
        title: "An Outcome starts a Run that is graded try by try and ends the turn when the grader is satisfied.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-OUT", "A-PARK"],
        killed_by: &[
            "never-satisfied",
            "tries-are-not-counted",
            "outcome-without-its-run",
        ],
        run: |cx| Box::pin(iterations(cx)),
    },
    Check {
        id: "srv.outcome.gives-up",
        title: "An Outcome that no try satisfies ends as max_iterations_reached with its last try.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-OUT"],
        killed_by: &["tries-for-ever"],
        run: |cx| Box::pin(gives_up(cx)),
    },
    Check {
        id: "srv.outcome.settles-nothing",
        title: "While an Outcome is graded neither its Run nor the turn is settled.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-4"],
        killed_by: &["grading-ends-the-turn", "server:boundary_is_end_turn"],
        run: |cx| Box::pin(settles_nothing(cx)),
    },
    Check {
        id: "srv.outcome.one-at-a-time",
        title: "A second Outcome while one is active is 409 runtime.invalid_transition and is not written.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-OUT", "A-TRANS"],
        killed_by: &["takes-two-outcomes"],
        run: |cx| Box::pin(one_at_a_time(cx)),
    },
    Check {
        id: "srv.outcome.interrupted",
        title: "An interrupt ends an active Outcome as interrupted and cancels its Run.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-OUT", "A-INT"],
        killed_by: &["interrupted-outcome-fails", "server:interrupt_keeps_run"],
        run: |cx| Box::pin(interrupted(cx)),
    },
];

async fn iterations(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let log = worked_for(cx, &session, outcome(cx, "A short greeting.", 20)).await?;
    let evidence = &log.evidence;
    let defined = log
        .events
        .iter()
        .find(|event| event.kind == "user.define_outcome");
    let defined = defined.ok_or_else(|| Stop::fail("user.define_outcome in the list", "none", evidence))?;
    let id = defined.payload("/outcome_id").unwrap_or(&Value::Null);
    let created = log.events.iter().find(|event| event.kind == "run.created");
    let trigger = created
        .and_then(|event| event.payload("/trigger"))
        .unwrap_or(&Value::Null);
    let expected = json!({"kind": "outcome", "event_id": defined.id});
    expect::equal(evidence, "the trigger of the Outcome's Run", &expected, trigger)?;
    let verdicts: Vec<_> = log
        .events
        .iter()
        .filter(|event| event.kind == "outcome.evaluated")
        .collect();
    for (place, verdict) in verdicts.iter().enumerate() {
        let last = place + 1 == verdicts.len();
        let result = if last { "satisfied" } else { "needs_revision" };
        let expected = json!({"outcome_id": id, "iteration": place + 1, "result": result});
        for (name, expected) in expected.as_object().into_iter().flatten() {
            let found = verdict.raw["payload"].get(name).unwrap_or(&Value::Null);
            expect::equal(
                evidence,
                &format!("{name} of verdict {}", place + 1),
                expected,
                found,
            )?;
        }
        cx.saw(format!("verdict {} is {result}", place + 1), evidence);
    }
    let end = [log.events.iter().rev().find(|event| event.settles_run()).cloned()];
    expect::kinds(
        evidence,
        &end.into_iter().flatten().collect::<Vec<_>>(),
        &["run.completed"],
    )?;
    expect::that(
        !verdicts.is_empty(),
        evidence,
        "outcome.evaluated in the list",
        "none",
    )?;
    cx.pass()
}

async fn settles_nothing(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let log = worked_for(cx, &session, outcome(cx, "A short greeting.", 20)).await?;
    let last = log
        .events
        .iter()
        .rposition(|event| event.kind == "outcome.evaluated");
    let Some(last) = last else {
        return Err(Stop::Inconclusive("no outcome.evaluated in the list".to_owned()));
    };
    expect::unsettled(&log.events[..last], &log.evidence)?;
    cx.saw("nothing is settled before the last verdict", &log.evidence);
    cx.pass()
}

async fn gives_up(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let log = worked_for(cx, &session, outcome(cx, "A hopeless one.", 2)).await?;
    let verdicts = log
        .events
        .iter()
        .filter(|event| event.kind == "outcome.evaluated");
    let results: Vec<_> = verdicts.filter_map(|event| event.payload("/result")).collect();
    if results.contains(&&Value::from("satisfied")) {
        return Err(Stop::Inconclusive("the grader was satisfied".to_owned()));
    }
    let expected = ["needs_revision", "max_iterations_reached"];
    let actual = format!("{results:?}");
    expect::that(results == expected, &log.evidence, expected.join(", "), actual)?;
    cx.saw("two tries, and no more", &log.evidence);
    cx.pass()
}

/// Defines an Outcome and waits until the turn has settled.
pub(super) async fn worked_for(cx: &Context<'_>, session: &Session, outcome: Value) -> Result<Log, Stop> {
    cx.accepted(session, &outcome).await?;
    let over = |log: &Log| {
        let is_over = |settles: fn(&Event) -> bool| log.events.iter().any(settles);
        is_over(Event::settles_run) && is_over(Event::settles_session)
    };
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), over).await?;
    looked.map_err(|_| Stop::Inconclusive("the Outcome was not reached in time".to_owned()))
}

/// How many Outcomes are tried, since one may be over before the next call arrives.
const TRIES: usize = 5;

fn too_soon() -> Stop {
    Stop::Inconclusive(format!("each of {TRIES} Outcomes was over too soon"))
}

async fn one_at_a_time(cx: &mut Context<'_>) -> Judgement {
    let body = outcome(cx, "A hopeless one.", 20);
    for _ in 0..TRIES {
        let session = cx.session_of(AgentKind::Outcome).await?;
        cx.accepted(&session, &body).await?;
        let second = cx.post(&session, &body).await?;
        let log = cx.log(&session.id).await?;
        if log.events.iter().any(Event::settles_run) {
            continue;
        }
        expect::error(&second, 409, "runtime.invalid_transition")?;
        let defined = log.events.iter();
        let count = defined
            .filter(|event| event.kind == "user.define_outcome")
            .count();
        let actual = format!("{count} of them");
        expect::that(count == 1, &log.evidence, "one Outcome in the log", actual)?;
        cx.saw("the second Outcome is refused", &second);
        cx.post(&session, &interrupt(cx)).await?;
        return cx.pass();
    }
    Err(too_soon())
}

async fn interrupted(cx: &mut Context<'_>) -> Judgement {
    for _ in 0..TRIES {
        let log = interrupted_outcome(cx).await?;
        let place = log.events.iter().position(|event| event.kind == "user.interrupt");
        let (before, after) = log.events.split_at(place.unwrap_or(log.events.len()));
        if before.iter().any(Event::settles_run) {
            continue;
        }
        let verdict = after.iter().find(|event| event.kind == "outcome.evaluated");
        let result = verdict
            .and_then(|event| event.payload("/result"))
            .unwrap_or(&Value::Null);
        expect::equal(&log.evidence, "the last verdict", &"interrupted".into(), result)?;
        let canceled = after.iter().any(|event| event.kind == "run.canceled");
        let expected = "run.canceled after the interrupt";
        expect::that(canceled, &log.evidence, expected, "none")?;
        cx.saw("the Outcome is interrupted and its Run canceled", &log.evidence);
        return cx.pass();
    }
    Err(too_soon())
}

/// The log of an Outcome that is interrupted as soon as a try is seen to be graded.
async fn interrupted_outcome(cx: &Context<'_>) -> Result<Log, Stop> {
    let session = cx.session_of(AgentKind::Outcome).await?;
    cx.accepted(&session, &outcome(cx, "A hopeless one.", 20)).await?;
    let graded = |log: &Log| {
        let mut events = log.events.iter();
        events.any(|event| event.kind == "outcome.evaluation_started")
    };
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), graded).await?;
    looked.map_err(|_| Stop::Inconclusive("no try was graded in time".to_owned()))?;
    cx.accepted(&session, &interrupt(cx)).await?;
    cx.log(&session.id).await
}

pub(super) fn outcome(cx: &Context<'_>, description: &str, max_iterations: u64) -> Value {
    let rubric = json!({"type": "text", "content": "It is short and friendly."});
    let payload = json!({"description": description, "rubric": rubric, "max_iterations": max_iterations});
    wait::signed(cx.bench, "user.define_outcome", payload)
}
