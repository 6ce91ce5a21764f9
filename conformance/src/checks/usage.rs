use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, turn::Turn},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.usage.a-run-per-turn",
        title: "Each turn has a Run of its own, whose events end with its settlement.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["RUN-1"],
        killed_by: &["one-run-for-every-turn", "works-behind-its-end"],
        run: |cx| Box::pin(a_run_per_turn(cx)),
    },
    Check {
        id: "srv.usage.run-record",
        title: "A Run records its trigger, status, usage and cost, retrieved and listed as in the log.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["RUN-1", "A-EP"],
        killed_by: &["forgets-the-trigger", "forgets-the-cost", "lists-another-run"],
        run: |cx| Box::pin(run_record(cx)),
    },
    Check {
        id: "srv.usage.adds-up",
        title: "The Session's usage is the sum of its Runs', in the log and in the resource.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["SES-5", "A-TURN", "A-EP"],
        killed_by: &[
            "usage-starts-over",
            "resource-without-usage",
            "server:usage_not_summed",
        ],
        run: |cx| Box::pin(adds_up(cx)),
    },
];

async fn a_run_per_turn(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = cx.log(&settled.session.id).await?;
    let (mut runs, mut ends) = (BTreeSet::new(), Vec::new());
    for turn in [&settled.first, &settled.second] {
        let end = end_of(turn)?;
        let run = end.run_id().unwrap_or_default();
        let actual = format!("{run} once more");
        let expected = "a Run of its own for each turn";
        expect::that(runs.insert(run), &log.evidence, expected, actual)?;
        ends.push((run, end.seq));
    }
    for (run, end) in ends {
        let late = log.above(end).iter().find(|event| works_on(event, run));
        let actual = late.map_or(String::new(), |event| {
            format!("{} at seq {}", event.kind, event.seq)
        });
        let expected = format!("no work of {run} behind its end");
        expect::that(late.is_none(), &log.evidence, expected, actual)?;
        cx.saw(format!("{run} is the Run of one turn and ends it"), &log.evidence);
    }
    cx.pass()
}

fn works_on(event: &Event, run: &str) -> bool {
    let works = event.settles_run() || event.kind.starts_with("agent.");
    works && event.run_id() == Some(run)
}

async fn run_record(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let path = format!("{}/runs", settled.session.path());
    let list = cx.send(Request::get(&path)).await?;
    expect::status(&list, 200)?;
    let page = expect::json(&list)?;
    for (place, turn) in [&settled.first, &settled.second].into_iter().enumerate() {
        let end = end_of(turn)?;
        let run = end.run_id().unwrap_or_default();
        let answer = cx.send(Request::get(format!("{path}/{run}"))).await?;
        expect::status(&answer, 200)?;
        let record = expect::json(&answer)?;
        let is = |pointer: &str, expected: &Value| {
            expect::equal(
                &answer,
                pointer,
                expected,
                expect::member(&answer, &record, pointer)?,
            )
        };
        is("/trigger/event_id", &turn.input.id.as_str().into())?;
        is("/status", &"completed".into())?;
        for pointer in ["/usage", "/cost"] {
            let logged = end.payload(pointer).unwrap_or(&Value::Null);
            expect::that(
                logged.is_object(),
                &turn.log.evidence,
                format!("{pointer} on the end of a Run"),
                "none",
            )?;
            is(pointer, logged)?;
        }
        let listed = expect::member(&list, &page, &format!("/data/{place}"))?;
        expect::equal(&list, &format!("Run {} of the list", place + 1), &record, listed)?;
        cx.saw(
            format!("{run} records its trigger, status, usage and cost"),
            &answer,
        );
    }
    cx.pass()
}

async fn adds_up(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let mut sum = [0; COUNTS.len()];
    for turn in [&settled.first, &settled.second] {
        for (total, count) in sum.iter_mut().zip(counts(end_of(turn)?.payload("/usage"))) {
            *total += count;
        }
        let usage = turn
            .log
            .events
            .iter()
            .rev()
            .find(|event| event.kind == "session.usage");
        let logged = counts(usage.and_then(|event| event.payload("/usage")));
        let evidence = &turn.log.evidence;
        expect::that(
            logged == sum,
            evidence,
            format!("session.usage of {sum:?}"),
            format!("{logged:?}"),
        )?;
        cx.saw(format!("usage adds up to {sum:?}"), evidence);
    }
    let usage = log
        .events
        .iter()
        .rev()
        .find(|event| event.kind == "session.usage");
    let logged = usage
        .and_then(|event| event.payload("/usage"))
        .unwrap_or(&Value::Null);
    let answer = cx.send(Request::get(settled.session.path())).await?;
    let resource = expect::json(&answer)?;
    expect::equal(
        &answer,
        "/usage",
        logged,
        expect::member(&answer, &resource, "/usage")?,
    )?;
    cx.saw("the Session shows the same usage", &answer);
    cx.pass()
}

const COUNTS: [&str; 4] = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
];

fn counts(usage: Option<&Value>) -> [u64; COUNTS.len()] {
    COUNTS.map(|name| usage.and_then(|usage| usage[name].as_u64()).unwrap_or_default())
}

fn end_of(turn: &Turn) -> Result<&Event, Stop> {
    let end = turn.events().iter().find(|event| event.settles_run());
    end.ok_or_else(|| Stop::fail("the end of a Run in each turn", "none", &turn.log.evidence))
}
