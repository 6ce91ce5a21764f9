//! The server from behind.

mod restarts;
mod workspace;

use std::time::{Duration, Instant};

use checkfu_mock_server::{Ended, ManualClock, MockServer, MockServerBuilder, Operation};
use serde_json::{Value, json};

use crate::faults::bytes::{exchange, request};
use crate::support::frames::{Frames, PATIENCE};
use crate::support::world::{STEP, World, clock, message};

/// A client of the control listener; it is not judged, since its answers are not in the contract.
struct Behind {
    authority: String,
    token: String,
}

impl Behind {
    fn of(server: &MockServer) -> Self {
        Self {
            authority: server
                .control_url()
                .unwrap()
                .strip_prefix("http://")
                .unwrap()
                .to_owned(),
            token: server.control_token().unwrap().to_owned(),
        }
    }

    async fn call(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        let raw = exchange(self.authority.parse().unwrap(), &text).await;
        assert!(raw.head().contains("request-id: req_"));
        (raw.status(), raw.json())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.call("GET", path, "").await;
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

async fn controlled(builder: MockServerBuilder) -> (World, Behind) {
    let world = World::with(builder.control([127, 0, 0, 1].into(), 0)).await;
    let behind = Behind::of(&world.server);
    (world, behind)
}

/// WIRE-2: the control listener is off by default, and opens with its own token alone.
#[tokio::test]
async fn the_control_listener_has_its_own_token() {
    let plain = World::new().await;
    assert_eq!(
        (plain.server.control_url(), plain.server.control_token()),
        (None, None)
    );
    plain
        .client
        .get("/control/faults")
        .await
        .refused(404, "resource.not_found");
    let (world, mut behind) = controlled(MockServer::builder()).await;
    behind.get("/control/faults").await;
    assert_eq!(behind.get("/healthz").await["status"], "ok");
    let token = std::mem::replace(&mut behind.token, world.server.api_key().to_owned());
    let (status, answer) = behind.call("GET", "/control/faults", "").await;
    assert_eq!(
        (status, &answer["error"]["code"]),
        (401, &json!("auth.invalid_key"))
    );
    assert!(!answer.to_string().contains(&token));
    let open = crate::support::client::Client::new(world.server.url(), &token);
    open.get("/v1/sessions").await.refused(401, "auth.invalid_key");
}

/// A fault is planned, counted, looked at and removed over HTTP, and the handle sees the same ones.
#[tokio::test]
async fn faults_are_planned_over_http() {
    let (world, behind) = controlled(MockServer::builder().seed(7)).await;
    let body = json!({
        "on": {"operation": "list_sessions", "skip": 1, "times": 2, "keyed": false},
        "effect": {"kind": "answer", "status": 503, "retry_after": {"seconds": 0}, "body": "later"},
    });
    let (status, planned) = behind.call("POST", "/control/faults", &body.to_string()).await;
    assert_eq!(status, 201, "{planned}");
    assert_eq!((&planned["planned"], &planned["fired"]), (&json!(2), &json!(0)));
    let get = request(&world, "GET", "/v1/sessions", &[], "");
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(exchange(world.server.address(), &get).await.status());
    }
    assert_eq!(statuses, [200, 503, 503, 200]);
    let id = planned["id"].as_str().unwrap();
    let path = format!("/control/faults/{id}");
    let found = behind.get(&path).await;
    assert_eq!((&found["met"], &found["fired"]), (&json!(2), &json!(2)));
    assert_eq!(found["effect"]["body"], "later");
    let listed = behind.get("/control/faults").await;
    assert_eq!((&listed["seed"], &listed["data"][0]), (&json!(7), &found));
    assert_eq!(world.server.control().faults().status(id).unwrap().fired, 2);
    assert_eq!(behind.call("DELETE", &path, "").await, (200, found));
    assert_eq!(behind.call("GET", &path, "").await.0, 404);
    for kind in ["go_away", "http_1_0"] {
        let body = json!({"on": {"times": "always"}, "effect": {"kind": kind}});
        assert_eq!(
            behind.call("POST", "/control/faults", &body.to_string()).await.0,
            201
        );
    }
    assert_eq!(behind.call("DELETE", "/control/faults", "").await.0, 200);
    assert!(world.server.control().faults().all().is_empty());
}

/// A member that is missing is told with what it may be.
#[tokio::test]
async fn a_missing_member_is_told_with_its_choices() {
    let (_world, behind) = controlled(MockServer::builder()).await;
    for (effect, choices) in [
        (json!({"kind": "cut"}), &["`how`", "reset", "silence"][..]),
        (json!({"kind": "cut", "how": "reset"}), &["`at`", "mid_event"][..]),
        (json!({"kind": "preview"}), &["`edit`", "phantom"][..]),
        (json!({"kind": "delay"}), &["`milliseconds`"][..]),
    ] {
        let body = json!({ "effect": effect }).to_string();
        let (status, answer) = behind.call("POST", "/control/faults", &body).await;
        let told = answer["error"]["message"].as_str().unwrap();
        assert_eq!(status, 400, "{answer}");
        for choice in choices {
            assert!(told.contains(choice), "no {choice} in {told}");
        }
    }
}

/// A parameter that an endpoint does not have is named, not passed over.
#[tokio::test]
async fn unknown_parameters_are_refused() {
    let (_world, behind) = controlled(MockServer::builder()).await;
    for (method, path, param) in [
        ("GET", "/control/faults?foo=1", "foo"),
        ("DELETE", "/control/faults?foo=1", "foo"),
        ("GET", "/control/journal?limit=1", "limit"),
        ("GET", "/control/deployments?name=plain", "name"),
        ("POST", "/control/deployments?nam=x", "nam"),
        ("POST", "/control/snapshots?x", "x"),
    ] {
        let (status, answer) = behind.call(method, path, "").await;
        assert_eq!(
            (status, &answer["error"]["code"], &answer["error"]["param"]),
            (400, &json!("request.invalid_parameter"), &json!(param)),
            "{method} {path} {answer}"
        );
    }
}

/// Whoever asks for mutants where there are none is told what they need.
#[cfg(not(feature = "mutants"))]
#[tokio::test]
async fn mutants_need_the_feature() {
    let (_world, behind) = controlled(MockServer::builder()).await;
    for method in ["GET", "PUT"] {
        let (status, answer) = behind.call(method, "/control/mutants", "").await;
        let told = answer["error"]["message"].as_str().unwrap();
        assert_eq!(status, 404, "{answer}");
        assert!(told.contains("`mutants`"), "{told}");
    }
}

/// What makes no sense is refused with the member that is wrong and what would fit, and plans nothing.
#[tokio::test]
async fn bad_input_names_the_member() {
    let (world, behind) = controlled(MockServer::builder()).await;
    for (path, body, param) in [
        ("/control/faults", json!([]), None),
        ("/control/faults", json!({}), Some("effect")),
        (
            "/control/faults",
            json!({"effect": {"kind": "none"}}),
            Some("effect.kind"),
        ),
        ("/control/faults", json!({"effect": {}}), Some("effect.kind")),
        (
            "/control/faults",
            json!({"effect": {"kind": "cut", "how": "reset"}}),
            Some("effect"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "cut", "how": "softly", "at": "body"}}),
            Some("effect.how"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "cut", "how": "reset", "at": "body", "after": "x"}}),
            Some("effect.after"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "go_away", "now": true}}),
            Some("effect.now"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "answer", "status": 42}}),
            Some("effect.status"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "informational", "status": 101}}),
            Some("effect.status"),
        ),
        (
            "/control/faults",
            json!({"effect": {"kind": "rate", "bytes": 0}}),
            Some("effect.bytes"),
        ),
        (
            "/control/faults",
            json!({"on": {"times": 0}, "effect": {"kind": "go_away"}}),
            Some("on.times"),
        ),
        (
            "/control/faults",
            json!({"on": {"operation": "x"}, "effect": {"kind": "go_away"}}),
            Some("on.operation"),
        ),
        (
            "/control/faults",
            json!({"on": {"probability": 2}, "effect": {"kind": "go_away"}}),
            Some("on.probability"),
        ),
        (
            "/control/faults",
            json!({"on": {"keyed": 1}, "effect": {"kind": "go_away"}}),
            Some("on.keyed"),
        ),
        (
            "/control/faults",
            json!({"on": {"skip": -1}, "effect": {"kind": "go_away"}}),
            Some("on.skip"),
        ),
        (
            "/control/faults",
            json!({"on": {"wher": 1}, "effect": {"kind": "go_away"}}),
            Some("on.wher"),
        ),
        (
            "/control/faults",
            json!({"on": {"operation": "connect"}, "effect": {"kind": "go_away"}}),
            Some("on.operation"),
        ),
        (
            "/control/faults",
            json!({"on": {"operation": "connect", "path": "/v1"}, "effect": {"kind": "cut", "how": "reset", "at": "request"}}),
            Some("on.operation"),
        ),
        (
            "/control/faults",
            json!({"on": {"operation": "post_event"}, "effect": {"kind": "preview", "edit": "drop"}}),
            Some("on.operation"),
        ),
        (
            "/control/faults",
            json!({"on": {"operation": "stream"}, "effect": {"kind": "page", "edit": "loop"}}),
            Some("on.operation"),
        ),
        ("/control/clock/advance", json!({}), Some("milliseconds")),
        (
            "/control/clock/advance",
            json!({"milliseconds": 3_155_760_000_001_u64}),
            Some("milliseconds"),
        ),
        (
            "/control/clock/advance",
            json!({"milliseconds": 1.5}),
            Some("milliseconds"),
        ),
        ("/control/restart", json!({"mode": "maybe"}), Some("mode")),
        (
            "/control/restart",
            json!({"restore": "snapshot_9"}),
            Some("restore"),
        ),
    ] {
        let (status, answer) = behind.call("POST", path, &body.to_string()).await;
        assert_eq!(
            (status, &answer["error"]["code"]),
            (400, &json!("request.invalid_body")),
            "{body} {answer}"
        );
        assert_eq!(answer["error"]["param"].as_str(), param, "{body} {answer}");
    }
    assert_eq!(behind.call("PUT", "/control/faults", "").await.0, 405);
    assert_eq!(behind.call("GET", "/control/nothing", "").await.0, 404);
    assert!(world.server.control().faults().all().is_empty());
    world.client.get("/healthz").await.ok(200);
}

