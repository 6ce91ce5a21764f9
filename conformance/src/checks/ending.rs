use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session, turn, wait},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.ending.failure-names-its-run",
        title: "A Run that fails has one settlement, run.failed, that names it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["RUN-3"],
        killed_by: &["failure-looks-like-success", "another-run-fails"],
        run: |cx| Box::pin(failure_names_its_run(cx)),
    },
    Check {
        id: "srv.ending.failure-says-why",
        title: "A failed Run says why, and the turn ends in an idle with run_failed that can be driven again.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-STOP", "A-ENV"],
        killed_by: &["fails-without-a-reason", "failed-turn-ends-well"],
        run: |cx| Box::pin(failure_says_why(cx)),
    },
    Check {
        id: "srv.ending.stop-reason",
        title: "The stop reason of a Session's idle is a string, in log and resource.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-STOP"],
        killed_by: &["stop-reason-is-an-object"],
        run: |cx| Box::pin(stop_reason(cx)),
    },
    Check {
        id: "srv.ending.complete",
        title: "Completing a Session cancels its waiting Run, writes session.status_completed last, where its head then stays, and refuses the late answer.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-END", "A-EP", "A-HEAD"],
        killed_by: &[
            "ended-session-loses-its-head",
            "ends-and-leaves-the-run",
            "ends-in-idle",
            "ended-session-takes-answers",
            "server:complete_keeps_runs",
            "server:end_is_not_last",
        ],
        run: |cx| Box::pin(ends(cx, "complete", "completed")),
    },
    Check {
        id: "srv.ending.cancel",
        title: "Canceling a Session cancels its waiting Run, writes session.status_canceled last, where its head then stays, and refuses the late answer.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-END", "A-EP", "A-HEAD"],
        killed_by: &[
            "ended-session-loses-its-head",
            "ends-and-leaves-the-run",
            "ends-in-idle",
            "ended-session-takes-answers",
        ],
        run: |cx| Box::pin(ends(cx, "cancel", "canceled")),
    },
    Check {
        id: "srv.ending.is-final",
        title: "A terminal Session refuses interrupts and every other end by 409 runtime.invalid_transition and stays as it is.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-TRANS", "A-END"],
        killed_by: &["ends-twice"],
        run: |cx| Box::pin(is_final(cx)),
    },
];

async fn failure_names_its_run(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Broken).await?;
    let turn = cx.turn(&session).await?;
    let Some(run) = turn.input.run_id() else {
        return Err(Stop::Inconclusive("the message names no Run".to_owned()));
    };
    let ends = turn.events().iter().filter(|event| event.settles_run());
    let ends: Vec<_> = ends
        .map(|event| format!("{} of {}", event.kind, event.run_id().unwrap_or("none")))
        .collect();
    let expected = format!("run.failed of {run}");
    expect::that(
        ends == [expected.clone()],
        &turn.log.evidence,
        &expected,
        ends.join(", "),
    )?;
    cx.saw(expected, &turn.log.evidence);
    cx.pass()
}

async fn failure_says_why(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Broken).await?;
    let turn = cx.turn(&session).await?;
    let evidence = &turn.log.evidence;
    let failed = turn.events().iter().find(|event| event.kind == "run.failed");
    let code = failed.and_then(|event| event.payload("/error/code"));
    let actual = code.map_or("none".to_owned(), Value::to_string);
    expect::that(
        code.is_some_and(Value::is_string),
        evidence,
        "an error code on run.failed",
        actual,
    )?;
    let end = turn.events().iter().find(|event| event.settles_session());
    let reason = end
        .and_then(|event| event.payload("/stop_reason"))
        .unwrap_or(&Value::Null);
    expect::equal(
        evidence,
        "the stop reason of a failed turn",
        &"run_failed".into(),
        reason,
    )?;
    cx.saw("the failed turn ended in run_failed", evidence);
    let again = turn::say(cx.bench, &session.id, &cx.bench.fresh_name("again")).await?;
    cx.saw("and the next message is accepted", &again);
    cx.pass()
}

async fn stop_reason(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = cx.log(&settled.session.id).await?;
    for idle in log
        .events
        .iter()
        .filter(|event| event.kind == "session.status_idle")
    {
        let reason = idle.payload("/stop_reason").unwrap_or(&Value::Null);
        let actual = reason.to_string();
        expect::that(
            reason.is_string(),
            &log.evidence,
            "a string for a stop reason",
            &actual,
        )?;
        cx.saw(format!("stop reason {actual} at seq {}", idle.seq), &log.evidence);
    }
    cx.pass()
}

async fn ends(cx: &mut Context<'_>, how: &str, status: &str) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let answer = end(cx, &session, how).await?;
    expect::status(&answer, 200)?;
    let resource = expect::json(&answer)?;
    let found = expect::member(&answer, &resource, "/status")?;
    expect::equal(&answer, "/status", &status.into(), found)?;
    cx.saw(format!("the Session is {status}"), &answer);
    let log = cx.log(&session.id).await?;
    let last = format!("session.status_{status}");
    expect::kinds(
        &log.evidence,
        log.above(parked.log.head()),
        &["run.canceled", &last],
    )?;
    cx.saw(
        format!("run.canceled and {last} are the last events"),
        &log.evidence,
    );
    let shown = cx.send(Request::get(session.path())).await?;
    for (what, answer) in [("the answer", &answer), ("the ended Session", &shown)] {
        let resource = expect::json(answer)?;
        let head = expect::member(answer, &resource, "/last_seq")?;
        expect::equal(answer, &format!("/last_seq of {what}"), &log.head().into(), head)?;
    }
    cx.saw(format!("its head is {}", log.head()), &shown);
    let late = cx
        .post(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    expect::refused_for_good(&late)?;
    let now = cx.log(&session.id).await?;
    log.expect_unchanged(&now, "the log of an ended Session")?;
    cx.saw(format!("the late answer gets {}", late.status()), &late);
    cx.pass()
}

async fn is_final(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    expect::status(&*end(cx, &session, "complete").await?, 200)?;
    let log = cx.log(&session.id).await?;
    let interrupt = wait::signed(cx.bench, "user.interrupt", serde_json::json!({}));
    let refusals = [
        end(cx, &session, "complete").await?,
        end(cx, &session, "cancel").await?,
        cx.post(&session, &interrupt).await?,
    ];
    for answer in refusals {
        expect::error(&answer, 409, "runtime.invalid_transition")?;
        cx.saw(format!("{} is refused", answer.path()), &answer);
    }
    let now = cx.log(&session.id).await?;
    log.expect_unchanged(&now, "the log of an ended Session")?;
    cx.pass()
}

/// Ends a Session by the act of this name.
pub(super) async fn end(
    cx: &Context<'_>,
    session: &Session,
    how: &str,
) -> Result<std::sync::Arc<crate::wire::exchange::Exchange>, Stop> {
    let request = Request::post_empty(format!("{}/{how}", session.path()));
    cx.bench.mutate(request).await
}
