//! Faults in the connection.

use std::time::{Duration, Instant};

use checkfu_mock_server::{
    Cut, Delay, Ended, Fault, GoAway, How, Informational, MockServer, OldHttp, On, Operation, Point, Rate,
    Raw,
};
use serde_json::Value;

use super::bytes::{End, exchange, exchange_until, request};
use crate::support::frames::PATIENCE;
use crate::support::world::{World, message};

/// A connection ends before the request is carried out, after it, within the head or within the body, by FIN or RST, and
/// the server goes on.
#[tokio::test]
async fn a_connection_ends_where_asked() {
    let world = World::new().await;
    let address = world.server.address();
    let healthz = request(&world, "GET", "/healthz", &[], "");
    let whole = exchange(address, &healthz).await;
    for how in [How::Close, How::Reset] {
        for (point, after, length) in [
            (Point::Request, 0, 0),
            (Point::Answer, 0, 0),
            (Point::Head, 0, 0),
            (Point::Head, 20, 20),
            (Point::Body, 5, whole.bytes.len() - whole.body().len() + 5),
            (Point::Body, 0, whole.bytes.len() - whole.body().len()),
        ] {
            let fault = Fault::new(On::any(), Cut::new(how, point).after(after));
            let id = world.server.control().faults().plan(fault);
            let raw = exchange(address, &healthz).await;
            let case = format!("{how:?} {point:?} {after}: {}", raw.text());
            if how == How::Close {
                assert_eq!(raw.end, End::Closed, "{case}");
                // Dates and ids have one length.
                assert_eq!(raw.bytes.len(), length, "{case}");
            } else {
                assert_eq!(raw.end, End::Reset, "{case}");
            }
            assert_eq!(
                world.server.control().faults().remove(&id).unwrap().fired,
                1,
                "{case}"
            );
            assert_eq!(world.server.control().journal().last().unwrap().path, "/healthz");
        }
    }
    assert_eq!(exchange(address, &healthz).await.status(), 200);
}

/// A new connection is closed, or reset, or never answered, before it has asked for anything.
#[tokio::test]
async fn a_connection_is_refused_after_it_was_accepted() {
    let world = World::new().await;
    let healthz = request(&world, "GET", "/healthz", &[], "");
    for how in [How::Close, How::Reset] {
        let on = On::operation(Operation::Connect);
        let id = world
            .server
            .control()
            .faults()
            .plan(Fault::new(on, Cut::new(how, Point::Request)));
        let raw = exchange(world.server.address(), &healthz).await;
        assert!(raw.bytes.is_empty() && world.server.control().faults().status(&id).unwrap().fired == 1);
    }
    assert_eq!(exchange(world.server.address(), &healthz).await.status(), 200);
}

/// Silence before, within and after the head lasts until the server stops, and holds up its stop no longer than the drain.
#[tokio::test]
async fn silence_lasts_until_the_server_stops() {
    let world = World::with(MockServer::builder().drain(Duration::from_secs(2))).await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events/stream");
    let mut held = Vec::new();
    for (point, after) in [
        (Point::Request, 0),
        (Point::Head, 9),
        (Point::Body, 0),
        (Point::Event, 1),
    ] {
        let fault = Fault::new(On::any(), Cut::new(How::Silence, point).after(after));
        let id = world.server.control().faults().plan(fault);
        let (address, request) = (world.server.address(), request(&world, "GET", &path, &[], ""));
        held.push(tokio::spawn(async move { exchange(address, &request).await }));
        let deadline = Instant::now() + PATIENCE;
        while world.server.control().faults().status(&id).unwrap().fired == 0 {
            assert!(Instant::now() < deadline, "{point:?} did not fire");
            tokio::task::yield_now().await;
        }
    }
    // Another answer shows that everyone has had a turn.
    world.read(&session).await;
    assert!(held.iter().all(|exchange| !exchange.is_finished()));
    let started = Instant::now();
    let World { server, .. } = world;
    server.shutdown().await;
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
    let mut texts = Vec::new();
    for exchange in held {
        let raw = tokio::time::timeout(PATIENCE, exchange).await.unwrap().unwrap();
        texts.push(raw.text());
    }
    assert_eq!(texts[..2], ["", "HTTP/1.1 "]);
    assert!(texts[2].ends_with("\r\n\r\n"), "{}", texts[2]);
    assert!(
        texts[3].contains("\nid: 1\n") && !texts[3].contains("\nid: 2\n"),
        "{}",
        texts[3]
    );
}

