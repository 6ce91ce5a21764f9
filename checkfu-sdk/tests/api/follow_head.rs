use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::error::Divergence;
use checkfu_sdk::follow::{FollowError, Follower};
use checkfu_sdk::settlement::Outcome;
use checkfu_sdk::{Error, Seq, StopReason};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

type Failure = FollowError<std::convert::Infallible>;

/// A store whose consumer `c` stands at `seq`, having followed the event that `support::event` makes there.
async fn store_at(seq: u32) -> MemoryCursorStore {
    let store = MemoryCursorStore::new();
    let key = CursorKey::session("c", "sess_1");
    let event_id = format!("evt_{seq:032x}");
    let cursor = Cursor::new(
        Some(Position::new(Seq::from(seq), Some(event_id.as_str().into()))),
        None,
    );
    let mut transaction = store.begin().await.unwrap();
    assert_eq!(
        store
            .advance(&mut transaction, &key, None, &cursor)
            .await
            .unwrap(),
        Advance::Moved
    );
    store.commit(transaction).await.unwrap();
    store
}

async fn follow(api: &FakeApi, store: MemoryCursorStore, input: Option<u32>) -> Follower<MemoryCursorStore> {
    let mut follow = api.client().sessions().events("sess_1").follow("c", store);
    if let Some(input) = input {
        follow = follow.input(Seq::from(input));
    }
    follow.start().await.unwrap()
}

/// Commits everything, and gives what was delivered and what settled it.
async fn drain(follower: &mut Follower<MemoryCursorStore>) -> Result<(Vec<u64>, u64), Failure> {
    let mut seqs = Vec::new();
    while let Some(delivery) = follower.next().await? {
        seqs.push(delivery.commit().await?.get());
    }
    Ok((seqs, follower.settlement().unwrap().seq.get()))
}

fn log(seqs: std::ops::RangeInclusive<u64>) -> Vec<Value> {
    seqs.map(message).collect()
}

/// A-HEAD: at the head of a Session that is settled, the follow ends at once and opens no stream; the Session is
/// read once.
#[tokio::test]
async fn a_settled_session_at_its_head_ends_the_follow() {
    for (settled, outcome) in [
        (
            session("idle", json!("end_turn"), 7),
            Outcome::Idle {
                stop_reason: Some(StopReason::EndTurn),
            },
        ),
        (session("failed", json!(null), 7), Outcome::Failed),
    ] {
        let api = FakeApi::start().await;
        api.set_session(settled).set_log(log(1..=7));
        let mut follower = follow(&api, store_at(7).await, None).await;
        assert!(follower.next().await.unwrap().is_none());
        assert_eq!(follower.settlement().unwrap().outcome, outcome);
        assert_eq!((api.session_reads(), api.stream_cursors().len()), (1, 0));
    }
}

/// A-HEAD: at the head, the settlement is the stored one where it may answer, told by its own place; one below the
/// caller's input may not, and the Session's word counts.
#[tokio::test]
async fn at_the_head_the_stored_settlement_is_told() {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 7))
        .set_log(log(1..=7));
    let events = [message(2), idle(5, "end_turn"), message(7)];
    let store = MemoryCursorStore::new();
    api.on_stream(stream(frames(&events)));
    let mut follower = follow(&api, store.clone(), Some(6)).await;
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![2, 5, 7], 7));
    for (input, seq) in [(None, 5), (Some(6), 7)] {
        let mut follower = follow(&api, store.clone(), input).await;
        assert_eq!(drain(&mut follower).await.unwrap(), (vec![], seq));
    }
}

/// A-HEAD: behind the head of a settled Session, the follow delivers what is left and ends there, though none of it
/// is a settlement that counts.
#[tokio::test]
async fn a_follow_ends_at_the_head_of_a_settled_session() {
    let api = FakeApi::start().await;
    let mut script = stream(frames(&log(6..=8)));
    script.push(Step::Hang);
    api.set_session(session("idle", json!("end_turn"), 8))
        .set_log(log(1..=8))
        .on_stream(script);
    let mut follower = follow(&api, store_at(5).await, None).await;
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![6, 7, 8], 8));
    assert_eq!(follower.session().unwrap().id().as_str(), "sess_1");
}

/// A-HEAD: a Session that is open, was never driven, waits for an action, or does not say, is not settled; nor is a
/// head below the input.
#[tokio::test]
async fn an_open_session_is_followed() {
    for (open, input) in [
        (session("running", json!(null), 7), None),
        (session("pending", json!(null), 7), None),
        (session("idle", json!("requires_action"), 7), None),
        (session("waiting", json!("requires_action"), 7), None),
        (json!({ "id": "sess_1", "status": "idle" }), None),
        (session("idle", json!("end_turn"), 7), Some(8)),
    ] {
        let api = FakeApi::start().await;
        let script = stream(frames(&[message(8), message(9), idle(10, "end_turn")]));
        api.set_session(open).set_log(log(1..=7)).on_stream(script);
        let mut follower = follow(&api, store_at(7).await, input).await;
        assert_eq!(drain(&mut follower).await.unwrap(), (vec![8, 9, 10], 10));
    }
}

