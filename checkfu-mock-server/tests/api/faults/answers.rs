//! Faults in the answer.

use std::time::{Duration, SystemTime};

use checkfu_mock_server::{Answer, Fault, Headers, MockServer, On, Operation, RequestHeaders, RetryAfter};
use serde_json::json;

use super::bytes::{End, exchange, finished, request, stream};
use crate::support::world::{World, message};

/// Any status, any head, any body, instead of the answer: the request is not carried out unless that was asked for.
#[tokio::test]
async fn an_answer_is_replaced() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let post = request(&world, "POST", &path, &[], &message("hello").to_string());
    let html = Answer::new(200)
        .header("content-type", "text/html")
        .body("<html>");
    for (answer, carried_out) in [
        (html.clone(), false),
        (Answer::new(204), false),
        (Answer::new(299), false),
        (Answer::new(307).header("location", "/elsewhere"), false),
        (Answer::new(401), false),
        (Answer::new(410).body("{\"error\": 1}"), false),
        (
            Answer::new(502)
                .header("content-type", "text/html")
                .body("<html>"),
            false,
        ),
        (Answer::new(799), false),
        (
            Answer {
                fill: 10_000_000,
                ..Answer::new(500)
            },
            false,
        ),
        (Answer::new(500).after_running(), true),
    ] {
        let before = world.log(&session).await.len();
        let on = On::operation(Operation::PostEvent);
        let id = world
            .server
            .control()
            .faults()
            .plan(Fault::new(on, answer.clone()));
        let raw = exchange(world.server.address(), &post).await;
        assert_eq!(raw.status(), answer.status);
        assert!(raw.head().contains("request-id: req_"));
        for (name, value) in &answer.headers {
            assert!(raw.head().contains(&format!("{name}: {value}")), "{}", raw.head());
        }
        assert!(raw.body().starts_with(answer.body.as_bytes()));
        assert_eq!(raw.body().len() as u64, answer.body.len() as u64 + answer.fill);
        world
            .until_status(&session, if carried_out { "idle" } else { "pending" })
            .await;
        assert_eq!(
            world.log(&session).await.len() > before,
            carried_out,
            "{answer:?}"
        );
        let status = world.server.control().faults().status(&id).unwrap();
        assert_eq!((status.planned, status.met, status.fired), (Some(1), 1, 1));
    }
    // A body that ends before its announced length is cut off.
    let missing = Answer {
        missing: 9,
        ..Answer::new(503).body("half")
    };
    world
        .server
        .control()
        .faults()
        .plan(Fault::new(On::any(), missing));
    let raw = exchange(world.server.address(), &post).await;
    assert!(raw.head().contains("content-length: 13"), "{}", raw.text());
    assert_eq!((raw.body(), raw.end), (b"half".to_vec(), End::Closed));
}

/// `retry-after` in seconds, as a date ahead or behind, and as nonsense.
#[tokio::test]
async fn retry_after_says_what_was_asked() {
    let world = World::new().await;
    let healthz = request(&world, "GET", "/healthz", &[], "");
    let busy = |retry_after| Fault::new(On::any(), Answer::new(429).retry_after(retry_after));
    for (retry_after, expected) in [
        (RetryAfter::Seconds(2), "2"),
        (RetryAfter::Text("soon".to_owned()), "soon"),
        (RetryAfter::Text("-1".to_owned()), "-1"),
    ] {
        world.server.control().faults().plan(busy(retry_after));
        let raw = exchange(world.server.address(), &healthz).await;
        assert!(
            raw.head().ends_with(&format!("\r\nretry-after: {expected}"))
                || raw.head().contains(&format!("\r\nretry-after: {expected}\r\n"))
        );
    }
    for from_now in [60, -60_i64] {
        world
            .server
            .control()
            .faults()
            .plan(busy(RetryAfter::Date(from_now)));
        let before = SystemTime::now();
        let raw = exchange(world.server.address(), &healthz).await;
        let text = raw.text();
        let date = text
            .split("retry-after: ")
            .nth(1)
            .unwrap()
            .split("\r\n")
            .next()
            .unwrap();
        let date = httpdate(date);
        let wanted = if from_now > 0 {
            before + Duration::from_secs(60)
        } else {
            before - Duration::from_secs(60)
        };
        let off = date
            .duration_since(wanted)
            .unwrap_or_else(|error| error.duration());
        assert!(off < Duration::from_secs(5), "{off:?}");
    }
}

