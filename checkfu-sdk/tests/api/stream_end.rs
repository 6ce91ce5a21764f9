use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::retry::{Backoff, ReconnectPolicy};
use checkfu_sdk::{Event, Seq};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq().get()).collect()
}

fn status(seq: u64, name: &str) -> Value {
    event(seq, &format!("session.status_{name}"), json!({}))
}

async fn read(api: &FakeApi) -> Vec<u64> {
    let events = api.client().sessions().events("sess_1").stream().open();
    seqs(&events.try_collect::<Vec<_>>().await.unwrap())
}

/// A-CLI: after a terminal event the stream ends without another connection, whether the server closes, breaks
/// off or keeps the connection open and silent, which no timer has to notice.
#[tokio::test]
async fn a_terminal_event_ends_the_stream() {
    for name in ["completed", "failed", "canceled"] {
        for ending in [None, Some(Step::Reset), Some(Step::Hang)] {
            let api = FakeApi::start().await;
            let mut script = stream(frames(&[message(1), status(2, name)]));
            script.extend(ending);
            api.set_session(session(name, json!(null), 2)).on_stream(script);
            let silent = ManualClock::new();
            let client = api.builder().clock(silent).build().unwrap();
            let events = client.sessions().events("sess_1").stream().open();
            let events: Vec<_> = events.try_collect().await.unwrap();
            assert_eq!(seqs(&events), [1, 2], "{name}");
            assert_eq!(api.stream_cursors().len(), 1, "{name}");
        }
    }
}

/// A-FORK, A-CLI: whether a terminal event ends the stream is asked again where the Session could not be read,
/// whether the connection closed or lives on; only an answer ends it in silence.
#[tokio::test]
async fn a_terminal_event_of_an_unreadable_session_is_asked_about_again() {
    for script in [answer(500, "", ""), answer(200, "", "{}"), vec![Step::Reset]] {
        let api = FakeApi::start().await;
        api.set_session(session("failed", json!(null), 2))
            .on_session(script)
            .on_stream(stream(frames(&[status(2, "failed")])))
            .on_stream(stream(""));
        assert_eq!(read(&api).await, [2]);
        assert_eq!((api.stream_cursors().len(), api.session_reads()), (2, 2));
    }
    let mut held = stream(frames(&[status(2, "failed")]));
    held.push(Step::Hang);
    let api = FakeApi::start().await;
    api.set_session(session("failed", json!(null), 2))
        .on_session(answer(503, "", ""))
        .on_stream(held)
        .on_stream(stream(""));
    assert_eq!(read(&api).await, [2]);
    assert_eq!((api.stream_cursors().len(), api.session_reads()), (2, 2));
}

/// A-FORK: a copied terminal event does not end the stream of a fork whose Session could not be read at once.
#[tokio::test]
async fn a_failed_read_does_not_end_a_fork_in_mid_log() {
    for ending in [None, Some(Step::Reset), Some(Step::Hang)] {
        let mut fork = session("idle", json!("end_turn"), 6);
        fork["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_3", "seq": 3 });
        let api = FakeApi::start().await;
        let mut copies = stream(frames(&[message(1), status(3, "completed")]));
        copies.extend(ending);
        let rest = [
            event(4, "session.forked", json!({ "source_session_id": "sess_0" })),
            status(6, "canceled"),
        ];
        api.set_session(fork)
            .on_session(answer(503, "retry-after: 0\r\n", ""))
            .on_stream(copies)
            .on_stream(stream(frames(&rest)));
        assert_eq!(read(&api).await, [1, 3, 4, 6]);
    }
}

/// FOL-5, WIRE-7: where no answer comes within the budget, or none ever will, the stream ends in that error.
#[tokio::test]
async fn a_session_that_stays_unreadable_is_an_error() {
    for (reply, reads, retryable) in [
        (answer as fn(u16, &str, &str) -> Vec<Step>, 3, true),
        (|_, _, _| answer(404, "", ""), 1, false),
        (|_, _, _| answer(200, "", "{}"), 3, false),
    ] {
        let api = FakeApi::start().await;
        api.on_stream(stream(frames(&[status(2, "failed")])));
        for _ in 0..reads {
            api.on_session(reply(500, "", "")).on_stream(stream(""));
        }
        let two = ReconnectPolicy::default()
            .max_reconnects(2)
            .backoff(Backoff::between(
                Duration::from_millis(1),
                Duration::from_millis(4),
            ));
        let events = api.client().sessions().events("sess_1").stream();
        let items: Vec<_> = events.reconnect_policy(two).open().collect().await;
        assert!(items.len() == 2 && items[0].is_ok(), "{items:?}");
        let error = items[1].as_ref().unwrap_err();
        assert_eq!(
            (error.is_retryable(), api.session_reads()),
            (retryable, reads),
            "{error:?}"
        );
    }
}