/// A-HEAD: the idle of an earlier turn, between the cursor and the input, is applied and settles nothing.
#[tokio::test]
async fn an_older_idle_does_not_settle_new_work() {
    let api = FakeApi::start().await;
    let events = [
        idle(3, "end_turn"),
        message(4),
        event(5, "user.message", json!({ "content": "x" })),
        idle(9, "refusal"),
    ];
    api.set_session(session("running", json!(null), 5))
        .on_stream(stream(frames(&events)));
    let mut follower = follow(&api, store_at(2).await, Some(5)).await;
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![3, 4, 5, 9], 9));
    assert_eq!(
        follower.settlement().unwrap().outcome,
        Outcome::Idle {
            stop_reason: Some(StopReason::Refusal)
        }
    );
}

/// FOL-6, A-HEAD: a settlement that is stored above the input ends the follow before a stream is opened; one at or
/// below it does not count.
#[tokio::test]
async fn a_stored_settlement_is_looked_at_first() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .set_log(log(1..=9))
        .on_stream(stream(frames(&[idle(7, "end_turn"), message(9)])));
    let store = store_at(5).await;
    let mut follower = follow(&api, store.clone(), Some(6)).await;
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![7], 7));
    let streams = api.stream_cursors().len();
    let mut again = follow(&api, store.clone(), Some(6)).await;
    assert_eq!(again.settlement(), follower.settlement());
    assert_eq!(drain(&mut again).await.unwrap(), (vec![], 7));
    assert_eq!(api.stream_cursors().len(), streams, "a stream was opened");
    for input in [Some(7), None] {
        let mut follower = follow(&api, store_with(&store).await, input).await;
        api.on_stream(stream(frames(&[message(9), idle(12, "end_turn")])));
        assert_eq!(drain(&mut follower).await.unwrap(), (vec![9, 12], 12));
    }
}

/// A-ANCHOR: a settlement that is stored speaks only for the log that was followed. A log that was replaced is a
/// divergence, and one that ends below the cursor a gap, though the stored settlement is above the input.
#[tokio::test]
async fn a_stored_settlement_of_another_log_does_not_count() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 7))
        .set_log(log(1..=7));
    api.on_stream(stream(frames(&[idle(7, "end_turn")])));
    let store = store_at(5).await;
    let mut follower = follow(&api, store.clone(), Some(6)).await;
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![7], 7));

    let mut replaced = log(1..=6);
    replaced.push(json!({ "id": "evt_other", "seq": 7, "type": "user.message" }));
    api.set_log(replaced);
    let events = api.client().sessions().events("sess_1");
    let error = events
        .follow("c", store.clone())
        .input(Seq::from(6))
        .start()
        .await
        .unwrap_err();
    let error = error.api_error().unwrap();
    assert!(matches!(error, Error::Divergence(_)), "{error:?}");

    api.set_session(session("idle", json!("end_turn"), 3))
        .set_log(log(1..=3));
    let body = json!({ "error": { "code": "runtime.cursor_ahead", "details": { "last_seq": 3 } } });
    api.on_stream(answer(
        409,
        "content-type: application/json\r\n",
        &body.to_string(),
    ));
    let mut follower = follow(&api, store, Some(2)).await;
    let error = follower.next().await.unwrap_err();
    assert!(
        matches!(error.api_error(), Some(Error::CursorGap(_))),
        "{error:?}"
    );
}

/// Another store with the same cursor.
async fn store_with(store: &MemoryCursorStore) -> MemoryCursorStore {
    let key = CursorKey::session("c", "sess_1");
    let copy = MemoryCursorStore::new();
    let mut transaction = copy.begin().await.unwrap();
    let cursor = store.cursor(&key).await;
    assert_eq!(
        copy.advance(&mut transaction, &key, None, &cursor).await.unwrap(),
        Advance::Moved
    );
    copy.commit(transaction).await.unwrap();
    copy
}

/// A-FORK: in a fork, copied status events settle nothing and end nothing; the first one of its own does.
#[tokio::test]
async fn copies_in_a_fork_settle_nothing() {
    let api = FakeApi::start().await;
    let mut fork = session("running", json!(null), 9);
    fork["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_5", "seq": 5 });
    let forked = event(6, "session.forked", json!({ "source_session_id": "sess_0" }));
    let copies = [
        idle(3, "end_turn"),
        event(5, "session.status_completed", json!({})),
        forked,
    ];
    let events: Vec<_> = copies
        .into_iter()
        .chain([message(8), idle(9, "end_turn"), message(10)])
        .collect();
    api.set_session(fork).on_stream(stream(frames(&events)));
    let store = MemoryCursorStore::new();
    let mut follower = follow(&api, store.clone(), None).await;
    for seq in [3, 5] {
        let delivery = follower.next().await.unwrap().unwrap();
        assert_eq!(delivery.commit().await.unwrap().get(), seq);
        let cursor = store.cursor(&CursorKey::session("c", "sess_1")).await;
        assert_eq!(cursor.settlement, None, "a copy is stored as the settlement");
    }
    assert_eq!(drain(&mut follower).await.unwrap(), (vec![6, 8, 9], 9));
}

