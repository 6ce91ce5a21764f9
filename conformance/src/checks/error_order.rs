use serde_json::{Value, json};

use super::prompt::LOOKALIKE;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        session::{self, Session, UNKNOWN_SESSION},
        turn,
    },
    stop::Stop,
    wire::request::{Key, Request, Version},
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.errors.order",
    title: "Of several mistakes the first in order is told: key, version, existence, idempotency key, body, state, letters.",
    level: Level::Assumed,
    stimulus: Stimulus::Create,
    requirements: &["A-ORDER"],
    killed_by: &[
        "asks-for-the-version-first",
        "reads-the-body-before-the-path",
        "judges-letters-before-the-state",
        "server:version_first",
    ],
    run: |cx| Box::pin(order(cx)),
}];

async fn order(cx: &mut Context<'_>) -> Judgement {
    let (session, ended) = (cx.session().await?, canceled(cx).await?);
    let marker = cx.bench.fresh_name("order");
    let used = cx.bench.fresh_name("key");
    let append = |path: String, body: &Value| Request::post(path, body).header("idempotency-key", &used);
    let whole = turn::message(cx.bench, &marker);
    let first = cx.send(append(session.events(), &whole)).await?;
    expect::success(&first).map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let unsigned = json!({"type": "user.message", "payload": {"content": "hello"}});
    let letters = json!({"content": [{"type": "text", "text": LOOKALIKE}]});
    let letters = turn::input(cx.bench, "user.message", letters);
    let unknown = || Request::get(session::events(UNKNOWN_SESSION));
    for (what, status, code, request) in [
        (
            "key before version",
            401,
            "auth.invalid_key",
            unknown().key(Key::Wrong).version(Version::Unknown),
        ),
        (
            "version before existence",
            400,
            "request.unsupported_version",
            unknown().version(Version::Unknown),
        ),
        (
            "existence before parameters",
            404,
            "resource.not_found",
            unknown().query("limit", 0),
        ),
        (
            "existence before body",
            404,
            "resource.not_found",
            Request::post(session::events(UNKNOWN_SESSION), &unsigned),
        ),
        (
            "a used key before body",
            422,
            "idempotency.key_reused",
            append(session.events(), &unsigned),
        ),
        (
            "body before state",
            400,
            "request.invalid_body",
            Request::post(ended.events(), &unsigned),
        ),
        (
            "state before letters",
            409,
            "runtime.invalid_transition",
            Request::post(ended.events(), &letters),
        ),
    ] {
        let answer = cx.send(request).await?;
        expect::error(&answer, status, code)?;
        cx.saw(format!("{what}: {status} {code}"), &answer);
    }
    cx.pass()
}

pub(super) async fn canceled(cx: &Context<'_>) -> Result<Session, Stop> {
    let session = cx.session().await?;
    let cancel = Request::post_empty(format!("{}/cancel", session.path()));
    let answer = cx.bench.mutate(cancel).await?;
    expect::success(&answer).map_err(|stop| stop.blocking("srv.terminal.stream-closes"))?;
    Ok(session)
}
