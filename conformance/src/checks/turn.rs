use std::collections::BTreeMap;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        turn::{self, Turn},
    },
    stop::Stop,
    wire::exchange::Exchange,
};

const STATUSES: [&str; 10] = [
    "pending",
    "provisioning",
    "running",
    "waiting",
    "paused",
    "reconciling",
    "idle",
    "completed",
    "failed",
    "canceled",
];

/// What a plain turn writes, in order; what may stand between is left out.
const PLAIN_TURN: [&str; 9] = [
    "user.message",
    "run.created",
    "session.status_provisioning",
    "run.started",
    "session.status_running",
    "agent.message",
    "run.completed",
    "session.usage",
    "session.status_idle",
];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.turn.settles",
        title: "An accepted message leads to a settlement in the log, after which the Session can be driven again.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-6", "SES-8"],
        killed_by: &["never-settles", "not-drivable-again", "completes-by-itself"],
        run: |cx| Box::pin(settles(cx)),
    },
    Check {
        id: "srv.turn.run-settles",
        title: "Every Run of a settled turn has one settlement that names it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["RUN-3"],
        killed_by: &[
            "run-without-an-end",
            "another-run-ends",
            "server:no_run_completed",
        ],
        run: |cx| Box::pin(run_settles(cx)),
    },
    Check {
        id: "srv.turn.order",
        title: "A plain turn writes its events in the fixed order, up to an idle with end_turn.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-TURN"],
        killed_by: &[
            "run-starts-unseen",
            "idles-for-another-reason",
            "server:idle_before_run_completed",
            "server:no_run_created",
        ],
        run: |cx| Box::pin(order(cx)),
    },
    Check {
        id: "srv.turn.ten-statuses",
        title: "Every status in the log is one of the ten.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["SES-7"],
        killed_by: &["an-eleventh-status", "provisioning-by-another-name"],
        run: |cx| Box::pin(ten_statuses(cx)),
    },
];

async fn settles(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    for what in ["the first", "the second"] {
        let turn = turn::drive(cx.bench, &session.id).await?;
        let settlement = turn.events().iter().find(|event| event.settles_session());
        let evidence = &turn.log.evidence;
        let kind = settlement.map_or("none", |event| event.kind.as_str());
        if kind == "session.status_failed" {
            return Err(Stop::Inconclusive(format!(
                "{what} turn ended the Session by a failure"
            )));
        }
        expect::that(
            kind == "session.status_idle",
            evidence,
            "an idle after a plain turn",
            kind,
        )?;
        cx.saw(
            format!("{what} message settled in {} events", turn.events().len()),
            evidence,
        );
    }
    cx.pass()
}

async fn run_settles(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    for turn in [&settled.first, &settled.second] {
        let ends = ends_by_run(turn)?;
        let evidence = &turn.log.evidence;
        let seq = turn.input.seq;
        expect::that(
            !ends.is_empty(),
            evidence,
            format!("a Run for the message at seq {seq}"),
            "none",
        )?;
        for (run, ends) in &ends {
            let expected = format!("one settlement of {run}");
            expect::that(
                *ends == 1,
                evidence,
                expected,
                format!("{ends} in its settled turn"),
            )?;
            cx.saw(format!("{run} has its one settlement"), evidence);
        }
    }
    cx.pass()
}

fn ends_by_run(turn: &Turn) -> Result<BTreeMap<String, usize>, Stop> {
    let mut ends = BTreeMap::new();
    // A later turn's events stand in the same log, but not below this turn's own settlement.
    let end = turn
        .events()
        .iter()
        .position(Event::settles_session)
        .unwrap_or(turn.events().len());
    for event in turn.events()[..end]
        .iter()
        .filter(|event| event.kind.starts_with("run."))
    {
        let run = named(event, &turn.log.evidence)?;
        *ends.entry(run.to_owned()).or_insert(0) += usize::from(event.settles_run());
    }
    if let Some(run) = turn.input.run_id() {
        ends.entry(run.to_owned()).or_insert(0);
    }
    Ok(ends)
}

fn named<'e>(event: &'e Event, evidence: &Exchange) -> Result<&'e str, Stop> {
    let run = event
        .run_id()
        .or_else(|| event.payload("/run_id").and_then(|id| id.as_str()));
    run.ok_or_else(|| {
        Stop::fail(
            format!("a run_id on {} at seq {}", event.kind, event.seq),
            "none",
            evidence,
        )
    })
}

async fn order(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let first = settled.first.log.events.iter();
    let second = settled.second.log.above(settled.first.log.head()).iter();
    for events in [first.collect::<Vec<_>>(), second.collect()] {
        let evidence = &settled.log().evidence;
        let mut kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
        kinds.retain(|kind| PLAIN_TURN.contains(kind));
        kinds.dedup_by(|one, other| one == other && *one == "agent.message");
        expect::that(
            kinds == PLAIN_TURN,
            evidence,
            PLAIN_TURN.join(", "),
            kinds.join(", "),
        )?;
        let reason = events
            .last()
            .and_then(|event| event.payload("/stop_reason"))
            .cloned()
            .unwrap_or_default();
        expect::equal(evidence, "the stop reason", &"end_turn".into(), &reason)?;
        cx.saw(format!("a plain turn in {} events", events.len()), evidence);
    }
    cx.pass()
}

async fn ten_statuses(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let mut seen = Vec::new();
    for event in &log.events {
        let Some(status) = event.kind.strip_prefix("session.status_") else {
            continue;
        };
        let actual = format!("{status} at seq {}", event.seq);
        expect::that(
            STATUSES.contains(&status),
            &log.evidence,
            "one of the ten statuses",
            actual,
        )?;
        seen.push(status);
    }
    expect::that(
        !seen.is_empty(),
        &log.evidence,
        "statuses in a settled log",
        "none",
    )?;
    cx.saw(
        format!("{} status events: {}", seen.len(), seen.join(", ")),
        &log.evidence,
    );
    cx.pass()
}
