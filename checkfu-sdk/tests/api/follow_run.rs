use checkfu_sdk::Seq;
use checkfu_sdk::cursor::MemoryCursorStore;
use checkfu_sdk::follow::{FollowError, Follower};
use checkfu_sdk::settlement::Outcome;
use serde_json::{Value, json};

use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};

fn run(seq: u64, name: &str, run_id: &str, payload: Value) -> Value {
    let mut event = event(seq, name, payload);
    event["run_id"] = json!(run_id);
    event
}

/// Two Runs that overlap; the Session rests between their ends.
fn overlap(end: &str) -> Vec<Value> {
    vec![
        run(
            1,
            "run.created",
            "run_a",
            json!({ "trigger": { "kind": "message" } }),
        ),
        run(
            2,
            "run.created",
            "run_b",
            json!({ "trigger": { "kind": "message" } }),
        ),
        run(3, "run.completed", "run_a", json!({})),
        idle(4, "end_turn"),
        message(5),
        run(6, end, "run_b", json!({})),
        idle(8, "end_turn"),
    ]
}

async fn api(log: &[Value], status: &str) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 8))
        .set_run(json!({ "id": "run_b", "status": status }))
        .set_log(log.to_vec());
    api
}

async fn start(api: &FakeApi, store: &MemoryCursorStore) -> Follower<MemoryCursorStore> {
    let events = api.client().sessions().events("sess_1");
    events
        .follow_run("run_b", "c", store.clone())
        .start()
        .await
        .unwrap()
}

async fn drain(
    follower: &mut Follower<MemoryCursorStore>,
) -> Result<Vec<u64>, FollowError<std::convert::Infallible>> {
    let mut seqs = Vec::new();
    while let Some(delivery) = follower.next().await? {
        seqs.push(delivery.commit().await?.get());
    }
    Ok(seqs)
}

/// FOL-11, RUN-3: a Run is followed to its own end, past a Session that rests and the end of another Run; the settlement is
/// the Run's.
#[tokio::test]
async fn a_run_is_followed_to_its_own_end() {
    for (end, outcome) in [
        ("run.completed", Outcome::RunCompleted),
        ("run.failed", Outcome::RunFailed),
        ("run.canceled", Outcome::RunCanceled),
    ] {
        let log = overlap(end);
        let api = api(&log, "running").await;
        api.on_stream(stream(frames(&log)));
        let mut follower = start(&api, &MemoryCursorStore::new()).await;
        assert_eq!(drain(&mut follower).await.unwrap(), [1, 2, 3, 4, 5, 6]);
        let settlement = follower.settlement().unwrap();
        assert_eq!((&settlement.outcome, settlement.seq), (&outcome, Seq::from(6)));
        assert!(!outcome.is_terminal() && settlement.event_id.as_ref().unwrap().as_str() == log[5]["id"]);
    }
}

/// FOL-6, FOL-11: a follow that goes on after the end of its Run was applied learns of it from the Run: at the head at
/// once, and else once the head it was read at is reached.
#[tokio::test]
async fn the_end_of_a_run_is_found_again() {
    let log = overlap("run.failed");
    let api = api(&log, "running").await;
    api.on_stream(stream(frames(&log)));
    let store = MemoryCursorStore::new();
    drain(&mut start(&api, &store).await).await.unwrap();
    api.set_run(json!({ "id": "run_b", "status": "failed" }));
    api.on_stream(stream(frames(&log)));
    let mut follower = start(&api, &store).await;
    assert_eq!(drain(&mut follower).await.unwrap(), [8]);
    assert_eq!(follower.settlement().unwrap().outcome, Outcome::RunFailed);
    let mut follower = start(&api, &store).await;
    assert!(follower.next().await.unwrap().is_none());
    assert_eq!(follower.settlement().unwrap().outcome, Outcome::RunFailed);
    assert_eq!(api.stream_cursors().len(), 2, "a stream was opened at the head");
}

/// FOL-11: the end of a Run that is still ahead is delivered, though the Run says already that it ended; what comes after it
/// is not.
#[tokio::test]
async fn an_end_that_is_ahead_is_delivered() {
    let log = overlap("run.completed");
    let api = api(&log, "completed").await;
    api.on_stream(stream(frames(&log)));
    let mut follower = start(&api, &MemoryCursorStore::new()).await;
    assert_eq!(drain(&mut follower).await.unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(follower.settlement().unwrap().seq, Seq::from(6));
}

/// RUN-3: a Session that rests ends no follow of a Run that goes on, whether its stream closes or its cursor stands at the
/// head.
#[tokio::test]
async fn a_session_that_rests_is_no_end_of_a_run() {
    let log = overlap("run.completed");
    let api = api(&log, "running").await;
    api.on_stream(stream(frames(&log[..5])))
        .on_stream(stream(""))
        .on_stream(stream(frames(&log[5..])));
    api.set_session(session("idle", json!("end_turn"), 5));
    let mut follower = start(&api, &MemoryCursorStore::new()).await;
    assert_eq!(drain(&mut follower).await.unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(api.stream_cursors().len(), 3);
}

/// A-CONT: a Run that is continued under another id ends with its last one.
#[tokio::test]
async fn a_continued_run_ends_with_its_last() {
    let log = [
        run(
            1,
            "run.created",
            "run_b",
            json!({ "trigger": { "kind": "message" } }),
        ),
        run(
            2,
            "run.created",
            "run_c",
            json!({ "trigger": { "kind": "message" }, "continues_run_id": "run_b" }),
        ),
        run(3, "run.completed", "run_b", json!({})),
        run(4, "run.completed", "run_c", json!({})),
    ];
    let api = api(&log, "running").await;
    let mut script = stream(frames(&log));
    script.push(Step::Hang);
    api.on_stream(script);
    let mut follower = start(&api, &MemoryCursorStore::new()).await;
    assert_eq!(drain(&mut follower).await.unwrap(), [1, 2, 3, 4]);
}

/// A Run that the server does not know is a failed read.
#[tokio::test]
async fn an_unknown_run_is_a_failed_read() {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 8));
    let events = api.client().sessions().events("sess_1");
    let follow = events.follow_run("run_x", "c", MemoryCursorStore::new());
    let error = follow.start().await.unwrap_err();
    assert_eq!(error.api_error().unwrap().status().unwrap().as_u16(), 404);
}
