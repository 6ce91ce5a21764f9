//! What is off, and that it is refused (WIRE-5, A-CAP).

use checkfu_mock_server::{CapabilityError, MockServer, Restart};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::process::{Process, program};
use crate::support::world::{World, message};

const ON: [&str; 10] = [
    "sessions",
    "runs",
    "threads",
    "interrupts",
    "waits",
    "outcomes",
    "previews",
    "forks",
    "diffs",
    "prompt_integrity",
];

/// A-CAP: every capability is listed, with the truth about it.
#[tokio::test]
async fn every_capability_is_listed() {
    let world = World::new().await;
    let page = world.client.get("/v1/capabilities").await.ok(200);
    let listed: Vec<(&str, bool)> = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["id"].as_str().unwrap(), item["enabled"].as_bool().unwrap()))
        .collect();
    let expected = [
        "sessions",
        "runs",
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
        "skills",
        "prompt_integrity",
    ];
    let expected: Vec<(&str, bool)> = expected.map(|id| (id, ON.contains(&id))).into();
    assert_eq!(listed, expected);
}

/// WIRE-5, A-CAP: each documented endpoint of a capability that is off is refused by its name, and nothing is done.
#[tokio::test]
async fn endpoints_of_disabled_capabilities_are_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let endpoints = [
        ("GET", "checkpoints".to_owned(), "checkpoints"),
        ("POST", "watches".to_owned(), "watches"),
        ("GET", "watches".to_owned(), "watches"),
        (
            "GET",
            "watches/watch_0123456789abcdef0123456789abcdef".to_owned(),
            "watches",
        ),
        (
            "DELETE",
            "watches/watch_0123456789abcdef0123456789abcdef".to_owned(),
            "watches",
        ),
    ];
    let before = (
        world.log(&session).await,
        world.client.get("/v1/sessions").await.json,
    );
    for (method, path, capability) in endpoints {
        for session in [session.as_str(), "sess_ffffffffffffffffffffffffffffffff"] {
            let answer = world
                .client
                .call(method, &format!("/v1/sessions/{session}/{path}"), "{}")
                .await;
            let answer = answer.refused(403, "capability.disabled");
            assert_eq!(
                answer.json["error"]["details"],
                json!({"capability": capability}),
                "{method} {path}"
            );
        }
    }
    let hook = world
        .client
        .without_key()
        .call("POST", "/v1/hooks/token", "{}")
        .await;
    assert_eq!(
        hook.refused(403, "capability.disabled").json["error"]["details"]["capability"],
        "watches"
    );
    assert_eq!(
        (
            world.log(&session).await,
            world.client.get("/v1/sessions").await.json
        ),
        before
    );
}

/// WIRE-5, A-CAP: so are the inputs, members and parameters that need one.
#[tokio::test]
async fn inputs_of_disabled_capabilities_are_refused() {
    let world = World::new().await;
    let session = world.session().await;
    for member in ["project_mounts", "memory_mounts"] {
        let mut body = world.create_body();
        body[member] = json!([]);
        world.client.post("/v1/sessions", &body).await.ok(201);
        body[member] = json!([{}]);
        let answer = world
            .client
            .post("/v1/sessions", &body)
            .await
            .refused(403, "capability.disabled");
        refused_for(answer.json, member);
    }
    assert_eq!(world.log(&session).await.len(), 1);
}

/// PRV-1, A-SRV: known previews may be asked for in both spellings; an unknown one is a mistake.
#[tokio::test]
async fn unknown_previews_are_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events/stream");
    for query in [
        "event_deltas=user.message",
        "event_deltas=agent.message&event_deltas=all",
        "event_deltas=",
        "event_deltas[]=agent.tool_use",
    ] {
        let answer = world.client.get(&format!("{path}?{query}")).await;
        assert_eq!(
            answer.refused(400, "request.invalid_parameter").param(),
            Some("event_deltas")
        );
    }
}

#[track_caller]
fn refused_for(body: Value, capability: &str) {
    assert_eq!(body["error"]["details"], json!({"capability": capability}));
}

/// What can be switched off.
const OPTIONAL: [&str; 8] = [
    "threads",
    "interrupts",
    "waits",
    "outcomes",
    "previews",
    "forks",
    "diffs",
    "prompt_integrity",
];

/// A request and the capabilities that it needs.
#[derive(Debug)]
struct Probe {
    needs: &'static [&'static str],
    method: &'static str,
    path: String,
    body: String,
}

