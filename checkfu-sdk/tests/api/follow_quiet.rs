//! The end of a follow at a head that its view does not show, and the forks and forgotten turns beside it.

use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::follow::Follower;
use checkfu_sdk::settlement::Settlement;
use checkfu_sdk::{Limits, Seq};
use futures::FutureExt;
use serde_json::json;
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

/// How long the log must bring nothing before the Session is asked: half of the limit on silence.
const QUIET: Duration = Duration::from_secs(40);

async fn store_at(seq: u32, settled_at: Option<u64>) -> MemoryCursorStore {
    let store = MemoryCursorStore::new();
    let position = Position::new(Seq::from(seq), Some(format!("evt_{seq:032x}").as_str().into()));
    let settled = settled_at.map(|seq| serde_json::from_value(idle(seq, "end_turn")).unwrap());
    let settled = settled.and_then(|event| Settlement::of(&event));
    let mut transaction = store.begin().await.unwrap();
    let key = CursorKey::session("c", "sess_1");
    let cursor = Cursor::new(Some(position), settled);
    let advance = store.advance(&mut transaction, &key, None, &cursor);
    assert_eq!(advance.await.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
    store
}

async fn start(
    api: &FakeApi,
    clock: Option<&ManualClock>,
    store: MemoryCursorStore,
    input: Option<u32>,
) -> Follower<MemoryCursorStore> {
    let mut builder = api.builder().limits(Limits::default().idle(QUIET * 2));
    if let Some(clock) = clock {
        builder = builder.clock(clock.clone());
    }
    let client = builder.build().unwrap();
    let mut follow = client.sessions().events("sess_1").follow("c", store);
    if let Some(input) = input {
        follow = follow.input(Seq::from(input));
    }
    follow.start().await.unwrap()
}

fn lists(api: &FakeApi) -> usize {
    let requests = api.requests();
    requests
        .iter()
        .filter(|request| request.target.contains("after=8&limit=1"))
        .count()
}

/// A-HEAD, A-SEQ, REP-51: a settled Session whose last events are not in this view ends the follow once the log has
/// brought nothing for half of the limit on silence, though the connection lives; it is asked once in that time and no
/// more.
#[tokio::test]
async fn a_hole_at_the_head_ends_the_follow() {
    let api = FakeApi::start().await;
    let clock = ManualClock::new();
    let comment = Arc::new(Notify::new());
    let mut script = stream("");
    for _ in 0..100 {
        script.push(Step::Until(Arc::clone(&comment)));
        script.push(Step::Send(b": alive\n\n".to_vec()));
    }
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), 10))
        .set_log(vec![message(8)])
        .on_stream(script);
    let mut follower = start(&api, Some(&clock), store_at(8, None).await, None).await;
    let following = tokio::spawn(async move {
        let ended = follower.next().await.unwrap().is_none();
        (ended, follower.settlement().cloned())
    });
    for reads in 2..5 {
        clock.slept(|sleep| sleep == QUIET).await;
        comment.notify_one();
        clock.advance(QUIET - Duration::from_secs(1));
        tokio::task::yield_now().await;
        assert_eq!(api.session_reads(), reads - 1, "it was asked early");
        if reads == 4 {
            api.set_session(session("idle", json!("end_turn"), 10));
        }
        clock.advance(Duration::from_secs(1));
        while api.session_reads() < reads {
            tokio::task::yield_now().await;
        }
    }
    let (ended, settlement) = following.await.unwrap();
    assert!(ended);
    assert_eq!(settlement.unwrap().seq.get(), 10);
    assert_eq!(
        (api.session_reads(), lists(&api), api.stream_cursors().len()),
        (4, 3, 1),
        "the log is asked with the Session"
    );
}

