use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::follow::{Follow, FollowError};
use checkfu_sdk::{Error, Limits, Seq};
use serde_json::{Value, json};

use crate::support::event::{idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer};

type Failure = FollowError<std::convert::Infallible>;

/// A log with holes: `events` events at every third place.
fn log(events: u64) -> Vec<Value> {
    let message = |number: u64| message(number * 3);
    (1..events)
        .map(message)
        .chain([idle(events * 3, "end_turn")])
        .collect()
}

async fn api(log: &[Value]) -> FakeApi {
    let api = FakeApi::start().await;
    let last = log.last().unwrap()["seq"].as_u64().unwrap();
    api.set_session(session("running", json!(null), last))
        .set_log(log.to_vec())
        .set_page(1_000)
        .stream_the_log();
    api
}

fn follow(api: &FakeApi, store: &MemoryCursorStore) -> Follow<MemoryCursorStore> {
    api.client()
        .sessions()
        .events("sess_1")
        .follow("c", store.clone())
}

async fn drain(follow: Follow<MemoryCursorStore>) -> Result<Vec<u64>, Failure> {
    let mut follower = follow.start().await?;
    let mut seqs = Vec::new();
    while let Some(delivery) = follower.next().await? {
        seqs.push(delivery.commit().await?.get());
    }
    Ok(seqs)
}

fn seqs(log: &[Value]) -> Vec<u64> {
    log.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

/// A store whose consumer stands at `seq` of `log`, or at another event there.
async fn store_at(seq: u32, event_id: &str) -> MemoryCursorStore {
    let store = MemoryCursorStore::new();
    let position = Position::new(Seq::from(seq), Some(event_id.into()));
    let mut transaction = store.begin().await.unwrap();
    let key = CursorKey::session("c", "sess_1");
    let cursor = Cursor::new(Some(position), None);
    let advance = store.advance(&mut transaction, &key, None, &cursor).await;
    assert_eq!(advance.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
    store
}

/// FOL-10, REP-23, REP-53: a follower that is far behind reads the list, page after page, and opens the stream where
/// the list ended; what comes after that is live. Each event comes once and in order.
#[tokio::test]
async fn who_is_far_behind_reads_the_list_first() {
    let log = log(2_500);
    let api = api(&log[..2_400]).await;
    let mut follower = follow(&api, &MemoryCursorStore::new()).start().await.unwrap();
    assert!(follower.is_catching_up());
    let mut found = Vec::new();
    while found.len() < 2_400 {
        let delivery = follower.next().await.unwrap().unwrap();
        found.push(delivery.commit().await.unwrap().get());
    }
    assert_eq!(
        api.lists(),
        [0, 3_000, 6_000].map(|after| format!("limit=1000&after={after}"))
    );
    assert!(follower.is_catching_up() && api.stream_cursors().is_empty());
    api.set_log(log.clone());
    while let Some(delivery) = follower.next().await.unwrap() {
        assert_eq!(delivery.event().raw_json(), log[found.len()].to_string());
        found.push(delivery.commit().await.unwrap().get());
    }
    assert!(!follower.is_catching_up());
    assert_eq!(found, seqs(&log));
    assert_eq!(api.stream_cursors(), [Some("7200".to_owned())]);
    assert_eq!(follower.settlement().unwrap().seq, Seq::from(7_500));
}

/// FOL-10: the list is read from the stored cursor on; who is near, or wants no list, opens the stream at once.
#[tokio::test]
async fn who_is_near_reads_the_stream_at_once() {
    let log = log(400);
    for (at, above, lists) in [
        (150, None, 1),
        (200, None, 0),
        (0, Some(u64::MAX), 0),
        (1_197, Some(0), 1),
    ] {
        let api = api(&log).await;
        let store = match at {
            0 => MemoryCursorStore::new(),
            at => store_at(at, &format!("evt_{at:032x}")).await,
        };
        let mut follow = follow(&api, &store);
        if let Some(above) = above {
            follow = follow.list_above(above);
        }
        let expected: Vec<u64> = seqs(&log)
            .into_iter()
            .filter(|seq| *seq > u64::from(at))
            .collect();
        assert_eq!(drain(follow).await.unwrap(), expected, "from {at}");
        assert_eq!(api.lists().len(), lists, "from {at}");
    }
}

/// FOL-10, A-ANCHOR: before the first page the event at the cursor is looked at; another one ends the follow with nothing
/// handed out.
#[tokio::test]
async fn another_log_is_not_caught_up_with() {
    let api = api(&log(400)).await;
    let store = store_at(3, "evt_of_another_log").await;
    let error = drain(follow(&api, &store)).await.unwrap_err();
    assert!(
        matches!(error, FollowError::Read(Error::Divergence(_))),
        "{error:?}"
    );
    assert!(api.lists().is_empty() && api.stream_cursors().is_empty());
    let cursor = store.cursor(&CursorKey::session("c", "sess_1")).await;
    assert_eq!(cursor.seq(), Some(Seq::from(3)));
}

/// FOL-5, A-GAP: a page that cannot be read is no stream whose reconnects were spent; a trimmed log is a gap.
#[tokio::test]
async fn a_page_that_fails_is_a_failed_read() {
    let gone =
        r#"{"error": {"code": "runtime.cursor_expired", "details": {"first_seq": 90, "last_seq": 1200}}}"#;
    for (status, body, retryable) in [(503, "", true), (410, gone, false), (403, "", false)] {
        let api = api(&log(400)).await;
        for _ in 0..3 {
            api.on_list(answer(status, "", body));
        }
        let error = drain(follow(&api, &MemoryCursorStore::new())).await.unwrap_err();
        assert_eq!(
            (error.is_retryable(), error.is_reconnectable()),
            (retryable, false)
        );
        let FollowError::Read(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(matches!(error, Error::CursorGap(_)), status == 410, "{error:?}");
    }
}

/// FOL-10: a page that is larger than an answer may be is no dead end: the stream brings its events one by one.
#[tokio::test]
async fn a_page_that_is_too_large_is_left_to_the_stream() {
    let log = log(1_200);
    let api = api(&log).await;
    api.set_page(300);
    api.on_list(answer(
        200,
        "content-type: application/json\r\n",
        &json!({
            "data": &log[..5], "next_page": "page_next",
        })
        .to_string(),
    ));
    let limits = Limits::default().body_bytes(20_000);
    let client = api.builder().limits(limits).build().unwrap();
    let store = MemoryCursorStore::new();
    let follow = client.sessions().events("sess_1").follow("c", store);
    assert_eq!(drain(follow).await.unwrap(), seqs(&log));
    assert_eq!(
        (api.lists().len(), api.stream_cursors()),
        (2, vec![Some("15".to_owned())])
    );
}

/// STR-4: what a page repeats or brings out of order is not handed out.
#[tokio::test]
async fn a_page_that_repeats_repeats_nothing() {
    let log = log(400);
    let api = api(&log).await;
    let page = [&log[0], &log[1], &log[0], &log[1], &log[4], &log[3]];
    let page = json!({ "data": page, "next_page": null }).to_string();
    api.on_list(vec![Step::Send(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
            page.len()
        )
        .into_bytes(),
    )]);
    let mut follower = follow(&api, &MemoryCursorStore::new()).start().await.unwrap();
    let mut found = Vec::new();
    for _ in 0..4 {
        let delivery = follower.next().await.unwrap().unwrap();
        found.push(delivery.commit().await.unwrap().get());
    }
    assert_eq!(found, [3, 6, 15, 18]);
    assert_eq!(api.stream_cursors(), [Some("15".to_owned())]);
}
