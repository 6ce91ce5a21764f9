use serde_json::Value;

use super::ending::end;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, session::Session, turn},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.ended.completed",
        title: "Behind session.status_completed nothing runs any more, whatever is posted.",
        level: Level::Documented,
        requirements: &["SES-8"],
        stimulus: Stimulus::Work,
        killed_by: &["runs-after-completed", "idles-after-completed"],
        run: |cx| Box::pin(by_request(cx, "complete", "completed")),
    },
    Check {
        id: "srv.ended.canceled",
        title: "Behind session.status_canceled nothing runs any more, whatever is posted.",
        level: Level::Documented,
        requirements: &["SES-8"],
        stimulus: Stimulus::Work,
        killed_by: &["runs-after-canceled", "idles-after-canceled"],
        run: |cx| Box::pin(by_request(cx, "cancel", "canceled")),
    },
    Check {
        id: "srv.ended.failed",
        title: "Behind session.status_failed nothing runs any more, whatever is posted.",
        level: Level::Documented,
        requirements: &["SES-8"],
        stimulus: Stimulus::Work,
        killed_by: &["runs-after-failed", "idles-after-failed"],
        run: |cx| Box::pin(by_failure(cx)),
    },
];

async fn by_request(cx: &mut Context<'_>, how: &str, status: &str) -> Judgement {
    let session = cx.session().await?;
    cx.turn(&session).await?;
    let answer = end(cx, &session, how).await?;
    if let Err(Stop::Fail(_)) = expect::success(&answer) {
        let why = format!("no way known to {how} a Session here");
        return Err(Stop::Inconclusive(why));
    }
    stays_ended(cx, &session, status).await
}

async fn by_failure(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Broken).await?;
    let head = cx.log(&session.id).await?.head();
    let marker = cx.bench.fresh_name("failure");
    let message = turn::message_saying(cx.bench, &format!("Let the whole session fail. ({marker})"));
    let said = cx.accepted(&session, &message).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let settled = |log: &Log| log.above(head).iter().any(Event::settles_session);
    let log = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), settled).await?;
    let (Ok(log) | Err(log)) = log;
    match log.above(head).iter().find(|event| event.settles_session()) {
        Some(event) if event.kind == "session.status_failed" => stays_ended(cx, &session, "failed").await,
        _ => Err(Stop::Inconclusive(
            "the Agent failed, and its Session did not fail with it".to_owned(),
        )),
    }
}

/// Posts a message, whatever the answer, and expects nothing that runs behind the status.
async fn stays_ended(cx: &mut Context<'_>, session: &Session, status: &str) -> Judgement {
    let message = turn::message(cx.bench, &cx.bench.fresh_name("late"));
    let answer = cx.bench.mutate(Request::post(session.events(), &message)).await?;
    let log = cx.rested(&session.id).await?;
    let kind = format!("session.status_{status}");
    let place = log.events.iter().position(|event| event.kind == kind);
    let Some(place) = place else {
        return Err(Stop::fail(format!("{kind} in the log"), "none", &log.evidence));
    };
    let behind = log.events.get(place + 1..).unwrap_or_default();
    let on = behind.iter().find(|event| goes_on(event));
    expect::that(
        on.is_none(),
        &log.evidence,
        format!("nothing that runs behind {kind}"),
        on.map_or(String::new(), |event| event.raw.to_string()),
    )?;
    cx.saw(
        format!(
            "a late message was answered {}, and {kind} is the end",
            answer.status()
        ),
        &log.evidence,
    );
    let answer = cx.send(Request::get(session.path())).await?;
    let resource = expect::json(&answer)?;
    expect::equal(
        &answer,
        "the status of the ended Session",
        &Value::from(status),
        &resource["status"],
    )?;
    cx.saw(format!("the Session is {status}"), &answer);
    cx.pass()
}

fn goes_on(event: &Event) -> bool {
    event.kind.starts_with("session.status_")
        || event.kind.starts_with("agent.")
        || matches!(
            event.kind.as_str(),
            "run.created" | "run.started" | "run.requeued" | "run.completed"
        )
}