/// A-HEAD: events that are in this view are waited for, whatever the Session says; so is a turn of a later input, and
/// a Session that cannot be asked does not break the connection.
#[tokio::test]
async fn a_quiet_log_with_more_in_it_is_waited_for() {
    for (more, input, asked) in [(true, None, true), (false, Some(11), true), (false, None, false)] {
        let api = FakeApi::start().await;
        let clock = ManualClock::new();
        let go = Arc::new(Notify::new());
        let mut script = stream("");
        script.push(Step::Until(Arc::clone(&go)));
        script.push(Step::Send(
            frames(&[message(12), idle(13, "refusal")]).into_bytes(),
        ));
        script.push(Step::Hang);
        api.set_session(session("running", json!(null), 10))
            .set_log(vec![message(8)])
            .on_stream(script);
        let mut follower = start(&api, Some(&clock), store_at(8, None).await, input).await;
        let following = tokio::spawn(async move {
            let mut seqs = Vec::new();
            while let Some(delivery) = follower.next().await.unwrap() {
                seqs.push(delivery.commit().await.unwrap().get());
            }
            seqs
        });
        clock.slept(|sleep| sleep == QUIET).await;
        api.set_session(session("idle", json!("end_turn"), 10));
        if more {
            api.set_log(vec![message(8), message(9)]);
        }
        if !asked {
            api.on_session(answer(500, "", ""));
        }
        clock.advance(QUIET);
        clock.slept(|sleep| sleep == QUIET).await;
        assert!(!following.is_finished());
        go.notify_one();
        assert_eq!(following.await.unwrap(), [12, 13], "{more} {input:?}");
        assert_eq!((api.session_reads(), api.stream_cursors().len()), (2, 1));
    }
}

/// A-HEAD, SES-9: the same hole behind connections that close without events, or a server that has no more of them,
/// does not send the follow around for ever.
#[tokio::test]
async fn a_hole_at_the_head_behind_a_close_ends_the_follow() {
    for script in [stream(""), answer(204, "", "")] {
        let api = FakeApi::start().await;
        api.set_session(session("idle", json!("end_turn"), 10))
            .set_log(vec![message(8)])
            .on_stream(script);
        let mut follower = start(&api, None, store_at(8, None).await, None).await;
        assert!(follower.next().await.unwrap().is_none());
        assert_eq!(follower.settlement().unwrap().seq.get(), 10);
        assert_eq!((api.stream_cursors().len(), lists(&api)), (1, 1));
    }
}

/// A-HEAD: at the head, a stored settlement at or below the input does not answer for it, though its idle is the
/// last one that this view shows.
#[tokio::test]
async fn an_old_settlement_is_not_told_at_the_head() {
    let api = FakeApi::start().await;
    let mut script = stream(frames(&[message(10), message(15)]));
    script.push(Step::Hang);
    api.set_session(session("idle", json!("end_turn"), 15))
        .set_log((1..16).map(message).collect())
        .on_stream(script);
    let mut follower = start(&api, None, store_at(9, Some(9)).await, Some(10)).await;
    while let Some(delivery) = follower.next().await.unwrap() {
        delivery.commit().await.unwrap();
    }
    let settlement = follower.settlement().unwrap();
    assert_eq!((settlement.seq.get(), &settlement.event_id), (15, &None));
}

/// A-FORK: a fork whose own log holds nothing yet is not settled by the status that it copied, whether the Session is
/// read on open or later, nor by a settlement that is stored from there.
#[tokio::test]
async fn a_copied_status_of_a_fork_settles_nothing() {
    for status in ["idle", "completed"] {
        let api = FakeApi::start().await;
        let mut fork = session(status, json!("end_turn"), 9);
        fork["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_9", "seq": 9 });
        let own = [
            event(10, "session.forked", json!({ "source_session_id": "sess_0" })),
            idle(11, "end_turn"),
        ];
        api.set_session(fork)
            .set_log((1..10).map(message).collect())
            .on_stream(stream(""))
            .on_stream(stream(frames(&own)));
        let mut follower = start(&api, None, store_at(9, Some(9)).await, Some(3)).await;
        let mut seqs = Vec::new();
        while let Some(delivery) = follower.next().await.unwrap() {
            seqs.push(delivery.commit().await.unwrap().get());
        }
        assert_eq!(seqs, [10, 11], "{status}");
        assert_eq!(follower.settlement().unwrap().seq.get(), 11);
    }
}

/// A-ANCHOR, WIRE-3: the event at the cursor is looked at with the retries of any other read.
#[tokio::test]
async fn the_check_on_open_is_tried_again() {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 8))
        .set_log(vec![message(8)])
        .on_list(answer(503, "", ""))
        .on_list(vec![Step::Reset]);
    let mut follower = start(&api, None, store_at(8, None).await, None).await;
    assert!(follower.next().now_or_never().unwrap().unwrap().is_none());
}