/// The clock is moved from behind: one that stands still, and the system's own, which then runs ahead.
#[tokio::test]
async fn time_is_moved_from_behind() {
    let (world, behind) = controlled(MockServer::builder().step_delay(STEP).clock(clock())).await;
    assert_eq!(
        behind.get("/control/clock").await,
        json!({"now": "2026-08-31T12:00:00Z", "kind": "manual"})
    );
    let session = world.session().await;
    world.say(&session, "hello").await;
    let deadline = Instant::now() + PATIENCE;
    while world.read(&session).await["status"] != "idle" {
        assert!(Instant::now() < deadline);
        let body = json!({"milliseconds": 1000}).to_string();
        assert_eq!(behind.call("POST", "/control/clock/advance", &body).await.0, 200);
    }
    let ahead = MockServer::builder().step_delay(Duration::from_secs(3600));
    let (world, behind) = controlled(ahead).await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    for _ in 0..1000 {
        world.server.control().advance(Duration::from_secs(3600)).unwrap();
        if world.read(&session).await["status"] == "idle" {
            break;
        }
    }
    assert_eq!(world.read(&session).await["status"], "idle");
    assert_eq!(behind.get("/control/clock").await["kind"], "system");

    let foreign = MockServer::builder().clock(Foreign(ManualClock::starting_at(
        "2026-01-01T00:00:00Z".parse().unwrap(),
    )));
    let (world, behind) = controlled(foreign).await;
    assert!(world.server.control().advance(STEP).is_err());
    let (status, answer) = behind
        .call("POST", "/control/clock/advance", r#"{"milliseconds":1}"#)
        .await;
    assert_eq!(
        (status, &answer["error"]["code"]),
        (409, &json!("runtime.invalid_transition"))
    );
}

/// A clock of a test's own.
#[derive(Debug)]
struct Foreign(ManualClock);

impl checkfu_mock_server::Clock for Foreign {
    fn now(&self) -> jiff::Timestamp {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        self.0.sleep(duration)
    }
}

/// The journal has each request with how it ended, the newest thousand, and neither keys nor bodies.
#[tokio::test]
async fn the_journal_tells_what_was_asked() {
    let (world, behind) = controlled(MockServer::builder().step_delay(Duration::ZERO)).await;
    let session = world.session().await;
    let keyed = world.client.with("idempotency-key", "very-secret-key");
    let path = format!("/v1/sessions/{session}/events");
    let posted = keyed.post(&path, &message("very secret words")).await;
    let stream = Frames::open(&world.client, &session, Some(1)).await;
    let open = world.server.control().journal().last().unwrap().clone();
    assert_eq!(
        (open.operation, open.ended, open.status),
        (Operation::Stream, Ended::Open, Some(200))
    );
    assert_eq!(open.last_event_id.as_deref(), Some("1"));
    assert_eq!(open.request_id, stream.headers["request-id"].to_str().unwrap());
    drop(stream);
    let deadline = Instant::now() + PATIENCE;
    while world.server.control().journal().last().unwrap().ended != Ended::Dropped {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    let journal = behind.get("/control/journal").await;
    let entry = &journal["data"][1];
    assert_eq!(
        entry["request_id"],
        posted.headers["request-id"].to_str().unwrap()
    );
    assert_eq!(
        (&entry["operation"], &entry["status"]),
        (&json!("post_event"), &json!(202))
    );
    assert_eq!(
        (&entry["ended"], &entry["bytes"]),
        (&json!("complete"), &json!(posted.bytes.len()))
    );
    assert_eq!(entry["idempotency_key"], true);
    let text = journal.to_string();
    for secret in ["very", world.server.api_key(), &behind.token] {
        assert!(!text.contains(secret), "{secret} is in the journal");
    }
    for _ in 0..1010 {
        world.client.get("/healthz").await;
    }
    let journal = world.server.control().journal();
    assert_eq!(
        (journal.len(), journal[0].number, journal[999].number),
        (1000, 14, 1013)
    );
}
