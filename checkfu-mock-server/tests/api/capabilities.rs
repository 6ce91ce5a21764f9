//! What is off, and that it is refused (WIRE-5, A-CAP).

use serde_json::{Value, json};

use crate::support::world::World;

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
