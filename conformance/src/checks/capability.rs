use std::sync::Arc;

use serde_json::Value;

use crate::{
    capability::CAPABILITIES,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, bench::Opened, capability::probes},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.capability.disabled-is-refused",
        title: "What the server lists as disabled is refused for good, and nothing of it is done.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-5"],
        killed_by: &["runs-what-is-disabled", "refuses-and-runs", "server:no_fence"],
        run: |cx| Box::pin(disabled_is_refused(cx)),
    },
    Check {
        id: "srv.capability.refusal-names-it",
        title: "The refusal is 403 capability.disabled and names the capability in its details.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-CAP"],
        killed_by: &["capability-refusal-is-404", "capability-refusal-is-nameless"],
        run: |cx| Box::pin(refusal_names_it(cx)),
    },
];

async fn disabled_is_refused(cx: &mut Context<'_>) -> Judgement {
    let (settled, own) = cx.settled_or_own().await?;
    let mut probed = false;
    for capability in disabled(cx).await? {
        for request in probes(cx.bench, &capability, &settled.session, own) {
            probed = true;
            let answer = probe(cx, request).await?;
            expect::refused_for_good(&answer)?;
            let text = format!(
                "{capability}: {} {} answered {}",
                answer.method(),
                answer.path(),
                answer.status()
            );
            cx.saw(text, &answer);
        }
        let now = cx.log(&settled.session.id).await?;
        settled
            .log()
            .expect_unchanged(&now, &format!("the log after {capability} was refused"))?;
    }
    some(probed)?;
    cx.pass()
}

async fn refusal_names_it(cx: &mut Context<'_>) -> Judgement {
    let (settled, own) = cx.settled_or_own().await?;
    let mut probed = false;
    for capability in disabled(cx).await? {
        for request in probes(cx.bench, &capability, &settled.session, own) {
            probed = true;
            let answer = probe(cx, request).await?;
            let body = expect::error(&answer, 403, "capability.disabled")?;
            let details = expect::member(&answer, &body, "/error/details")?;
            let named = details
                .as_object()
                .is_some_and(|details| details.values().any(|value| *value == capability));
            expect::that(
                named,
                &answer,
                format!("{capability} in the details"),
                details.to_string(),
            )?;
            cx.saw(
                format!("{} {} names {capability}", answer.method(), answer.path()),
                &answer,
            );
        }
    }
    some(probed)?;
    cx.pass()
}

/// A capability may have no request of its own, or none that this run may send.
fn some(probed: bool) -> Result<(), Stop> {
    let why = "nothing that is disabled can be asked for by this run";
    match probed {
        true => Ok(()),
        false => Err(Stop::NotApplicable(why.to_owned())),
    }
}

/// The capabilities that the server lists as disabled and that the suite can ask for.
async fn disabled(cx: &Context<'_>) -> Result<Vec<String>, Stop> {
    let answer = cx.send(Request::get("/v1/capabilities")).await?;
    let body = match expect::json(&answer) {
        Ok(body) if answer.status() == 200 => body,
        _ => {
            return Err(Stop::Inconclusive(format!(
                "GET /v1/capabilities answered {}",
                answer.status()
            )));
        }
    };
    let Some(listed) = body.get("data").and_then(Value::as_array) else {
        return Err(Stop::fail(
            "an array /data of capabilities",
            body.to_string(),
            &answer,
        ));
    };
    let off = |entry: &&Value| entry.get("enabled") == Some(&Value::Bool(false));
    let ids = listed
        .iter()
        .filter(off)
        .filter_map(|entry| entry.get("id").and_then(Value::as_str));
    let ids: Vec<_> = ids
        .filter(|id| CAPABILITIES.contains(id))
        .map(str::to_owned)
        .collect();
    if ids.is_empty() {
        return Err(Stop::NotApplicable(
            "no capability that the suite can ask for is disabled".to_owned(),
        ));
    }
    Ok(ids)
}

async fn probe(cx: &Context<'_>, request: Request) -> Result<Arc<Exchange>, Stop> {
    match cx.bench.open_any(request).await? {
        Opened::Answer(answer) => Ok(answer),
        Opened::Stream(reading) => Err(Stop::fail(
            "a refusal of the disabled capability",
            "a stream",
            &cx.bench.close(*reading),
        )),
    }
}
