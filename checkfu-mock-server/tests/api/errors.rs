//! Refusals: each its code, nothing changed.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::world::{AUTHOR, World, message};

/// WIRE-1, WIRE-2: a missing, wrong or malformed key is refused the same way on every endpoint, and is not retryable.
#[tokio::test]
async fn a_wrong_key_is_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let anonymous = world.client.without_key();
    let key = world.server.api_key();
    let wrong = [
        anonymous.clone(),
        anonymous.with("authorization", "Bearer wrong"),
        anonymous.with("authorization", "Bearer "),
        anonymous.with("authorization", key),
        anonymous.with("authorization", &format!("Basic {key}")),
        anonymous.with("authorization", &format!("Bearer {}", &key[..key.len() - 1])),
        anonymous.with("authorization", &format!("Bearer {key}x")),
    ];
    for client in wrong {
        for path in [
            "/v1/sessions",
            &format!("/v1/sessions/{session}"),
            "/v1/capabilities",
            "/v1/sessions/x/threads",
        ] {
            let answer = client.get(path).await.refused(401, "auth.invalid_key");
            assert_eq!(answer.json["error"]["retryable"], false);
            assert!(!answer.json.to_string().contains(key));
        }
        client
            .post("/v1/sessions", &world.create_body())
            .await
            .refused(401, "auth.invalid_key");
    }
    anonymous
        .with("authorization", &format!("bearer {key}"))
        .get("/v1/sessions")
        .await
        .ok(200);
}

/// WIRE-1, A-VER: the one version is taken, none means that one, another is refused.
#[tokio::test]
async fn an_unknown_version_is_refused() {
    let world = World::new().await;
    world.client.get("/v1/sessions").await.ok(200);
    world
        .client
        .with("checkfu-version", "2026-08-31")
        .get("/v1/sessions")
        .await
        .ok(200);
    for version in ["2026-08-30", "", "latest"] {
        let answer = world
            .client
            .with("checkfu-version", version)
            .get("/v1/sessions")
            .await;
        assert_eq!(
            answer.refused(400, "request.unsupported_version").param(),
            Some("Checkfu-Version")
        );
    }
}

/// WIRE-1, WIRE-2, A-VER: a field that stands there twice says nothing, whichever of its values comes first.
#[tokio::test]
async fn a_head_that_contradicts_itself_is_refused() {
    let world = World::new().await;
    let key = format!("Bearer {}", world.server.api_key());
    let own = world.server.workspace_id().to_owned();
    for (name, right, wrong, status, code) in [
        (
            "checkfu-version",
            "2026-08-31",
            "1999-01-01",
            400,
            "request.unsupported_version",
        ),
        ("authorization", &*key, "Bearer nope", 401, "auth.invalid_key"),
    ] {
        for (first, second) in [(right, wrong), (wrong, right)] {
            let client = world.client.without_key().with(name, first).with(name, second);
            let client = if name == "authorization" {
                client
            } else {
                client.with("authorization", &key)
            };
            client.get("/v1/sessions").await.refused(status, code);
        }
    }
    let session = world.session().await;
    let other = "wksp_ffffffffffffffffffffffffffffffff";
    for (first, second) in [(&*own, other), (other, &*own)] {
        let client = world
            .client
            .with("checkfu-workspace", first)
            .with("checkfu-workspace", second);
        let answer = client.get(&format!("/v1/sessions/{session}")).await;
        answer.refused(404, "resource.not_found");
    }
}

/// A-ERR: routes and methods that do not exist answer with the error body and a request id too.
#[tokio::test]
async fn unknown_routes_and_methods_have_an_error_body() {
    let world = World::new().await;
    for path in [
        "/",
        "/v1",
        "/v1/session",
        "/v1/sessions/",
        "/v2/sessions",
        "/v1/sessions/x/y/z",
        "/%FF",
    ] {
        world.client.get(path).await.refused(404, "resource.not_found");
    }
    for (method, path) in [
        ("PUT", "/v1/sessions"),
        ("DELETE", "/v1/sessions/x"),
        ("POST", "/v1/capabilities"),
    ] {
        let answer = world
            .client
            .call(method, path, "")
            .await
            .refused(405, "request.method_not_allowed");
        assert!(answer.headers["allow"].to_str().unwrap().contains("GET"));
    }
    assert_eq!(
        world.client.get("/healthz").await.ok(200),
        json!({"status": "ok"})
    );
}

