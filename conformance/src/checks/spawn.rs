use serde_json::json;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::{LARGEST_PAGE, Log},
    },
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.child.spawn-does-not-park",
        title: "Spawning does not park the primary's Run, and the report of a child starts another one.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["MUL-1"],
        killed_by: &["spawning-parks", "reports-wake-nobody"],
        run: |cx| Box::pin(spawn_does_not_park(cx)),
    },
    Check {
        id: "srv.child.retries-exhausted",
        title: "A child whose Runner is lost says so while it is tried again, and ends idle with retries_exhausted, addressable as before.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-11"],
        killed_by: &[
            "reschedules-in-silence",
            "exhausted-child-is-terminated",
            "exhausted-for-another-reason",
        ],
        run: |cx| Box::pin(retries_exhausted(cx)),
    },
];

async fn spawn_does_not_park(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let Some(run) = family.input.run_id() else {
        return Err(Stop::Inconclusive("the message does not name its Run".to_owned()));
    };
    let of_run = |event: &&Event| event.run_id() == Some(run);
    let own: Vec<_> = family.log.events.iter().filter(of_run).collect();
    let parked = own.iter().find(|event| event.kind == "run.waiting");
    let actual = parked.map(|event| event.raw.to_string()).unwrap_or_default();
    let expected = format!("{run}, which spawned, never parked");
    expect::that(parked.is_none(), &family.log.evidence, expected, actual)?;
    let settled = own.iter().find(|event| event.settles_run());
    expect::that(
        settled.is_some(),
        &family.log.evidence,
        format!("{run} settled"),
        "it is not",
    )?;
    cx.saw(
        format!("{run} spawned and settled without a wait"),
        &family.log.evidence,
    );
    let woken = family
        .log
        .events
        .iter()
        .find(|event| event.settles_run() && event.run_id() != Some(run));
    let expected = "another Run of the primary for the report of a child";
    expect::that(woken.is_some(), &family.log.evidence, expected, "none")?;
    cx.saw("a report started another Run", &family.log.evidence);
    cx.pass()
}

async fn retries_exhausted(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family_of(AgentKind::Exhausted).await?;
    let Some((child, log)) = family.histories.first() else {
        return Err(Stop::Inconclusive("the Agent spawned no child".to_owned()));
    };
    let mut views = log.events.iter().chain(&family.log.events);
    let seen = views.any(|event| event.kind == "session.thread_status_rescheduled");
    let expected = "session.thread_status_rescheduled for the child";
    expect::that(seen, &log.evidence, expected, "none")?;
    cx.saw(format!("{} was rescheduled", child.id), &log.evidence);
    let status = json!(child.status());
    expect::equal(
        &family.threads.evidence,
        "the status of the exhausted child",
        &json!("idle"),
        &status,
    )?;
    let reason = json!({"type": "retries_exhausted"});
    let mut told = log
        .events
        .iter()
        .filter_map(|event| event.payload("/stop_reason"));
    let told = child.resource.get("stop_reason") == Some(&reason) || told.any(|told| *told == reason);
    let expected = format!("stop_reason {reason} of the exhausted child");
    expect::that(told, &log.evidence, expected, "another")?;
    let again = Log::walk_at(cx.bench, &child.events(), LARGEST_PAGE).await?;
    log.expect_unchanged(&again, "the exhausted child's list")?;
    cx.saw(
        "it is idle with retries_exhausted, and readable",
        &family.threads.evidence,
    );
    cx.pass()
}
