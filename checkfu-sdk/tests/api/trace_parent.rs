//! The trace that a request belongs to.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use serde_json::json;

use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, answer, stream};

fn value(number: usize) -> String {
    format!("00-0af7651916cd43dd8448eb211c80319c-{number:016x}-01")
}

/// Every request carries the trace of its time: a call and its retry, a stream and its reconnect. A value of another form
/// is left out, and so is none; the call succeeds.
#[tokio::test]
async fn every_request_tells_its_trace() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .on_session(answer(503, "", ""))
        .on_stream(stream(frames(&[message(1)])))
        .on_stream(stream(frames(&[message(2)])));
    let asked = AtomicUsize::new(0);
    let builder = api
        .builder()
        .traceparent(move || match asked.fetch_add(1, Ordering::SeqCst) + 1 {
            5 => None,
            6 => Some(value(6).replace("00-0af7", "00-0AF7")),
            7 => Some("00-0af7\r\nx-other: 1".to_owned()),
            number => Some(value(number)),
        });
    assert_eq!(format!("{builder:#?}"), "ClientBuilder { .. }");
    let client = builder.build().unwrap();
    let retrieve = async || client.sessions().retrieve(&api.session_id()).await.unwrap();
    retrieve().await;
    let mut events = client.sessions().events("sess_1").stream().open();
    assert!(events.next().await.unwrap().is_ok() && events.next().await.unwrap().is_ok());
    drop(events);
    for _ in 5..=8 {
        retrieve().await;
    }
    let requests = api.requests();
    let sent: Vec<_> = requests
        .iter()
        .map(|request| request.headers.get("traceparent").cloned())
        .collect();
    let expected = [1, 2, 3, 4, 0, 0, 0, 8].map(|number| (number > 0).then(|| value(number)));
    assert_eq!(sent, expected);
    assert!(
        requests
            .iter()
            .all(|request| !request.headers.contains_key("x-other"))
    );
}
