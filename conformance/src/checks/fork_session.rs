use std::sync::Arc;

use serde_json::{Value, json};

use super::fork::set_up;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        session::{self},
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.fork.resource",
        title: "A fork is a Session of the same deployment revision, principal and primary thread, idle, and says what it was forked from.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &[
            "fork-pins-another-revision",
            "fork-without-an-origin",
            "fork-answers-200",
        ],
        run: |cx| Box::pin(resource(cx)),
    },
    Check {
        id: "srv.fork.starts-clean",
        title: "A fork shows no Run of its source, and a message drives it.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &["fork-carries-runs-over"],
        run: |cx| Box::pin(starts_clean(cx)),
    },
];

async fn resource(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let (source, made) = set_up(cx).await?;
    expect::status(&made.answer, 201)?;
    let is = |pointer: &str, expected: &Value| {
        let actual = expect::member(&made.answer, &made.resource, pointer)?;
        expect::equal(&made.answer, pointer, expected, actual)
    };
    for pointer in [
        "/agent_deployment_id",
        "/agent_deployment_revision_number",
        "/agent",
        "/principal_id",
        "/primary_thread_id",
        "/workspace_id",
        "/project_mounts",
        "/memory_mounts",
    ] {
        is(
            pointer,
            settled.session.resource.pointer(pointer).unwrap_or(&Value::Null),
        )?;
    }
    let last = source.events.last().map(|event| event.id.as_str());
    is(
        "/forked_from",
        &json!({"session_id": settled.session.id, "event_id": last, "seq": source.head()}),
    )?;
    is("/status", &json!("idle"))?;
    is("/stop_reason", &json!("end_turn"))?;
    is("/last_seq", &json!(source.head() + 2))?;
    let answer = cx.send(Request::get(made.path())).await?;
    let kept = retrieved(&answer)?;
    expect::equal(&answer, "the retrieved fork", &made.resource, &kept)?;
    cx.saw("the fork is pinned as its source and names it", &made.answer);
    cx.pass()
}

fn retrieved(answer: &Arc<Exchange>) -> Result<Value, Stop> {
    expect::status(answer, 200)?;
    expect::json(answer)
}

async fn starts_clean(cx: &mut Context<'_>) -> Judgement {
    let (_, made) = set_up(cx).await?;
    let runs = cx
        .send(Request::get(format!("{}/runs", session::path(&made.id))))
        .await?;
    expect::equal(
        &runs,
        "the Runs of a new fork",
        &json!([]),
        &retrieved(&runs)?["data"],
    )?;
    cx.saw("a new fork has no Run", &runs);
    let turn = cx.turn(&made).await?;
    let own = turn.input.run_id().map(str::to_owned);
    let runs = cx
        .send(Request::get(format!("{}/runs", session::path(&made.id))))
        .await?;
    let shown = retrieved(&runs)?;
    let ids: Vec<_> = shown["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|run| run["id"].clone())
        .collect();
    expect::equal(&runs, "its Runs after a turn", &json!([own]), &json!(ids))?;
    cx.saw("after a turn it has that turn's Run alone", &runs);
    cx.pass()
}