/// Every endpoint, input, member and parameter that needs a capability which can be switched off, for one Session.
fn probes(world: &World, session: &str, thread: &str) -> Vec<Probe> {
    let base = format!("/v1/sessions/{session}");
    let probe = |needs, method, path: &str, body: &str| Probe {
        needs,
        method,
        path: format!("{base}/{path}"),
        body: body.to_owned(),
    };
    let post = |needs, type_name: &str, mut payload: Value| {
        payload["authored_by"] = world.server.principal_id().into();
        payload["caused_by"] = json!({"kind": "api"});
        probe(
            needs,
            "POST",
            "events",
            &json!({"type": type_name, "payload": payload}).to_string(),
        )
    };
    let result = json!({"tool_use_id": "toolu_1", "result": {}});
    let on_thread = |mut payload: Value| {
        payload["session_thread_id"] = thread.into();
        payload
    };
    let confirmation = json!({"tool_use_id": "toolu_1", "result": "allow"});
    let answer = json!({"question_id": "qst_0123456789abcdef0123456789abcdef", "answer": "yes"});
    let outcome = json!({"description": "A note.", "rubric": {"type": "text", "content": "It is short."}});
    let decided =
        json!({"content": "hello", "prompt_integrity": {"challenge": "pic_AA", "decision": "use_corrected"}});
    let approval = "action_approvals/appr_0123456789abcdef0123456789abcdef";
    let mut probes = vec![
        probe(&["threads"], "GET", "threads", ""),
        probe(&["threads"], "GET", &format!("threads/{thread}"), ""),
        probe(&["threads"], "POST", &format!("threads/{thread}/archive"), ""),
        probe(&["threads"], "GET", &format!("threads/{thread}/events"), ""),
        probe(&["threads"], "GET", &format!("threads/{thread}/stream"), ""),
        probe(&["interrupts"], "POST", "events", r#"{"type":"user.interrupt"}"#),
        post(&["interrupts"], "user.interrupt", json!({})),
        post(&["interrupts", "threads"], "user.interrupt", on_thread(json!({}))),
        post(&["waits"], "user.custom_tool_result", result.clone()),
        post(
            &["waits", "threads"],
            "user.custom_tool_result",
            on_thread(result),
        ),
        post(&["waits"], "user.tool_confirmation", confirmation.clone()),
        post(
            &["waits", "threads"],
            "user.tool_confirmation",
            on_thread(confirmation),
        ),
        post(&["waits"], "user.question_answer", answer.clone()),
        post(&["waits", "threads"], "user.question_answer", on_thread(answer)),
        probe(&["waits"], "GET", "action_approvals", ""),
        probe(&["waits"], "GET", approval, ""),
        post(&["outcomes"], "user.define_outcome", outcome),
        probe(&["forks"], "POST", "fork", ""),
        probe(&["forks"], "POST", "fork", r#"{"from":{"seq":1}}"#),
        probe(&["forks"], "POST", "fork", "{"),
        probe(&["diffs"], "GET", &format!("diff?other={session}"), ""),
        probe(&["diffs"], "GET", "diff", ""),
        post(&["prompt_integrity"], "user.message", decided),
    ];
    for query in [
        "event_deltas=agent.message",
        "event_deltas[]=agent.thinking",
        "event_deltas=all",
    ] {
        probes.push(probe(&["previews"], "GET", &format!("events/stream?{query}"), ""));
        let path = format!("threads/{thread}/stream?{query}");
        probes.push(probe(&["previews", "threads"], "GET", &path, ""));
    }
    probes
}

/// The capability for which a request was refused; a stream is left as soon as it is open.
async fn disabled(client: &Client, probe: &Probe) -> Option<String> {
    let opened = client.open(probe.method, &probe.path, probe.body.clone().into());
    let response = opened.await.unwrap();
    if response.status() != 403 {
        return None;
    }
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    (body["error"]["code"] == "capability.disabled").then(|| {
        body["error"]["details"]["capability"]
            .as_str()
            .unwrap()
            .to_owned()
    })
}

async fn listed_as_off(client: &Client) -> Vec<String> {
    let listed = client.get("/v1/capabilities").await.ok(200);
    let listed = listed["data"].as_array().unwrap().clone();
    let off = listed.iter().filter(|item| item["enabled"] == false);
    off.map(|item| item["id"].as_str().unwrap().to_owned())
        .filter(|id| OPTIONAL.contains(&&**id))
        .collect()
}

/// WIRE-5, A-CAP, A-ORDER: each capability that is switched off is listed so; all that needs it is refused by its name
/// before anything else of the request is looked at, and nothing is done; all that does not need it goes on working.
#[tokio::test]
async fn what_is_switched_off_is_refused_and_the_rest_works() {
    for off in OPTIONAL {
        let world = World::with(MockServer::builder().without([off]).unwrap()).await;
        let session = world.session().await;
        let thread = world.read(&session).await["primary_thread_id"]
            .as_str()
            .unwrap()
            .to_owned();
        world.say(&session, "hello").await;
        world.until_status(&session, "idle").await;
        let state = async || {
            let paths = [
                format!("/v1/sessions/{session}/events?limit=1000"),
                format!("/v1/sessions/{session}/runs"),
                "/v1/sessions".to_owned(),
            ];
            let mut state = Vec::new();
            for path in paths {
                state.push(world.client.get(&path).await.bytes);
            }
            state
        };
        let before = state().await;
        let mut refused = 0;
        for existing in [&*session, "sess_ffffffffffffffffffffffffffffffff"] {
            for probe in probes(&world, existing, &thread) {
                if !probe.needs.contains(&off) {
                    continue;
                }
                assert_eq!(
                    disabled(&world.client, &probe).await.as_deref(),
                    Some(off),
                    "{probe:?}"
                );
                // The same again, for the judge.
                let answer = world
                    .client
                    .call(probe.method, &probe.path, probe.body.clone())
                    .await;
                refused_for(answer.refused(403, "capability.disabled").json, off);
                refused += 1;
            }
        }
        assert!(refused >= 2, "{off}");
        assert_eq!(state().await, before, "{off}");
        assert_eq!(listed_as_off(&world.client).await, [off]);
        for probe in probes(&world, &session, &thread) {
            if !probe.needs.contains(&off) {
                assert_eq!(disabled(&world.client, &probe).await, None, "{off}: {probe:?}");
            }
        }
    }
}

/// PIN-1, WIRE-5: without prompt integrity nobody is asked, and what was written is kept.
#[tokio::test]
async fn without_prompt_integrity_messages_are_kept_as_they_are() {
    let world = World::with(MockServer::builder().without(["prompt_integrity"]).unwrap()).await;
    let session = world.session().await;
    let text = "p\u{430}ypal \u{202e}";
    let kept = world.say(&session, text).await;
    assert_eq!(kept["payload"]["content"][0]["text"], text);
}

/// A-ORDER, A-IDEM: a capability comes before the record of an earlier call, and stays off over restarts.
#[tokio::test]
async fn a_stored_answer_does_not_open_what_is_off() {
    let directory = tempfile::tempdir().unwrap();
    let first = World::with(MockServer::builder().data_dir(directory.path())).await;
    let session = first.session().await;
    let keyed = |world: &World| world.client.with("idempotency-key", "fork-1");
    let path = format!("/v1/sessions/{session}/fork");
    let forked = keyed(&first).post(&path, &json!({})).await.ok(201);
    assert_eq!(keyed(&first).post(&path, &json!({})).await.ok(201), forked);
    first.server.shutdown().await;
    let builder = MockServer::builder()
        .data_dir(directory.path())
        .without(["previews", "forks"]);
    let second = World::with(builder.unwrap()).await;
    for restarts in 0..2 {
        let answer = keyed(&second).post(&path, &json!({})).await;
        refused_for(answer.refused(403, "capability.disabled").json, "forks");
        assert_eq!(
            listed_as_off(&second.client).await,
            ["previews", "forks"],
            "{restarts}"
        );
        second.server.control().restart(Restart::abrupt()).await.unwrap();
    }
}

/// WIRE-5: names are checked before a server starts, and the error has those that can be chosen.
#[test]
fn only_what_exists_and_can_be_missed_is_switched_off() {
    let refused = |name: &str| MockServer::builder().without([name]).unwrap_err();
    for name in ["sessions", "runs"] {
        assert_eq!(
            refused(name),
            CapabilityError::Needed {
                name: name.to_owned()
            }
        );
    }
    for name in ["fork", "", "Forks"] {
        assert_eq!(
            refused(name),
            CapabilityError::Unknown {
                name: name.to_owned()
            }
        );
    }
    let choice = OPTIONAL.join(", ");
    assert!(
        refused("fork").to_string().ends_with(&choice),
        "{}",
        refused("fork")
    );
    let twice = MockServer::builder().without(["watches", "forks", "forks"]);
    assert!(twice.is_ok());
}

/// WIRE-5: the program leaves off what its flag or its environment says.
#[tokio::test]
async fn the_program_leaves_capabilities_off() {
    let directory = tempfile::tempdir().unwrap();
    let mut by_flag = program(directory.path());
    by_flag.args(["--disable", "forks,previews", "--disable", "diffs"]);
    let process = Process::start(by_flag).await;
    assert_eq!(
        listed_as_off(&process.client).await,
        ["previews", "forks", "diffs"]
    );
    process.kill().await;
    let mut by_environment = program(directory.path());
    by_environment.env("CHECKFU_MOCK_DISABLE", "interrupts,threads");
    let process = Process::start(by_environment).await;
    assert_eq!(listed_as_off(&process.client).await, ["threads", "interrupts"]);
    let body = message("hello");
    let path = "/v1/sessions/sess_ffffffffffffffffffffffffffffffff/events";
    process
        .client
        .post(path, &body)
        .await
        .refused(404, "resource.not_found");
    process.kill().await;
}
