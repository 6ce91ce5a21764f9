use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.deadline.absolute",
    title: "A Run's deadline is its claim, 60 s and the sandbox profile's longest duration; a waiting Run has none.",
    level: Level::Derived,
    stimulus: Stimulus::Work,
    requirements: &["A-DLN", "DLN-2"],
    killed_by: &["deadline-without-the-allowance", "waits-against-a-deadline"],
    run: |cx| Box::pin(absolute(cx)),
}];

/// For the harness to get ready.
const STARTUP_SECONDS: i64 = 60;

async fn absolute(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let longest = session
        .resource
        .pointer("/agent/sandbox_profile/max_duration_seconds");
    let longest = longest.and_then(Value::as_i64);
    let Some(allowed) = longest.and_then(|longest| TimeDelta::try_seconds(STARTUP_SECONDS + longest)) else {
        return Err(Stop::Inconclusive(
            "the Session does not show its sandbox profile".to_owned(),
        ));
    };
    let parked = cx.parked(&session).await?;
    let evidence = &parked.log.evidence;
    let started = parked.events().iter().find(|event| event.kind == "run.started");
    let started = started.ok_or_else(|| Stop::Inconclusive("no run.started in the list".to_owned()))?;
    let deadline = time(evidence, started.payload("/deadline_at"))?;
    // The claim is not in the log: it lies between the message and the start.
    let (earliest, latest) = (written(evidence, &parked.input)?, written(evidence, started)?);
    let claim = deadline - allowed;
    let expected = format!("a deadline {allowed} after a claim between {earliest} and {latest}");
    let between = earliest <= claim && claim <= latest;
    expect::that(between, evidence, expected, format!("a claim at {claim}"))?;
    cx.saw(format!("the deadline is {deadline}"), evidence);
    let answer = cx
        .send(Request::get(format!(
            "{}/runs/{}",
            session.path(),
            parked.run_id()?
        )))
        .await?;
    let run = expect::json(&answer)?;
    let found = expect::member(&answer, &run, "/deadline_at")?;
    expect::equal(&answer, "/deadline_at of a waiting Run", &Value::Null, found)?;
    cx.saw("waiting, the Run has no deadline", &answer);
    cx.pass()
}

fn written(evidence: &Exchange, event: &Event) -> Result<DateTime<FixedOffset>, Stop> {
    time(evidence, event.raw.get("created_at"))
}

fn time(evidence: &Exchange, text: Option<&Value>) -> Result<DateTime<FixedOffset>, Stop> {
    let parsed = text.and_then(Value::as_str).map(DateTime::parse_from_rfc3339);
    let actual = || text.map_or("none".to_owned(), Value::to_string);
    match parsed {
        Some(Ok(time)) => Ok(time),
        _ => Err(Stop::fail("an RFC 3339 time", actual(), evidence)),
    }
}
