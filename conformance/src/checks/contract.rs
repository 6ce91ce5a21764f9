use std::collections::BTreeSet;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect, json,
    level::Level,
    stimulus::{Stimulus, replay::Replay, session},
    stop::Stop,
    wire::{
        exchange::Exchange,
        request::Request,
        sse::{Item, Reader},
    },
};

/// Judged over everything that the run exchanged, so they come last.
pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.contract.bodies",
        title: "Every JSON body of the run is what the contract says of its path, method and status.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-ENV", "A-EP"],
        killed_by: &["session-without-principal", "listed-event-without-created-at"],
        run: |cx| Box::pin(bodies(cx)),
    },
    Check {
        id: "srv.contract.frames",
        title: "The data of every stream frame of the run is what the contract says of its type.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-ENV"],
        killed_by: &["streamed-event-without-created-at"],
        run: |cx| Box::pin(frames(cx)),
    },
];

async fn bodies(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let deployment = session::deployment(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    for path in [
        settled.session.path(),
        settled.session.events(),
        session::path(session::UNKNOWN_SESSION),
        "/v1/sessions".to_owned(),
        "/v1/agent_deployments".to_owned(),
        format!("/v1/agent_deployments/{deployment}"),
        "/v1/capabilities".to_owned(),
    ] {
        cx.send(Request::get(path)).await?;
    }
    let mut judged = BTreeSet::new();
    for exchange in cx.bench.client.transcript() {
        let path = exchange.path().split('?').next().unwrap_or_default();
        if is(&exchange, "text/event-stream") || !cx.bench.contract.knows(exchange.method(), path) {
            continue;
        }
        let media_type = exchange.header("content-type").unwrap_or("none");
        let actual = format!("content type {media_type}");
        expect::that(
            is(&exchange, "application/json"),
            &exchange,
            "content type application/json",
            actual,
        )?;
        let body = expect::json(&exchange)?;
        let fault = cx
            .bench
            .contract
            .response(exchange.method(), path, exchange.status(), &body);
        no_fault(&exchange, fault)?;
        if judged.insert((exchange.method(), path.matches('/').count(), exchange.status())) {
            cx.saw(
                format!(
                    "{} {path} {} fits the contract",
                    exchange.method(),
                    exchange.status()
                ),
                &exchange,
            );
        }
    }
    cx.pass()
}

async fn frames(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    Replay::through(
        cx.bench,
        Request::get(settled.session.stream()),
        settled.log().head(),
    )
    .await?;
    for exchange in cx.bench.client.transcript() {
        if !is(&exchange, "text/event-stream") {
            continue;
        }
        let mut fitting = 0_usize;
        for item in Reader::default().push(exchange.body()) {
            let Item::Frame(frame) = item else { continue };
            let fault = match json::read(frame.data.as_bytes()) {
                Ok(data) => cx.bench.contract.frame(&data),
                Err(error) => Some(format!("not JSON: {error}")),
            };
            if let Some(fault) = fault {
                let wire = exchange.excerpt_of(frame.bytes);
                return Err(Stop::fail_with("data that fits the contract", fault, wire));
            }
            fitting += 1;
        }
        if fitting > 0 {
            cx.saw(
                format!("{fitting} frames of {} fit the contract", exchange.path()),
                &exchange,
            );
        }
    }
    cx.pass()
}

fn is(exchange: &Exchange, media_type: &str) -> bool {
    let content_type = exchange.header("content-type").unwrap_or_default();
    content_type
        .split(';')
        .next()
        .is_some_and(|found| found.trim().eq_ignore_ascii_case(media_type))
}

fn no_fault(exchange: &Exchange, fault: Option<String>) -> Result<(), Stop> {
    match fault {
        None => Ok(()),
        Some(fault) => Err(Stop::fail("a body that fits the contract", fault, exchange)),
    }
}
