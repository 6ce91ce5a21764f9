use serde_json::{Value, json};

use super::{error_order::canceled, errors::one_shape};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.contract.refusals",
    title: "Every refusal of the run has the one error shape, typed by its status; 429 and 503 say when to come back.",
    level: Level::Assumed,
    stimulus: Stimulus::Create,
    requirements: &["A-ERR"],
    killed_by: &[
        "conflicts-typed-as-requests",
        "unknown-endpoint-in-plain-words",
        "unprocessable-is-retryable",
        "server:no_request_id",
        "server:other_request_id",
        "server:plain_text_errors",
    ],
    run: |cx| Box::pin(all_alike(cx)),
}];

async fn all_alike(cx: &mut Context<'_>) -> Judgement {
    let ended = canceled(cx).await?;
    let key = cx.bench.fresh_name("key");
    let create = session::creation(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let mut other = create.clone();
    other["title"] = json!("another");
    let keyed = |body: &Value| Request::post("/v1/sessions", body).header("idempotency-key", &key);
    let created = cx.send(keyed(&create)).await?;
    expect::success(&created)?;
    for (status, request) in [
        (
            409,
            Request::post(ended.events(), &turn::message(cx.bench, "late")),
        ),
        (422, keyed(&other)),
        (404, Request::get("/v1/no_such_endpoint")),
        (405, Request::post_empty("/v1/capabilities")),
    ] {
        let answer = cx.send(request).await?;
        expect::status(&answer, status)?;
    }
    for answer in cx.bench.client.transcript() {
        if answer.status() < 400 {
            continue;
        }
        one_shape(&answer)?;
        if matches!(answer.status(), 429 | 503) {
            let after = answer.header("retry-after").unwrap_or("none");
            expect::that(after != "none", &answer, "Retry-After", after)?;
        }
        cx.saw(
            format!("{} {} {}", answer.method(), answer.path(), answer.status()),
            &answer,
        );
    }
    cx.pass()
}