/// A-FORK: a terminal event that a fork copied does not end the stream, on one connection or over a break.
#[tokio::test]
async fn a_copied_terminal_event_does_not_end_the_stream() {
    let mut fork = session("completed", json!(null), 9);
    fork["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_5", "seq": 5 });
    let copies = [message(4), status(5, "completed")];
    let rest = [
        event(6, "session.forked", json!({ "source_session_id": "sess_0" })),
        status(9, "completed"),
    ];

    let later = Arc::new(Notify::new());
    let mut held = stream(frames(&copies));
    held.push(Step::Until(Arc::clone(&later)));
    held.push(Step::Send(frames(&rest).into_bytes()));
    let mut broken = stream(frames(&copies));
    broken.push(Step::Reset);
    let whole = stream(frames(copies.iter().chain(&rest)));
    for (first, connections) in [(whole, 1), (stream(frames(&copies)), 2), (broken, 2), (held, 1)] {
        let api = FakeApi::start().await;
        api.set_session(fork.clone())
            .on_stream(first)
            .on_stream(stream(frames(&rest)));
        let waiting = {
            let (api, later) = (api.clone(), Arc::clone(&later));
            async move {
                while api.session_reads() == 0 {
                    tokio::task::yield_now().await;
                }
                later.notify_one();
            }
        };
        let (events, ()) = futures::join!(read(&api), waiting);
        assert_eq!(events, [4, 5, 6, 9]);
        assert_eq!(api.stream_cursors().len(), connections);
    }
}

/// SES-9, A-HEAD, REP-12: a close without events is no settlement; the Session is read, and only one that is terminal
/// with nothing above the cursor ends the stream.
#[tokio::test]
async fn a_close_without_events_asks_the_session() {
    let api = FakeApi::start().await;
    api.set_session(session("completed", json!(null), 7))
        .on_stream(stream(": head\n\n"));
    let events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .after(Seq::from(7))
        .open();
    assert!(events.try_collect::<Vec<_>>().await.unwrap().is_empty());
    assert_eq!((api.stream_cursors().len(), api.session_reads()), (1, 1));

    for open in [
        session("completed", json!(null), 8),
        session("idle", json!("end_turn"), 7),
        session("running", json!(null), 7),
        json!({ "id": "sess_1", "status": "completed" }),
        json!({ "status": "completed", "last_seq": 7 }),
    ] {
        let api = FakeApi::start().await;
        api.set_session(open)
            .set_log(vec![status(8, "completed")])
            .on_stream(stream(""))
            .on_stream(stream(frames(&[status(8, "completed")])));
        let events = api
            .client()
            .sessions()
            .events("sess_1")
            .stream()
            .after(Seq::from(7))
            .open();
        let first: Vec<_> = events.take(1).try_collect().await.unwrap();
        assert_eq!(seqs(&first), [8]);
        assert_eq!(api.stream_cursors().len(), 2);
    }
}

/// REP-13: a close after events is mended without a question, and an idle Session's stream lives on.
#[tokio::test]
async fn an_idle_session_does_not_end_its_stream() {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 2))
        .on_stream(stream(frames(&[idle(2, "end_turn")])))
        .on_stream(stream(frames(&[message(3), status(4, "canceled")])));
    assert_eq!(read(&api).await, [2, 3, 4]);
    assert_eq!(api.stream_cursors().len(), 2);
}

/// REP-42: a Session that is gone ends its stream with that error, not with silence.
#[tokio::test]
async fn a_session_that_is_gone_is_an_error() {
    let api = FakeApi::start().await;
    api.on_stream(stream(""));
    let mut events = api.client().sessions().events("sess_1").stream().open();
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.status().unwrap().as_u16(), 404);
    assert!(events.next().await.is_none());
}

/// With no reconnect allowed, the first close ends the stream and the first failure is its error.
#[tokio::test]
async fn without_reconnects_the_first_break_is_the_last() {
    let never = ReconnectPolicy::default().max_reconnects(0);
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .on_stream(stream(frames(&[message(1)])));
    let open = || {
        api.client()
            .sessions()
            .events("sess_1")
            .stream()
            .reconnect_policy(never)
            .open()
    };
    assert_eq!(seqs(&open().try_collect::<Vec<_>>().await.unwrap()), [1]);
    let mut broken = stream(frames(&[message(1)]));
    broken.push(Step::Reset);
    api.on_stream(broken);
    let items: Vec<_> = open().collect().await;
    assert!(
        items.len() == 2 && items[1].as_ref().is_err_and(checkfu_sdk::Error::is_retryable),
        "{items:?}"
    );
}