fn httpdate(text: &str) -> SystemTime {
    httpdate::parse_http_date(text).unwrap()
}

/// The head of an answer is changed and its body is not; the head of a request, before the server reads it.
#[tokio::test]
async fn heads_are_changed_both_ways() {
    let world = World::new().await;
    let (session, _) = finished(&world).await;
    let plain = stream(&world, &session, &[]).await;
    assert!(plain.head().contains("content-type: text/event-stream"));
    let change = Headers {
        remove: vec!["content-type".to_owned()],
        set: vec![("x-from".to_owned(), "a proxy".to_owned())],
        fill: 20_000,
        ..Headers::default()
    };
    world
        .server
        .control()
        .faults()
        .plan(Fault::new(On::operation(Operation::Stream), change));
    let changed = stream(&world, &session, &[]).await;
    assert!(!changed.head().contains("content-type") && changed.head().contains("x-from: a proxy"));
    assert!(changed.head().len() > plain.head().len() + 20_000 - 100);
    assert_eq!(changed.body(), plain.body());

    let strip = RequestHeaders {
        remove: vec!["authorization".to_owned()],
        ..RequestHeaders::default()
    };
    world.server.control().faults().plan(Fault::new(On::any(), strip));
    world
        .client
        .get("/v1/sessions")
        .await
        .refused(401, "auth.invalid_key");
    world.client.get("/v1/sessions").await.ok(200);
}

/// Faults meet what they are to meet and nothing else: by method, path, Session, key, and place in the order.
#[tokio::test]
async fn a_fault_meets_what_it_names() {
    let world = World::with(MockServer::builder().step_delay(Duration::ZERO)).await;
    let (one, other) = (world.session().await, world.session().await);
    let path = |session: &str| format!("/v1/sessions/{session}");
    let gone = || Answer::new(410);
    let status = async |method: &str, path: &str, fields: &[&str]| {
        let body = if method == "POST" {
            json!({}).to_string()
        } else {
            String::new()
        };
        exchange(
            world.server.address(),
            &request(&world, method, path, fields, &body),
        )
        .await
        .status()
    };
    let faults = world.server.control().faults();
    for (on, met, others) in [
        (
            On::any().session(&*one),
            ("GET", path(&one), ""),
            ("GET", path(&other), ""),
        ),
        (
            On::any().method("post"),
            ("POST", "/v1/none".to_owned(), ""),
            ("GET", "/v1/none".to_owned(), ""),
        ),
        (
            On::any().path("/v1/sessions/*"),
            ("GET", path(&one), ""),
            ("GET", path(&one) + "/events", ""),
        ),
        (
            On::any().keyed(true),
            ("POST", path(&one), "idempotency-key: k"),
            ("POST", path(&one), ""),
        ),
        (
            On::any().resumed(false),
            ("GET", path(&one), ""),
            ("GET", path(&one), "last-event-id: 1"),
        ),
        (
            On::operation(Operation::ListSessions),
            ("GET", "/v1/sessions".to_owned(), ""),
            ("GET", path(&one), ""),
        ),
    ] {
        let id = faults.plan(Fault::new(on.clone(), gone()));
        let fields = |field: &'static str| if field.is_empty() { vec![] } else { vec![field] };
        assert_ne!(
            status(others.0, &others.1, &fields(others.2)).await,
            410,
            "{on:?}"
        );
        assert_eq!(status(met.0, &met.1, &fields(met.2)).await, 410, "{on:?}");
        assert_ne!(status(met.0, &met.1, &fields(met.2)).await, 410, "once: {on:?}");
        faults.remove(&id).unwrap();
    }
    let id = faults.plan(Fault::new(On::any().skip(1).times(2), gone()));
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(status("GET", "/healthz", &[]).await);
    }
    assert_eq!(seen, [200, 410, 410, 200]);
    let told = faults.status(&id).unwrap();
    assert_eq!((told.planned, told.met, told.fired), (Some(2), 2, 2));
    let journal = world.server.control().journal();
    assert_eq!(
        told.last_request.as_ref(),
        Some(&journal[journal.len() - 2].request_id)
    );
}