/// A-ORDER: each check comes before the next: a request that fails several is refused for the first.
#[tokio::test]
async fn checks_come_in_the_documented_order() {
    let world = World::new().await;
    let session = world.session().await;
    world
        .client
        .post(&format!("/v1/sessions/{session}/cancel"), &json!({}))
        .await
        .ok(200);
    let live = world.session().await;
    let path = |session: &str| format!("/v1/sessions/{session}/events");
    let missing = path("sess_ffffffffffffffffffffffffffffffff");
    let keyed = world.client.with("idempotency-key", "used");
    keyed.post(&path(&live), &message("hello")).await.ok(202);
    let fenced = json!({"project_mounts": [{}], "agent_deployment_id": 7});
    let watches = "/v1/sessions/sess_ffffffffffffffffffffffffffffffff/watches";

    // Key before version.
    let client = keyed.without_key().with("checkfu-version", "1");
    client
        .post(watches, &fenced)
        .await
        .refused(401, "auth.invalid_key");
    // Version before capability.
    let client = keyed.with("checkfu-version", "1");
    client
        .post(watches, &fenced)
        .await
        .refused(400, "request.unsupported_version");
    // Capability before existence.
    keyed
        .post(watches, &fenced)
        .await
        .refused(403, "capability.disabled");
    // Existence before the idempotency record and the body.
    keyed
        .call("POST", &missing, "{")
        .await
        .refused(404, "resource.not_found");
    // The idempotency record before the body.
    keyed
        .call("POST", &path(&live), "{")
        .await
        .refused(422, "idempotency.key_reused");
    // The body before the transition.
    world
        .client
        .call("POST", &path(&session), "{")
        .await
        .refused(400, "request.invalid_body");
    world
        .client
        .post(&path(&session), &message("late"))
        .await
        .refused(409, "runtime.invalid_transition");
}

/// A-ORDER: so does a request that can be no other than wrong: the key and the version come before path and method.
#[tokio::test]
async fn key_and_version_come_before_path_and_method() {
    let world = World::new().await;
    let nothing = world.client.without_key();
    let future = world.client.with("checkfu-version", "1");
    for (method, path) in [
        ("GET", "/v1/nothing"),
        ("GET", "/"),
        ("PUT", "/v1/sessions"),
        ("DELETE", "/v1/sessions/x/fork"),
    ] {
        let answer = nothing.call(method, path, "").await;
        answer.refused(401, "auth.invalid_key");
        let answer = future.call(method, path, "").await;
        answer.refused(400, "request.unsupported_version");
    }
    let hook = nothing.call("PUT", "/v1/hooks/x", "").await;
    hook.refused(405, "request.method_not_allowed");
}

/// A-ORDER: existence comes before parameters, and a capability before existence.
#[tokio::test]
async fn existence_comes_before_parameters() {
    let world = World::new().await;
    let session = world.session().await;
    let missing = "/v1/sessions/sess_ffffffffffffffffffffffffffffffff";
    for path in [
        "/events/stream?event_deltas=all",
        "/events/stream?event_deltas=%FF",
        "/events/stream?from=1",
        "/events?limit=0",
        "/runs?limit=0",
        "?wrong=1",
    ] {
        let there = format!("/v1/sessions/{session}{path}");
        let answer = world.client.get(&there).await;
        answer.refused(400, "request.invalid_parameter");
        let gone = format!("{missing}{path}");
        world.client.get(&gone).await.refused(404, "resource.not_found");
    }
    let fenced = format!("{missing}/watches?wrong=1");
    world
        .client
        .get(&fenced)
        .await
        .refused(403, "capability.disabled");
}

/// A-ERR: a parameter that an endpoint does not have is a mistake that is named, on every endpoint; nothing is done.
#[tokio::test]
async fn unknown_parameters_are_refused_everywhere() {
    let world = World::new().await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let before = world.log(&session).await;
    let run = before.iter().find_map(|event| event["run_id"].as_str()).unwrap();
    let deployment = world.server.deployment_id();
    let message = message("hello").to_string();
    let create = world.create_body().to_string();
    for (method, path, body) in [
        ("GET", "/v1/capabilities".to_owned(), ""),
        ("GET", "/v1/agent_deployments".to_owned(), ""),
        ("GET", format!("/v1/agent_deployments/{deployment}"), ""),
        ("GET", "/v1/sessions".to_owned(), ""),
        ("GET", format!("/v1/sessions/{session}"), ""),
        ("GET", format!("/v1/sessions/{session}/events"), ""),
        ("GET", format!("/v1/sessions/{session}/events/stream"), ""),
        ("GET", format!("/v1/sessions/{session}/runs"), ""),
        ("GET", format!("/v1/sessions/{session}/runs/{run}"), ""),
        ("POST", "/v1/sessions".to_owned(), create.as_str()),
        ("POST", format!("/v1/sessions/{session}/events"), message.as_str()),
        ("POST", format!("/v1/sessions/{session}/complete"), "{}"),
        ("POST", format!("/v1/sessions/{session}/cancel"), ""),
    ] {
        let path = format!("{path}?limti=5");
        let answer = world.client.call(method, &path, body.to_owned()).await;
        let answer = answer.refused(400, "request.invalid_parameter");
        assert_eq!(answer.param(), Some("limti"), "{method} {path}");
    }
    assert_eq!(world.log(&session).await, before);
    let sessions = world.client.get("/v1/sessions").await.ok(200);
    assert_eq!(sessions["data"].as_array().unwrap().len(), 1);
}

