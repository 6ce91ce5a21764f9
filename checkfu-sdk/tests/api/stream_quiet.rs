//! A stream whose connection lives and brings nothing.

use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::{Client, Limits, Seq};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{event, frame, frames, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};

/// How long a connection brings nothing before the Session is asked: half of the limit on silence. No other timer has it.
const QUIET: Duration = Duration::from_secs(40);

/// One stream from `after` on, read in a task of its own under a clock of the test's.
struct Reading {
    api: FakeApi,
    clock: ManualClock,
    client: Client,
    read: tokio::task::JoinHandle<Vec<u64>>,
}

impl Reading {
    /// Reads up to `count` events, or to the end of the stream.
    fn start(api: &FakeApi, after: u32, count: usize) -> Self {
        let clock = ManualClock::new();
        let builder = api.builder().limits(Limits::default().idle(QUIET * 2));
        let client = builder.clock(clock.clone()).build().unwrap();
        let events = client.sessions().events("sess_1").stream();
        let events = events.after(Seq::from(after)).open().take(count);
        let read = async move { events.map(|event| event.unwrap().seq().get()).collect().await };
        Self {
            api: api.clone(),
            clock,
            client,
            read: tokio::spawn(read),
        }
    }

    /// Lets the server take its next step, and what that sends arrive.
    async fn step(&self, step: &Notify) {
        step.notify_one();
        for _ in 0..3 {
            let (sessions, other) = (self.client.sessions(), "sess_other".into());
            drop(sessions.retrieve(&other).await.unwrap());
        }
    }

    /// Moves the clock to the next look at the Session, and lets its answer arrive.
    async fn look(&self) {
        let reads = self.api.session_reads();
        self.clock.slept(|sleep| sleep == QUIET).await;
        self.clock.advance(QUIET);
        while self.api.session_reads() == reads && !self.read.is_finished() {
            tokio::task::yield_now().await;
        }
        self.step(&Notify::new()).await;
    }

    /// Lets the wait before the next connection pass.
    async fn reconnect(&self) {
        let wait = self.clock.slept(|sleep| sleep <= Duration::from_millis(4)).await;
        self.clock.advance(wait);
    }
}

/// A server that sends `parts` one by one, each when it is told to.
fn parts(go_on: &Arc<Notify>, parts: impl IntoIterator<Item = String>) -> Vec<Step> {
    let mut script = stream("");
    for part in parts {
        script.push(Step::Until(Arc::clone(go_on)));
        script.push(Step::Send(part.into_bytes()));
    }
    script.push(Step::Hang);
    script
}

fn completed(seq: u64) -> Value {
    event(seq, "session.status_completed", json!({}))
}

const COMMENT: &str = ": alive\n\n";

/// A-HEAD, SES-9, REP-19: a stream that stands at the head of a Session that ended, also while it was open, ends though
/// the server keeps the connection alive; the stream of one that rests lives on.
#[tokio::test]
async fn a_stream_at_the_head_of_an_ended_session_ends() {
    let api = FakeApi::start().await;
    let go_on = Arc::new(Notify::new());
    api.set_session(session("idle", json!("end_turn"), 4))
        .set_log(vec![message(4)])
        .on_stream(parts(&go_on, [COMMENT, COMMENT].map(str::to_owned)));
    let reading = Reading::start(&api, 4, 9);
    reading.look().await;
    reading.step(&go_on).await;
    assert!(!reading.read.is_finished());
    api.set_session(session("canceled", json!(null), 4));
    reading.look().await;
    assert_eq!(reading.read.await.unwrap(), [0; 0]);
    assert_eq!(api.stream_cursors().len(), 1);
}

/// STR-8, REP-19, REP-40: a connection that lives and does not bring an event that the log holds, at two looks in a
/// row, is left, and the event comes over the next one.
#[tokio::test]
async fn a_connection_that_forgot_an_event_is_left() {
    let api = FakeApi::start().await;
    let go_on = Arc::new(Notify::new());
    api.set_session(session("running", json!(null), 4))
        .set_log(vec![message(4)])
        .on_stream(parts(&go_on, [COMMENT, COMMENT, COMMENT].map(str::to_owned)))
        .on_stream(stream(frames(&[message(7), completed(8)])));
    let reading = Reading::start(&api, 4, 1);
    reading.look().await;
    reading.step(&go_on).await;
    api.set_session(session("running", json!(null), 8))
        .set_log(vec![message(4), message(7), completed(8)]);
    reading.look().await;
    reading.step(&go_on).await;
    assert_eq!(api.stream_cursors().len(), 1, "the event may be on its way");
    reading.look().await;
    reading.reconnect().await;
    assert_eq!(reading.read.await.unwrap(), [7]);
    assert_eq!(api.stream_cursors(), [Some("4".to_owned()), Some("4".to_owned())]);
}

/// A-CLI, REP-35: an event that arrives in small pieces is on its way, however slowly, and so is one behind old events
/// that the server repeats: bytes are timed, not events, and the connection is kept.
#[tokio::test]
async fn what_is_on_its_way_is_waited_for() {
    let whole = frame(&message(7));
    let dripping: Vec<_> = whole.as_bytes().chunks(whole.len().div_ceil(5)).collect();
    let dripping = dripping
        .into_iter()
        .map(|part| String::from_utf8(part.to_vec()).unwrap());
    let repeating = (1..5).map(|seq| frame(&message(seq))).chain([whole.clone()]);
    for script in [dripping.collect::<Vec<_>>(), repeating.collect()] {
        let api = FakeApi::start().await;
        let go_on = Arc::new(Notify::new());
        api.set_session(session("running", json!(null), 7))
            .set_log(vec![message(4), message(7)])
            .on_stream(parts(&go_on, script.clone()));
        let reading = Reading::start(&api, 4, 1);
        for _ in 1..script.len() {
            reading.step(&go_on).await;
            reading.look().await;
            assert!(!reading.read.is_finished());
        }
        go_on.notify_one();
        assert_eq!(reading.read.await.unwrap(), [7]);
        assert_eq!(api.stream_cursors().len(), 1, "the connection was left");
    }
}
