use chrono::DateTime;
use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::Stimulus,
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.run.records",
        title: "A Session lists its Runs in order, each with its trigger, status, usage and cost, and retrieving one shows the same.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["RUN-1", "A-EP"],
        killed_by: &[
            "run-of-another-trigger",
            "run-never-completed",
            "run-without-cost",
            "stale-run-entry",
            "unknown-run-is-there",
            "server:trigger_without_run",
        ],
        run: |cx| Box::pin(records(cx)),
    },
    Check {
        id: "srv.run.records-what-it-read",
        title: "Each start of a Run records the exact versions that it received.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["RUN-2"],
        killed_by: &["start-without-versions", "start-without-memory-access"],
        run: |cx| Box::pin(records_what_it_read(cx)),
    },
    Check {
        id: "srv.run.deadline",
        title: "A started Run's deadline is its Sandbox's longest duration after it began, and the startup allowance at most later.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-DLN"],
        killed_by: &["deadline-too-late", "deadline-at-the-start"],
        run: |cx| Box::pin(deadline(cx)),
    },
];

/// How long a Runner may take to be ready, in seconds, by the published text.
const STARTUP: i64 = 60;

async fn deadline(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let pinned = settled
        .session
        .resource
        .pointer("/agent/sandbox_profile/max_duration_seconds");
    let Some(longest) = pinned.and_then(Value::as_i64) else {
        return Err(Stop::Inconclusive(
            "the Session does not show how long a turn may take".to_owned(),
        ));
    };
    let log = settled.log();
    let moment = |value: Option<&Value>| DateTime::parse_from_rfc3339(value?.as_str()?).ok();
    let mut told = 0;
    for event in log.events.iter().filter(|event| event.kind == "run.started") {
        let began = moment(event.raw.get("created_at"));
        let (Some(began), Some(deadline)) = (began, moment(event.payload("/deadline_at"))) else {
            continue;
        };
        // The claim, which the deadline counts from, is the startup before the start at the earliest.
        let after = (deadline - began).num_milliseconds();
        let fits = (longest * 1000..=(longest + STARTUP) * 1000).contains(&after);
        let expected = format!(
            "a deadline {longest} s to {} s after the start",
            longest + STARTUP
        );
        expect::that(
            fits,
            &log.evidence,
            expected,
            format!("{after} ms after it: {}", event.raw),
        )?;
        told += 1;
    }
    if told == 0 {
        return Err(Stop::Inconclusive("no started Run tells its deadline".to_owned()));
    }
    cx.saw(
        format!(
            "{told} starts with a deadline {longest} s to {} s later",
            longest + STARTUP
        ),
        &log.evidence,
    );
    cx.pass()
}

async fn records(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let path = format!("{}/runs", settled.session.path());
    let answer = cx.send(Request::get(&path)).await?;
    expect::status(&answer, 200)?;
    let body = expect::json(&answer)?;
    let runs = expect::member(&answer, &body, "/data")?
        .as_array()
        .cloned()
        .unwrap_or_default();
    let inputs = [&settled.first.input, &settled.second.input];
    let ids: Vec<_> = runs.iter().map(|run| run["id"].clone()).collect();
    let named = inputs.map(|input| json!(input.run_id()));
    expect::equal(&answer, "the Runs", &json!(named), &json!(ids))?;
    for (run, input) in runs.iter().zip(inputs) {
        let is = |pointer: &str, expected: Value| {
            expect::equal(
                &answer,
                pointer,
                &expected,
                expect::member(&answer, run, pointer)?,
            )
        };
        is("/trigger", json!({"kind": "message", "event_id": input.id}))?;
        is("/status", json!("completed"))?;
        is("/session_id", json!(settled.session.id))?;
        is("/attempt", json!(1))?;
        is("/continuation", json!(0))?;
        for member in ["usage", "cost"] {
            let kept = run[member].is_object();
            expect::that(kept, &answer, format!("an object /{member}"), run.to_string())?;
        }
        let id = run["id"].as_str().unwrap_or_default();
        let shown = cx.send(Request::get(format!("{path}/{id}"))).await?;
        expect::status(&shown, 200)?;
        expect::equal(&shown, "the retrieved Run", run, &expect::json(&shown)?)?;
        cx.saw(format!("{id} is recorded, and retrieved as listed"), &shown);
    }
    let unknown = cx
        .send(Request::get(format!(
            "{path}/run_00000000000000000000000000000000"
        )))
        .await?;
    expect::error(&unknown, 404, "resource.not_found")?;
    cx.saw("an unknown Run is 404", &unknown);
    cx.pass()
}

async fn records_what_it_read(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let mut starts = 0;
    for event in log.events.iter().filter(|event| event.kind == "run.started") {
        for member in ["project_revisions", "memory_versions", "memory_access"] {
            let recorded = event.payload(&format!("/resolved/{member}"));
            let expected = format!("resolved {member} of a started Run");
            let kept = recorded.is_some_and(Value::is_array);
            expect::that(kept, &log.evidence, expected, event.raw.to_string())?;
        }
        starts += 1;
    }
    if starts == 0 {
        return Err(Stop::fail("run.started in the log", "none", &log.evidence));
    }
    cx.saw(
        format!("{starts} starts record what they received"),
        &log.evidence,
    );
    cx.pass()
}