/// A-AUTHOR, EVT-1, A-POST: each wrong member is named, and nothing is appended.
#[tokio::test]
async fn a_wrong_event_is_refused_by_member() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let payload = |member: &str, value: Value| {
        let mut body = message("hello");
        body["payload"][member] = value;
        body
    };
    let block = |block: Value| payload("content", json!([{"type": "text", "text": "a"}, block]));
    let wrong = [
        (json!([]), None),
        (json!("text"), None),
        (json!({}), Some("type")),
        (json!({"type": "user.message"}), Some("payload")),
        (json!({"type": 1, "payload": {}}), Some("type")),
        (json!({"type": "agent.message", "payload": {}}), Some("type")),
        (json!({"type": "user.shout", "payload": {}}), Some("type")),
        (json!({"events": [message("hello")]}), Some("events")),
        (json!({"type": "user.message", "payload": []}), Some("payload")),
        (
            json!({"type": "user.message", "payload": message("a")["payload"], "seq": 1}),
            Some("seq"),
        ),
        (payload("authored_by", Value::Null), Some("payload.authored_by")),
        (payload("authored_by", json!("me")), Some("payload.authored_by")),
        (payload("caused_by", Value::Null), Some("payload.caused_by")),
        (payload("caused_by", json!("api")), Some("payload.caused_by")),
        (
            payload("caused_by", json!({"kind": "api", "event_id": null})),
            Some("payload.caused_by.event_id"),
        ),
        (payload("caused_by", json!({})), Some("payload.caused_by.kind")),
        (
            payload("caused_by", json!({"kind": ""})),
            Some("payload.caused_by.kind"),
        ),
        (
            payload("caused_by", json!({"kind": "api", "why": 1})),
            Some("payload.caused_by.why"),
        ),
        (
            payload("caused_by", json!({"kind": "event", "event_id": "7"})),
            Some("payload.caused_by.event_id"),
        ),
        (payload("content", Value::Null), Some("payload.content")),
        (payload("content", json!("")), Some("payload.content")),
        (payload("content", json!([])), Some("payload.content")),
        (payload("content", json!(7)), Some("payload.content")),
        (payload("contents", json!("a")), Some("payload.contents")),
        (block(json!("a")), Some("payload.content[1]")),
        (block(json!({"type": "sound"})), Some("payload.content[1].type")),
        (
            block(json!({"type": "text", "text": ""})),
            Some("payload.content[1].text"),
        ),
        (
            block(json!({"type": "text", "text": "a", "txt": 1})),
            Some("payload.content[1].txt"),
        ),
        (block(json!({"type": "image"})), Some("payload.content[1].source")),
        (
            block(json!({"type": "image", "source": {"type": "text"}})),
            Some("payload.content[1].source.type"),
        ),
        (
            block(
                json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "?"}}),
            ),
            Some("payload.content[1].source.data"),
        ),
        (
            block(json!({"type": "document", "source": {"type": "url", "url": "/relative"}})),
            Some("payload.content[1].source.url"),
        ),
    ];
    let before = world.log(&session).await;
    for (body, param) in wrong {
        let answer = world
            .client
            .post(&path, &body)
            .await
            .refused(400, "request.invalid_body");
        assert_eq!(answer.param(), param, "{body}");
    }
    assert_eq!(world.log(&session).await, before);
}

/// A block of every kind is kept as it was sent, and so is everything about the cause.
#[tokio::test]
async fn every_kind_of_block_is_kept_as_it_was_sent() {
    let world = World::new().await;
    let session = world.session().await;
    let payload = json!({
        "content": [
            {"type": "text", "text": "ab \0 “ü” \u{1F600}"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
            {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}, "title": "A"},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": ""}},
        ],
        "authored_by": AUTHOR,
        "caused_by": {"kind": "event", "event_id": "evt_0123456789abcdef0123456789abcdef"},
    });
    let body = json!({"type": "user.message", "payload": payload});
    let accepted = world
        .client
        .post(&format!("/v1/sessions/{session}/events"), &body)
        .await
        .ok(202);
    assert_eq!(accepted["payload"], payload);
    world.until_status(&session, "idle").await;
    assert_eq!(world.log(&session).await[1]["payload"], payload);
}

/// A head beyond all bounds is refused and the server goes on.
#[tokio::test]
async fn absurd_heads_do_not_stop_the_server() {
    let world = World::new().await;
    let huge = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n",
        "y".repeat(2_000_000)
    );
    let many = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\n{}\r\n",
        "x: y\r\n".repeat(1000)
    );
    for bytes in [huge, many, "\0\0\0\0\r\n\r\n".to_owned()] {
        let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
        // The server may close while it is still being written to.
        let _ = socket.write_all(bytes.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        assert!(!answer.starts_with(b"HTTP/1.1 200"));
    }
    world.client.get("/healthz").await.ok(200);
}
