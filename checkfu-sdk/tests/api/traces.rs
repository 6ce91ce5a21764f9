use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, answer, stream};

/// Writes down each span and event of the SDK with its fields.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<String>>);

struct Line<'l>(&'l mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("checkfu_sdk")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = self.0.lock().unwrap();
        write!(text, "{}", span.metadata().name()).unwrap();
        span.record(&mut Line(&mut text));
        text.push('\n');
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = self.0.lock().unwrap();
        event.record(&mut Line(&mut text));
        text.push('\n');
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Calls, retries and broken streams are told to `tracing`, by route and without the key.
#[test]
fn calls_retries_and_streams_are_traced() {
    crate::support::alone::run_alone("traces::alone_with_a_subscriber", &[]);
}

#[tokio::test]
#[ignore = "half of calls_retries_and_streams_are_traced, which starts it in a process of its own"]
async fn alone_with_a_subscriber() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let api = FakeApi::start().await;
    api.on_session(answer(503, "", "you sent key-of-the-test"));
    api.set_session(session("running", json!(null), 9));
    api.on_stream(stream(frames(&[message(1)])))
        .on_stream(stream(frames(&[message(2)])));
    api.client().sessions().retrieve(&api.session_id()).await.unwrap();
    let mut events = api.client().sessions().events("sess_1").stream().open();
    assert!(events.next().await.is_some() && events.next().await.is_some());
    let text = recorder.0.lock().unwrap().clone();
    assert!(
        text.contains("checkfu.call method=\"GET\" route=\"/v1/sessions/{session_id}\""),
        "{text}"
    );
    for part in [
        "trying again attempt=1",
        "status=503",
        "stream opened",
        "stream interrupted",
        "after=1",
        "stream waits",
    ] {
        assert!(text.contains(part), "{part} is missing from {text}");
    }
    assert!(!text.contains("key-of-the-test"), "{text}");
}
