use std::collections::BTreeMap;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.status.fits-the-runs",
        title: "A plain turn is pending before its Run works, provisioning and running while it is open, and idle behind it.",
        level: Level::Documented,
        requirements: &["SES-7"],
        stimulus: Stimulus::Work,
        killed_by: &[
            "pending-at-work",
            "provisioning-without-a-run",
            "running-without-a-run",
            "idle-at-work",
        ],
        run: |cx| Box::pin(fits_the_runs(cx)),
    },
    Check {
        id: "srv.status.reconciling",
        title: "Once a Session is reconciling, the Agent of its turn writes nothing any more, and the turn settles.",
        level: Level::Documented,
        requirements: &["SES-7"],
        stimulus: Stimulus::Work,
        killed_by: &["writes-while-reconciling", "reconciles-for-ever"],
        run: |cx| Box::pin(reconciling(cx)),
    },
];

/// How far a Run got in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Admitted,
    AtWork,
    Ended,
}

async fn fits_the_runs(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let mut runs: BTreeMap<&str, Phase> = BTreeMap::new();
    let mut seen = Vec::new();
    for event in &log.events {
        if let Some(status) = event.kind.strip_prefix("session.status_") {
            fits(status, event, &runs, log)?;
            seen.push(status);
        } else if let Some((run, phase)) = moved(event) {
            runs.insert(run, phase);
        }
    }
    expect::that(
        seen.contains(&"idle") && !runs.is_empty(),
        &log.evidence,
        "Runs and an idle in a settled log",
        seen.join(", "),
    )?;
    cx.saw(
        format!("{} fit what the Runs did", seen.join(", ")),
        &log.evidence,
    );
    cx.pass()
}

fn moved(event: &Event) -> Option<(&str, Phase)> {
    let phase = match event.kind.as_str() {
        "run.created" | "run.requeued" => Phase::Admitted,
        "run.started" => Phase::AtWork,
        _ if event.settles_run() => Phase::Ended,
        _ => return None,
    };
    Some((event.run_id()?, phase))
}

fn fits(status: &str, event: &Event, runs: &BTreeMap<&str, Phase>, log: &Log) -> Result<(), Stop> {
    let at_work = runs.values().any(|phase| *phase == Phase::AtWork);
    let open = runs.values().any(|phase| *phase != Phase::Ended);
    let (holds, expected) = match status {
        "pending" => (!at_work, "no Run at work"),
        "provisioning" | "running" => (open, "a Run that has not ended"),
        "idle" if event.settles_session() => (!open, "no Run that has not ended"),
        _ => return Ok(()),
    };
    expect::that(
        holds,
        &log.evidence,
        format!("{expected} where the Session is {status} at seq {}", event.seq),
        format!("{runs:?}"),
    )
}

async fn reconciling(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Reconcile).await?;
    let turn = cx.turn(&session).await?;
    let evidence = &turn.log.evidence;
    let events = turn.events();
    let Some(place) = events
        .iter()
        .position(|event| event.kind == "session.status_reconciling")
    else {
        return Err(Stop::Inconclusive("the turn did not reconcile".to_owned()));
    };
    let behind = events.get(place + 1..).unwrap_or_default();
    let end = behind.iter().position(Event::settles_session);
    let actual = format!("{} events and no settlement", behind.len());
    expect::that(
        end.is_some(),
        evidence,
        "a settlement behind session.status_reconciling",
        actual,
    )?;
    let between = behind.get(..end.unwrap_or_default()).unwrap_or_default();
    let wrote = between.iter().find(|event| event.kind.starts_with("agent."));
    expect::that(
        wrote.is_none(),
        evidence,
        "nothing of the Agent between session.status_reconciling and the settlement",
        wrote.map_or(String::new(), |event| event.raw.to_string()),
    )?;
    cx.saw(
        format!("the turn reconciled at seq {} and settled", events[place].seq),
        evidence,
    );
    cx.pass()
}
