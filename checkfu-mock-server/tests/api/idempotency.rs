//! Idempotency keys (A-IDEM).

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::world::{World, message, types};

/// A-IDEM: the same key and body give the stored response, byte for byte, and the effect stands once; without a key
/// every call counts.
#[tokio::test]
async fn a_repeated_call_gives_the_stored_response() {
    let world = World::new().await;
    let keyed = world.client.with("idempotency-key", "one");
    let first = keyed.post("/v1/sessions", &world.create_body()).await;
    let again = keyed.post("/v1/sessions", &world.create_body()).await;
    assert_eq!((first.status, &first.bytes), (again.status, &again.bytes));
    assert_ne!(first.headers["request-id"], again.headers["request-id"]);
    assert_eq!(
        world.client.get("/v1/sessions").await.ok(200)["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let session = first.json["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}/events");
    let first = keyed.post(&path, &message("hello")).await;
    world.until_status(&session, "idle").await;
    let again = keyed.post(&path, &message("hello")).await;
    assert_eq!((first.status, &first.bytes), (again.status, &again.bytes));
    world.say(&session, "hello").await;
    world.say(&session, "hello").await;
    let messages = world
        .types(&session)
        .await
        .iter()
        .filter(|name| *name == "user.message")
        .count();
    assert_eq!(messages, 3);

    let ended = keyed
        .post(&format!("/v1/sessions/{session}/complete"), &json!({}))
        .await;
    let again = keyed
        .post(&format!("/v1/sessions/{session}/complete"), &json!({}))
        .await;
    assert_eq!((ended.ok(200), again.status), (again.json.clone(), 200));
}

/// A-IDEM: another body under the same key is refused, and nothing is done.
#[tokio::test]
async fn another_body_under_the_same_key_is_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let keyed = world.client.with("idempotency-key", "one");
    keyed.post(&path, &message("hello")).await.ok(202);
    let before = world.until_status(&session, "idle").await;
    let refused = keyed
        .post(&path, &message("other"))
        .await
        .refused(422, "idempotency.key_reused");
    assert_eq!(refused.param(), Some("Idempotency-Key"));
    assert_eq!(world.read(&session).await, before);
}

/// A-IDEM: the scope is method and path, so the same key on another Session is another call.
#[tokio::test]
async fn a_key_counts_for_its_path_only() {
    let world = World::new().await;
    let keyed = world.client.with("idempotency-key", "one");
    for _ in 0..2 {
        let session = world.session().await;
        keyed
            .post(&format!("/v1/sessions/{session}/events"), &message("hello"))
            .await
            .ok(202);
        keyed
            .post(&format!("/v1/sessions/{session}/cancel"), &json!({}))
            .await
            .ok(200);
        assert_eq!(world.read(&session).await["status"], "canceled");
    }
}

/// A-IDEM: a path is the same however it is encoded, so a call that is sent again through something that encodes it
/// otherwise stands once.
#[tokio::test]
async fn one_path_has_one_scope_however_it_is_encoded() {
    let world = World::new().await;
    let session = world.session().await;
    let keyed = world.client.with("idempotency-key", "one");
    let encoded = session.replace("sess_", "%73ess%5F");
    let first = keyed
        .post(&format!("/v1/sessions/{session}/events"), &message("hello"))
        .await
        .ok(202);
    let again = keyed
        .post(&format!("/v1/sessions/{encoded}/events"), &message("hello"))
        .await
        .ok(202);
    assert_eq!(again, first);
    let other = keyed
        .post(&format!("/v1/sessions/{encoded}/events"), &message("other"))
        .await;
    other.refused(422, "idempotency.key_reused");
}

/// A-IDEM: a refusal leaves the key free.
#[tokio::test]
async fn a_refusal_leaves_the_key_free() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let keyed = world.client.with("idempotency-key", "one");
    keyed
        .call("POST", &path, "{")
        .await
        .refused(400, "request.invalid_body");
    keyed
        .post(&path, &json!({"type": "user.message"}))
        .await
        .refused(400, "request.invalid_body");
    keyed.post(&path, &message("hello")).await.ok(202);
}

