use serde_json::{Value, json};

use super::error_order::canceled;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        fork,
        log::Log,
        look,
        session::{self, Session},
        turn, wait,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.fork.of-a-running-session",
        title: "A Session can be forked at its head while it runs: the fork rests, without a Run, and the source runs on.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &["forks-nothing-that-runs", "fork-of-what-runs-runs"],
        run: |cx| Box::pin(of_a_running_session(cx)),
    },
    Check {
        id: "srv.fork.of-a-waiting-session",
        title: "The fork of a Session that waits rests and takes no answer to the copied wait; the source still takes it.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &["fork-waits-too", "copied-waits-take-answers"],
        run: |cx| Box::pin(of_a_waiting_session(cx)),
    },
    Check {
        id: "srv.fork.of-an-ended-session",
        title: "An ended Session can be forked at its head; the fork rests and a message drives it, and the source stays ended.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &["forks-nothing-that-ended", "fork-of-what-ended-has-ended"],
        run: |cx| Box::pin(of_an_ended_session(cx)),
    },
];

/// How many Runs are tried, since one may settle before the fork is made.
const TRIES: usize = 3;

async fn of_a_running_session(cx: &mut Context<'_>) -> Judgement {
    for _ in 0..TRIES {
        let session = running(cx).await?;
        let (made, log) = at_rest(cx, &session).await?;
        let mut copied = log
            .events
            .iter()
            .take_while(|event| event.kind != "session.forked");
        if copied.any(Event::settles_run) {
            continue;
        }
        cx.saw(
            format!("forked while it ran, at {}", made.resource["forked_from"]),
            &made.answer,
        );
        let still = cx.rested(&made.id).await?;
        log.expect_unchanged(&still, "the fork while its source runs on")?;
        cx.saw("the fork rests while its source runs on", &still.evidence);
        return cx.pass();
    }
    Err(Stop::Inconclusive(format!(
        "each of {TRIES} Runs had settled before the fork was made"
    )))
}

/// A Session whose Run was seen to work.
async fn running(cx: &Context<'_>) -> Result<Session, Stop> {
    let session = cx.session_of(AgentKind::Slow).await?;
    cx.offered("forks").await?;
    let marker = cx.bench.fresh_name("forked");
    let said = turn::say(cx.bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let works = |log: &Log| {
        let mut events = log.events.iter();
        events.any(|event| event.kind == "session.status_running")
    };
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), works).await?;
    looked.map_err(|_| Stop::Inconclusive("the Session did not run".to_owned()))?;
    Ok(session)
}

async fn of_a_waiting_session(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    cx.offered("forks").await?;
    let parked = cx.parked(&session).await?;
    let (made, log) = at_rest(cx, &session).await?;
    let response = wait::fitting(cx.bench, parked.action());
    let answer = cx.post(&made, &response).await?;
    expect::error(&answer, 409, "runtime.stale_wait")?;
    let now = cx.log(&made.id).await?;
    log.expect_unchanged(&now, "the fork after an answer to a copied wait")?;
    cx.saw("an answer to the copied wait is refused", &answer);
    let accepted = cx.accepted(&session, &response).await?;
    cx.saw("the source takes it", &accepted);
    cx.pass()
}

async fn of_an_ended_session(cx: &mut Context<'_>) -> Judgement {
    cx.offered("forks").await?;
    let session = canceled(cx).await?;
    let before = cx.log(&session.id).await?;
    let (made, _) = at_rest(cx, &session).await?;
    let turn = cx.turn(&made).await?;
    cx.saw(
        "a message drives the fork of an ended Session",
        &turn.log.evidence,
    );
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the ended source after a turn of its fork")?;
    let shown = cx.send(Request::get(session.path())).await?;
    let status = expect::json(&shown)?["status"].clone();
    expect::equal(&shown, "the status of the source", &json!("canceled"), &status)?;
    cx.saw("the source stays ended", &shown);
    cx.pass()
}

/// A fork of the head that is idle, in its resource and as last event, and has no Run.
async fn at_rest(cx: &Context<'_>, source: &Session) -> Result<(Session, Log), Stop> {
    let made = fork::make(cx.bench, source, &json!({})).await?;
    let is = |pointer: &str, expected: Value| {
        let actual = made.resource.pointer(pointer).unwrap_or(&Value::Null);
        let what = format!("{pointer} of the fork");
        expect::equal(&made.answer, &what, &expected, actual)
    };
    is("/status", json!("idle"))?;
    is("/stop_reason", json!("end_turn"))?;
    let log = cx.log(&made.id).await?;
    let tail = log.events.iter().rev().take(2);
    let tail: Vec<_> = tail.map(|event| event.kind.as_str()).collect();
    expect::that(
        tail == ["session.status_idle", "session.forked"],
        &log.evidence,
        "session.forked and session.status_idle last in the fork",
        tail.join(", "),
    )?;
    let runs = cx
        .send(Request::get(format!("{}/runs", session::path(&made.id))))
        .await?;
    expect::status(&runs, 200)?;
    let listed = expect::json(&runs)?["data"].clone();
    expect::equal(&runs, "the Runs of the fork", &json!([]), &listed)?;
    Ok((made, log))
}
