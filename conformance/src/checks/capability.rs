use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{bench::Opened, session::Session},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.capability.disabled-is-refused",
        title: "What the server lists as disabled is refused for good, and nothing of it is done.",
        level: Level::Documented,
        requirements: &["WIRE-5"],
        killed_by: &["runs-what-is-disabled", "refuses-and-runs", "server:no_fence"],
        run: |cx| Box::pin(disabled_is_refused(cx)),
    },
    Check {
        id: "srv.capability.refusal-names-it",
        title: "The refusal is 403 capability.disabled and names the capability in its details.",
        level: Level::Derived,
        requirements: &["A-CAP"],
        killed_by: &["capability-refusal-is-404", "capability-refusal-is-nameless"],
        run: |cx| Box::pin(refusal_names_it(cx)),
    },
];

async fn disabled_is_refused(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    for capability in disabled(cx).await? {
        for request in probes(cx, &capability, &settled.session) {
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
    cx.pass()
}

async fn refusal_names_it(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    for capability in disabled(cx).await? {
        for request in probes(cx, &capability, &settled.session) {
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
    cx.pass()
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
    let ids: Vec<_> = ids.filter(|id| PROBED.contains(id)).map(str::to_owned).collect();
    if ids.is_empty() {
        return Err(Stop::NotApplicable(
            "no capability that the suite can ask for is disabled".to_owned(),
        ));
    }
    Ok(ids)
}

const PROBED: [&str; 11] = [
    "threads",
    "interrupts",
    "waits",
    "outcomes",
    "previews",
    "forks",
    "diffs",
    "checkpoints",
    "watches",
    "project_mounts",
    "memory_mounts",
];

/// Requests that a server with the capability would act on.
fn probes(cx: &Context<'_>, capability: &str, session: &Session) -> Vec<Request> {
    let signed = |kind: &str, mut payload: Value| {
        payload["authored_by"] = cx.bench.target.principal.as_str().into();
        payload["caused_by"] = json!({"kind": "api"});
        Request::post(session.events(), &json!({"type": kind, "payload": payload}))
    };
    let mounted = |name: &str, mount: Value| {
        let mut body = json!({"principal_id": cx.bench.target.principal});
        body["agent_deployment_id"] = session.resource["agent_deployment_id"].clone();
        body[name] = json!([mount]);
        Request::post("/v1/sessions", &body)
    };
    let below = |tail: &str| format!("{}/{tail}", session.path());
    match capability {
        "threads" => vec![Request::get(below("threads"))],
        "interrupts" => vec![signed("user.interrupt", json!({}))],
        "waits" => vec![
            Request::get(below("action_approvals")),
            signed(
                "user.question_answer",
                json!({"question_id": "question_1", "answer": "yes"}),
            ),
            signed(
                "user.custom_tool_result",
                json!({"tool_use_id": "toolu_1", "result": {}}),
            ),
            signed(
                "user.tool_confirmation",
                json!({"tool_use_id": "toolu_1", "result": "allow"}),
            ),
        ],
        "outcomes" => vec![signed(
            "user.define_outcome",
            json!({"description": "Say hello.", "rubric": "It greets."}),
        )],
        "previews" => vec![Request::get(session.stream()).query("event_deltas", "agent.message")],
        "forks" => vec![Request::post(below("fork"), &json!({}))],
        "diffs" => vec![Request::get(below("diff")).query("other", &session.id)],
        "checkpoints" => vec![Request::get(below("checkpoints"))],
        "watches" => vec![Request::get(below("watches"))],
        "project_mounts" => {
            let id = "proj_00000000000000000000000000000001";
            let mount =
                json!({"project_id": id, "mount_path": "/workspace/app", "revision": {"type": "latest"}});
            vec![mounted(capability, mount)]
        }
        "memory_mounts" => {
            let id = "mems_00000000000000000000000000000001";
            vec![mounted(
                capability,
                json!({"memory_store_id": id, "access": "read_only"}),
            )]
        }
        _ => Vec::new(),
    }
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