/// A-IDEM: a record lives 24 hours by the server's clock; then the key is free again.
#[tokio::test]
async fn a_record_lives_for_a_day() {
    let (world, clock) = World::standing_still().await;
    let keyed = world.client.with("idempotency-key", "one");
    let first = keyed.post("/v1/sessions", &world.create_body()).await.ok(201);
    clock.advance(Duration::from_millis(24 * 3600 * 1000 - 1));
    assert_eq!(
        keyed.post("/v1/sessions", &world.create_body()).await.ok(201),
        first
    );
    clock.advance(Duration::from_millis(1));
    let second = keyed.post("/v1/sessions", &world.create_body()).await.ok(201);
    assert_ne!(second["id"], first["id"]);
    assert_eq!(
        keyed.post("/v1/sessions", &world.create_body()).await.ok(201),
        second
    );
}

/// A-IDEM: a key is one header of 1 to 255 visible characters.
#[tokio::test]
async fn a_senseless_key_is_refused() {
    let world = World::new().await;
    for key in ["", &"k".repeat(256), "späße", "a\tb"] {
        let answer = world
            .client
            .with("idempotency-key", key)
            .post("/v1/sessions", &world.create_body())
            .await;
        let answer = answer.refused(400, "request.invalid_parameter");
        assert_eq!(answer.param(), Some("Idempotency-Key"));
    }
    let two = world
        .client
        .with("idempotency-key", "a")
        .with("idempotency-key", "b");
    two.post("/v1/sessions", &world.create_body())
        .await
        .refused(400, "request.invalid_parameter");
    world
        .client
        .with("idempotency-key", &"k".repeat(255))
        .post("/v1/sessions", &world.create_body())
        .await
        .ok(201);
}

/// A-IDEM: many calls at once under one key have one effect; each answer is the stored one or a 503 that says when to
/// come back, and whoever comes back gets the stored one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_calls_under_one_key_have_one_effect() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let keyed = world.client.with("idempotency-key", "one");
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (keyed, path) = (keyed.clone(), path.clone());
        calls.spawn(async move {
            loop {
                let answer = keyed.post(&path, &message("hello")).await;
                if answer.status == 202 {
                    return answer.bytes;
                }
                let answer = answer.refused(503, "idempotency.in_progress");
                assert_eq!(answer.headers["retry-after"], "1");
                assert_eq!(answer.json["error"]["retryable"], true);
            }
        });
    }
    let mut answers: Vec<Bytes> = Vec::new();
    while let Some(answer) = calls.join_next().await {
        answers.push(answer.unwrap());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    world.until_status(&session, "idle").await;
    let messages = world
        .types(&session)
        .await
        .iter()
        .filter(|name| *name == "user.message")
        .count();
    assert_eq!(messages, 1);
}

/// A-IDEM: the caller that went away before its answer finds it when it comes back.
#[tokio::test]
async fn a_lost_answer_is_found_again() {
    let world = World::new().await;
    let session = world.session().await;
    let body = message("hello").to_string();
    let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
    let request = format!(
        "POST /v1/sessions/{session}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
         idempotency-key: one\r\ncontent-length: {}\r\n\r\n{body}",
        world.server.api_key(),
        body.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    drop(socket);
    let keyed = world.client.with("idempotency-key", "one");
    let accepted: Value = loop {
        let answer = keyed
            .call("POST", &format!("/v1/sessions/{session}/events"), body.clone())
            .await;
        if answer.status == 202 {
            break answer.json;
        }
        answer.refused(503, "idempotency.in_progress");
    };
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(log[1], accepted);
    assert_eq!(
        types(&log).iter().filter(|name| *name == "user.message").count(),
        1
    );
}