/// A-IDEM, LST-1: an acknowledgement is lost after the commit; the call, sent again with its key, gets the original event,
/// and the log has it once.
#[tokio::test]
async fn a_lost_acknowledgement_is_no_lost_event() {
    let world = World::new().await;
    for how in [How::Reset, How::Close] {
        let session = world.session().await;
        let on = On::operation(Operation::PostEvent).session(&*session);
        let id = world
            .server
            .control()
            .faults()
            .plan(Fault::new(on, Cut::new(how, Point::Answer)));
        let path = format!("/v1/sessions/{session}/events");
        let body = message("hello").to_string();
        let fields = ["idempotency-key: once", "content-type: application/json"];
        let post = request(&world, "POST", &path, &fields, &body);
        let lost = exchange(world.server.address(), &post).await;
        assert!(lost.bytes.is_empty());
        assert_eq!(world.server.control().faults().status(&id).unwrap().fired, 1);
        let again = exchange(world.server.address(), &post).await;
        assert_eq!(again.status(), 202);
        let log = world.log(&session).await;
        let messages: Vec<&Value> = log
            .iter()
            .filter(|event| event["type"] == "user.message")
            .collect();
        assert_eq!(messages, [&again.json()]);
        let journal = world.server.control().journal();
        let posts: Vec<_> = journal
            .iter()
            .filter(|entry| entry.path == path && entry.method == "POST")
            .collect();
        assert_eq!(posts[0].ended, Ended::Cut);
        assert_eq!((posts[1].status, posts[1].ended), (Some(202), Ended::Complete));
        assert!(posts.iter().all(|entry| entry.idempotency_key));
    }
}

/// Whatever bytes: no HTTP at all, a 1xx before the answer, HTTP/1.0 without a length, a head byte by byte.
#[tokio::test]
async fn bytes_of_any_kind_are_sent() {
    let world = World::new().await;
    let (address, faults) = (world.server.address(), world.server.control().faults().clone());
    let healthz = request(&world, "GET", "/healthz", &[], "");
    let raw = Raw {
        text: "SSH-2.0-nobody\r\n".to_owned(),
        then: How::Close,
    };
    faults.plan(Fault::new(On::any(), raw));
    let answer = exchange(address, &healthz).await;
    assert_eq!((&*answer.text(), answer.end), ("SSH-2.0-nobody\r\n", End::Closed));

    faults.plan(Fault::new(On::any(), Informational { status: 103 }));
    let answer = exchange(address, &healthz).await.text();
    assert!(
        answer.starts_with("HTTP/1.1 103 Nothing yet\r\n\r\nHTTP/1.1 200 OK\r\n"),
        "{answer}"
    );

    let session = world.session().await;
    let path = format!("/v1/sessions/{session}");
    world
        .client
        .post(&format!("{path}/cancel"), &serde_json::json!({}))
        .await
        .ok(200);
    let stream = request(&world, "GET", &format!("{path}/events/stream"), &[], "");
    let plain = exchange(address, &stream).await;
    faults.plan(Fault::new(On::any(), OldHttp {}));
    let old = exchange(address, &stream).await;
    assert!(old.text().starts_with("HTTP/1.0 200 OK\r\n"), "{}", old.text());
    assert!(!old.head().contains("transfer-encoding") && !old.head().contains("content-length"));
    assert_eq!(old.body(), plain.body());

    faults.plan(Fault::new(
        On::any(),
        Rate {
            bytes: 10,
            pause_milliseconds: 2,
            random: false,
        },
    ));
    let started = Instant::now();
    let slow = exchange(address, &healthz).await;
    assert_eq!(slow.status(), 200);
    assert!(started.elapsed() >= Duration::from_millis(2) * (slow.bytes.len() as u32 / 10 - 1));

    faults.plan(Fault::new(
        On::any(),
        Delay {
            milliseconds: 30,
            run: false,
        },
    ));
    let started = Instant::now();
    assert_eq!(exchange(address, &healthz).await.status(), 200);
    assert!(started.elapsed() >= Duration::from_millis(30));
}

/// A connection that is told to go away answers what was asked and then ends, though its client would have kept it.
#[tokio::test]
async fn a_connection_goes_away_after_its_answer() {
    let world = World::new().await;
    let healthz = request(&world, "GET", "/healthz", &[], "").replace("connection: close\r\n", "");
    world
        .server
        .control()
        .faults()
        .plan(Fault::new(On::any(), GoAway {}));
    let answer = exchange(world.server.address(), &healthz).await;
    assert_eq!((answer.status(), answer.end), (200, End::Closed));
    let kept = exchange_until(world.server.address(), &healthz, b"ok").await;
    assert_eq!((kept.status(), kept.end), (200, End::Silent));
}