fn divergence(error: Failure) -> Divergence {
    match error {
        FollowError::Read(Error::Divergence(divergence)) => *divergence,
        other => panic!("{other:?}"),
    }
}

/// A-ANCHOR: another event at the cursor means another log; the follow fails before it applies anything.
#[tokio::test]
async fn another_event_at_the_cursor_is_a_divergence() {
    let mut other = message(7);
    other["id"] = json!("evt_other");
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .set_log(vec![message(6), other.clone(), message(8)]);
    let mut follower = follow(&api, store_at(7).await, None).await;
    let found = divergence(drain(&mut follower).await.unwrap_err());
    assert_eq!((found.seq, found.found.as_str()), (Seq::from(7), "evt_other"));
    assert_eq!(found.followed.as_str(), message(7)["id"]);
    assert!(api.stream_cursors().is_empty());
    let list = &api.requests()[1].target;
    assert_eq!(list, "/v1/sessions/sess_1/events?after=6&limit=1");

    api.set_session(session("idle", json!("end_turn"), 7));
    let settled = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("c", store_at(7).await)
        .start()
        .await;
    divergence(settled.unwrap_err());
}

/// A-ANCHOR: after a failed connection the event that was delivered last is looked at again.
#[tokio::test]
async fn a_restored_server_is_noticed_at_the_reconnect() {
    let api = FakeApi::start().await;
    let go = Arc::new(tokio::sync::Notify::new());
    let mut script = stream(frames(&[message(8), message(9)]));
    script.push(Step::Until(Arc::clone(&go)));
    script.push(Step::Reset);
    api.set_session(session("running", json!(null), 9))
        .set_log(log(1..=9))
        .on_stream(script);
    let mut follower = follow(&api, store_at(7).await, None).await;
    for seq in [8, 9] {
        let delivery = follower.next().await.unwrap().unwrap();
        assert_eq!(delivery.commit().await.unwrap().get(), seq);
    }
    let mut other = message(9);
    other["id"] = json!("evt_other");
    api.set_log(vec![other, message(10)]);
    go.notify_one();
    let found = divergence(drain(&mut follower).await.unwrap_err());
    assert_eq!((found.seq, found.found.as_str()), (Seq::from(9), "evt_other"));
}

/// A-ANCHOR: an event at the cursor that was trimmed is no finding, nor is a log that ends before it or a cursor
/// that was stored without an id.
#[tokio::test]
async fn a_trimmed_event_is_no_divergence() {
    for log in [vec![message(8)], vec![], vec![message(7)]] {
        let api = FakeApi::start().await;
        api.set_session(session("running", json!(null), 9))
            .set_log(log)
            .on_stream(stream(frames(&[idle(9, "end_turn")])));
        let mut follower = follow(&api, store_at(7).await, None).await;
        assert_eq!(drain(&mut follower).await.unwrap(), (vec![9], 9));
    }
}

/// A-GAP, A-HEAD: a cursor above the head of a settled Session is no settlement but a gap.
#[tokio::test]
async fn a_cursor_ahead_of_the_log_is_a_gap() {
    let api = FakeApi::start().await;
    let refusal = json!({ "error": { "code": "runtime.cursor_ahead", "details": { "last_seq": 6 } } });
    api.set_session(session("idle", json!("end_turn"), 6))
        .on_stream(answer(409, "", &refusal.to_string()));
    let mut follower = follow(&api, store_at(7).await, Some(3)).await;
    let error = drain(&mut follower).await.unwrap_err();
    assert!(
        matches!(&error, FollowError::Read(Error::CursorGap(_))),
        "{error:?}"
    );
}

/// A-HEAD, SES-9: a Session that ended, or whose turn did, while the connection was down settles the follow, once it
/// is read; a turn that ended before the input does not.
#[tokio::test]
async fn a_session_that_ended_unseen_settles_the_follow() {
    for (input, settles) in [(Some(3), true), (None, true), (Some(8), false)] {
        let api = FakeApi::start().await;
        api.set_session(session("running", json!(null), 7))
            .set_log(log(1..=7))
            .on_stream(stream(""));
        api.on_stream(stream(frames(&[idle(9, "refusal")])));
        let mut follower = follow(&api, store_at(7).await, input).await;
        api.set_session(session("idle", json!("end_turn"), 7));
        let (delivered, settled) = drain(&mut follower).await.unwrap();
        let expected = if settles { (vec![], 7) } else { (vec![9], 9) };
        assert_eq!((delivered, settled), expected);
    }

    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 7))
        .set_log(log(1..=7))
        .on_stream(stream(""));
    let mut follower = follow(&api, store_at(7).await, Some(3)).await;
    api.set_session(session("canceled", json!(null), 7));
    assert!(follower.next().await.unwrap().is_none());
    assert_eq!(follower.settlement().unwrap().outcome, Outcome::Canceled);
}
