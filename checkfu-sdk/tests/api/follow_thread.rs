//! Following the log of one thread.

use std::convert::Infallible;
use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::cursor::{Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::follow::{EventHandler, Follow, FollowError, Follower};
use checkfu_sdk::input::{CustomToolResult, UserMessage};
use checkfu_sdk::settlement::{Outcome, Settlement};
use checkfu_sdk::{Client, Error, Event, EventData, Seq, StopReason};
use futures::{FutureExt, TryStreamExt};
use serde_json::{Value, json};

use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};
use crate::threads::coordinator;

type Store = MemoryCursorStore;

fn of(thread: &str, mut event: Value) -> Value {
    event["session_thread_id"] = thread.into();
    event
}

fn own(event: Value) -> Value {
    of("sthr_2", event)
}

fn rests(seq: u64, stop_reason: Value) -> Value {
    own(event(
        seq,
        "session.thread_status_idle",
        json!({ "stop_reason": stop_reason }),
    ))
}

fn ends(seq: u64) -> Value {
    own(event(seq, "session.thread_status_terminated", json!({})))
}

fn child(status: &str, stop_reason: Value) -> Value {
    let mut thread = json!({ "id": "sthr_2", "parent_thread_id": "sthr_1", "status": status });
    if !stop_reason.is_null() {
        thread["stop_reason"] = stop_reason;
    }
    thread
}

fn end_turn() -> Value {
    json!({ "type": "end_turn" })
}

fn key() -> CursorKey {
    CursorKey::thread("c", "sess_1", "sthr_2")
}

/// A store whose consumer stands at `seq` of the child's log, with the settlement that `settled` was.
async fn store_at(seq: u32, settled: Option<Value>) -> Store {
    let store = Store::new();
    let position = Position::new(Seq::from(seq), Some(format!("evt_{seq:032x}").as_str().into()));
    let settled = settled.map(|event| serde_json::from_value::<Event>(event).unwrap());
    let settled = settled.and_then(|event| Settlement::of_child(&event, &"sthr_2".into()));
    let mut transaction = store.begin().await.unwrap();
    let cursor = Cursor::new(Some(position), settled);
    let key = key();
    let advance = store.advance(&mut transaction, &key, None, &cursor);
    assert_eq!(advance.await.unwrap(), checkfu_sdk::cursor::Advance::Moved);
    store.commit(transaction).await.unwrap();
    store
}

/// A running Session whose child `sthr_2` has this log.
async fn api(log: &[Value]) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 20))
        .set_thread(child("running", json!(null)))
        .set_log(log.to_vec())
        .set_page(100);
    api
}

fn follow(api: &FakeApi, store: &Store) -> Follow<Store> {
    let threads = api.client().sessions().threads("sess_1");
    threads.events("sthr_2").follow("c", store.clone())
}

async fn drain(follower: &mut Follower<Store>) -> Result<Vec<u64>, FollowError<Infallible>> {
    let mut seqs = Vec::new();
    while let Some(delivery) = follower.next().await? {
        seqs.push(delivery.commit().await?.get());
    }
    Ok(seqs)
}

fn outcome(follower: &Follower<Store>) -> Outcome {
    follower.settlement().unwrap().outcome.clone()
}

/// THR-6, THR-11, SET-1, A-STOP: a child is followed through its waits and retries to its own rest, whatever the Session
/// and other threads come to meanwhile; the cursor is the thread's, by the Session's `seq`.
#[tokio::test]
async fn a_child_is_followed_to_its_own_rest() {
    let log = [
        own(message(3)),
        rests(5, json!({ "type": "requires_action" })),
        of(
            "sthr_3",
            event(
                6,
                "session.thread_status_idle",
                json!({ "stop_reason": end_turn() }),
            ),
        ),
        of("sthr_3", event(7, "session.thread_status_terminated", json!({}))),
        idle(8, "end_turn"),
        own(event(9, "session.thread_status_rescheduled", json!({}))),
        rests(12, json!({ "type": "retries_exhausted" })),
        own(message(14)),
    ];
    let api = api(&log).await;
    let mut script = stream(frames(&log));
    script.push(Step::Hang);
    api.on_stream(script);
    let store = Store::new();
    let mut follower = follow(&api, &store).start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [3, 5, 6, 7, 8, 9, 12]);
    let reason = Some(StopReason::RetriesExhausted);
    assert_eq!(outcome(&follower), Outcome::ThreadIdle { stop_reason: reason });
    assert!(!outcome(&follower).is_terminal());
    let mut transaction = store.begin().await.unwrap();
    let stored = store.lock(&mut transaction, &key()).await.unwrap();
    assert_eq!(
        (stored.seq(), stored.settlement.as_ref()),
        (Some(Seq::from(12)), follower.settlement())
    );
    let session = CursorKey::session("c", "sess_1");
    assert_eq!(store.lock(&mut transaction, &session).await.unwrap().seq(), None);
    let streams = api.requests().into_iter();
    let mut streams = streams.filter(|request| request.target.ends_with("/stream"));
    assert_eq!(
        streams.next().unwrap().target,
        "/v1/sessions/sess_1/threads/sthr_2/stream"
    );
}

/// THR-11, A-END, A-FORK: the end of a child, or of its Session, ends its follow; the child's also at or below the input, and
/// where a fork copied it.
#[tokio::test]
async fn the_end_of_a_child_ends_its_follow() {
    for (last, settles) in [
        (ends(9), Some(Outcome::ThreadTerminated)),
        (
            event(9, "session.status_failed", json!({})),
            Some(Outcome::Failed),
        ),
        (rests(9, end_turn()), None),
    ] {
        for forked in [false, true] {
            let api = api(&[]).await;
            let mut session = session("running", json!(null), 20);
            if forked {
                session["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_9", "seq": 9 });
            }
            let mut script = stream(frames(&[own(message(3)), last.clone(), rests(17, end_turn())]));
            script.push(Step::Hang);
            api.set_session(session).on_stream(script);
            let mut follower = follow(&api, &Store::new()).start().await.unwrap();
            let counts = settles.clone().filter(|end| !forked || !end.is_terminal());
            let expected: &[u64] = match counts {
                Some(_) => &[3, 9],
                None if forked => &[3, 9, 17],
                None => &[3, 9],
            };
            assert_eq!(drain(&mut follower).await.unwrap(), expected, "{last} {forked}");
            let stop_reason = Some(StopReason::EndTurn);
            assert_eq!(
                outcome(&follower),
                counts.unwrap_or(Outcome::ThreadIdle { stop_reason })
            );
        }
    }
    let api = api(&[]).await;
    api.on_stream(stream(frames(&[own(message(3)), ends(9)])));
    let mut follower = follow(&api, &Store::new())
        .input(Seq::from(15))
        .start()
        .await
        .unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [3, 9]);
    assert_eq!(outcome(&follower), Outcome::ThreadTerminated);
}

/// A-HEAD, A-VIEW, FOL-6: a child that says that it rests, and whose log has nothing after the cursor, ends the follow at
/// once, though the Session's log goes on; one that works, waits or does not say why it rests is followed.
#[tokio::test]
async fn a_child_that_rests_at_its_head_ends_the_follow() {
    let log = [own(message(3)), rests(12, end_turn())];
    let rest = [own(message(21)), rests(22, json!({ "type": "refusal" }))];
    for (thread, seen, settled) in [
        (child("idle", end_turn()), 12, true),
        (child("terminated", json!(null)), 12, true),
        (child("idle", end_turn()), 3, false),
        (child("idle", json!(null)), 12, false),
        (child("idle", json!({ "type": "requires_action" })), 12, false),
        (child("running", json!(null)), 12, false),
        (child("rescheduling", json!(null)), 12, false),
    ] {
        let api = api(&log).await;
        api.set_thread(thread.clone());
        api.on_stream(stream(frames(log.iter().chain(&rest))));
        let mut follower = follow(&api, &store_at(seen, None).await).start().await.unwrap();
        let seqs = drain(&mut follower).await.unwrap();
        assert_eq!(api.stream_cursors().is_empty(), settled, "{thread}");
        let expected: &[u64] = match (settled, seen) {
            (true, _) => &[],
            (false, 3) => &[12],
            (false, _) => &[21, 22],
        };
        assert_eq!(seqs, expected, "{thread}");
        let head = follower.settlement().unwrap();
        assert_eq!(settled, head.event_id.is_none(), "{thread}");
    }
}

/// FOL-6, A-ANCHOR, A-VIEW: a stored settlement above the input ends the follow before a stream is opened, unless another
/// event stands at the cursor, or the Session's log ends before it: those are a divergence and a gap.
#[tokio::test]
async fn a_stored_settlement_of_a_child_is_looked_at_first() {
    let log = [own(message(3)), rests(12, end_turn())];
    let store = store_at(12, Some(rests(12, end_turn()))).await;
    let api = api(&log).await;
    let mut follower = follow(&api, &store).input(Seq::from(4)).start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [0; 0]);
    assert_eq!(follower.settlement().unwrap().seq, Seq::from(12));
    assert!(api.stream_cursors().is_empty());

    api.set_session(session("running", json!(null), 11))
        .on_stream(answer(
            409,
            "",
            r#"{"error": {"code": "runtime.cursor_ahead", "details": {"last_seq": 11}}}"#,
        ));
    let mut follower = follow(&api, &store).input(Seq::from(4)).start().await.unwrap();
    let error = drain(&mut follower).await.unwrap_err();
    assert!(
        matches!(error, FollowError::Read(Error::CursorGap(_))),
        "{error:?}"
    );

    let mut other = rests(12, end_turn());
    other["id"] = "evt_other".into();
    api.set_session(session("running", json!(null), 20))
        .set_log(vec![other]);
    let error = follow(&api, &store)
        .input(Seq::from(4))
        .start()
        .await
        .unwrap_err();
    let FollowError::Read(Error::Divergence(divergence)) = error else {
        panic!("{error:?}")
    };
    assert_eq!(divergence.log_id.to_string(), "sess_1/sthr_2");
}

/// FOL-10, A-CURSOR: a follower that is far behind reads the thread's list, and opens the thread's stream where that ended;
/// batches and handlers work there as on a Session.
#[tokio::test]
async fn a_thread_is_caught_up_with_by_its_list() {
    struct Seen(Vec<u64>);
    impl<T: Send> EventHandler<T> for Seen {
        type Error = Infallible;

        async fn handle(&mut self, _transaction: &mut T, event: &Event) -> Result<(), Infallible> {
            self.0.push(event.seq().get());
            Ok(())
        }
    }

    let log: Vec<Value> = (1..=6).map(|place| own(message(place * 3))).collect();
    let api = api(&log).await;
    api.set_page(2)
        .on_stream(stream(frames(&[own(message(21)), rests(23, end_turn())])));
    let store = Store::new();
    let mut follower = follow(&api, &store).list_above(10).start().await.unwrap();
    assert!(follower.is_catching_up());
    let batch = follower.next_batch(2, Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(batch.commit().await.unwrap(), Seq::from(6));
    let mut seen = Seen(Vec::new());
    let settlement = follower.run(&mut seen).await.unwrap();
    assert_eq!((seen.0, settlement.seq.get()), (vec![9, 12, 15, 18, 21, 23], 23));
    let requests = api.requests();
    let events = |end: &'static str| {
        requests
            .iter()
            .filter(move |request| request.target.contains(end) && !request.target.ends_with("limit=1"))
    };
    assert!(events("/events?").count() >= 3);
    assert!(events("/events?").all(|request| request.target.contains("/threads/sthr_2/events?")));
    assert_eq!(api.stream_cursors(), [Some("18".to_owned())]);
}

/// A-VIEW: the primary's log is the Session's, so its follow ends as a Session's does.
#[tokio::test]
async fn the_primary_is_followed_as_its_session() {
    let log = [
        message(1),
        rests(2, end_turn()),
        ends(3),
        idle(4, "requires_action"),
        idle(5, "end_turn"),
    ];
    let api = api(&log).await;
    api.set_thread(json!({ "id": "sthr_2", "parent_thread_id": null, "status": "idle" }))
        .on_stream(stream(frames(&log[..2])))
        .on_stream(stream(frames(&log[3..])));
    let mut follower = follow(&api, &Store::new()).start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [1, 2, 4, 5]);
    let stop_reason = Some(StopReason::EndTurn);
    assert_eq!(outcome(&follower), Outcome::Idle { stop_reason });

    api.set_session(session("idle", json!("end_turn"), 5));
    let mut follower = follow(&api, &store_at(5, None).await).start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [0; 0]);
    assert_eq!(api.stream_cursors().len(), 2);
}

/// FOL-11, RUN-3: a Run of a child is followed in the child's log to its own end, past a child that rests.
#[tokio::test]
async fn a_run_of_a_child_is_followed() {
    let run = |seq, name: &str| {
        let mut event = own(event(seq, name, json!({})));
        event["run_id"] = "run_7".into();
        event
    };
    let log = [
        own(message(3)),
        rests(4, end_turn()),
        run(8, "run.failed"),
        ends(9),
    ];
    let api = api(&log).await;
    api.set_run(json!({ "id": "run_7", "status": "running" }))
        .on_stream(stream(frames(&log)));
    let store = Store::new();
    let threads = api.client().sessions().threads("sess_1");
    let follow = threads.events("sthr_2").follow_run("run_7", "c", store.clone());
    let mut follower = follow.start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [3, 4, 8]);
    assert_eq!(outcome(&follower), Outcome::RunFailed);

    api.set_run(json!({ "id": "run_7", "status": "failed" }))
        .on_stream(stream(frames(&log)));
    let follow = threads.events("sthr_2").follow_run("run_7", "c", store);
    let mut follower = follow.start().await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap(), [9]);
    assert_eq!(outcome(&follower), Outcome::RunFailed);
}

/// A-HEAD, SES-9: a child that came to rest while its connection was down ends the follow once it is asked, and only where
/// its log has nothing more; a thread that cannot be read on open is a failed read.
#[tokio::test]
async fn a_child_that_rested_unseen_ends_the_follow() {
    let log = [own(message(3)), rests(12, end_turn())];
    let api = api(&log).await;
    api.on_stream(stream("")).on_stream(stream(""));
    let store = store_at(12, None).await;
    let mut follower = follow(&api, &store).start().await.unwrap();
    api.set_thread(child("idle", end_turn()));
    assert_eq!(drain(&mut follower).await.unwrap(), [0; 0]);
    assert_eq!(follower.settlement().unwrap().seq, Seq::from(20));
    assert_eq!(api.stream_cursors().len(), 1);

    api.on_session(answer(404, "", ""));
    let error = follow(&api, &store).start().await.unwrap_err();
    assert!(matches!(error, FollowError::Read(Error::Api(_))), "{error:?}");
}

/// THR-6, THR-7, THR-11, A-VIEW, FOL-6: a child of a real server is followed through its wait to its rest, again to its end
/// once it is archived, and no further; what was applied is its list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_of_a_server_is_followed() {
    let server = MockServer::builder()
        .step_delay(Duration::ZERO)
        .start()
        .await
        .unwrap();
    let builder = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = builder.build().unwrap();
    let session = coordinator(&client, &server).await;
    let events = client.sessions().events(&session[..]);
    let input = events
        .send(UserMessage::new("checkfu").by(server.principal_id()))
        .await;
    let mut log = events.stream().after(input.unwrap().seq()).open();
    let (thread, call) = loop {
        let event = log.try_next().await.unwrap().unwrap();
        if let (EventData::AgentToolUse(call), Some(thread)) = (event.data(), event.session_thread_id())
            && call.name == "fetch_guidelines"
        {
            break (thread.clone(), call.tool_use_id.clone());
        }
    };
    let threads = client.sessions().threads(&session[..]);
    let (own, store) = (threads.events(thread.clone()), Store::new());
    let mut follower = own.follow("c", store.clone()).start().await.unwrap();
    let mut applied = Vec::new();
    while let Some(delivery) = follower.next().await.unwrap() {
        let waits = delivery
            .event()
            .stop_reason()
            .is_some_and(StopReason::is_requires_action);
        applied.push(delivery.commit().await.unwrap().get());
        if waits {
            let result = CustomToolResult::new(call.clone(), "be brief").on_thread(&thread);
            events.send(result.by(server.principal_id())).await.unwrap();
        }
    }
    let stop_reason = Some(StopReason::EndTurn);
    assert_eq!(outcome(&follower), Outcome::ThreadIdle { stop_reason });
    // It may have worked on since, if the primary wrote to it.
    let again = own.follow("c", store.clone()).input(input_of(&applied));
    let mut again = again.start().await.unwrap();
    assert!(
        again.next().await.unwrap().is_none(),
        "the stored settlement answers"
    );

    while threads.archive(&thread).await.is_err() {
        log.try_next().await.unwrap();
    }
    let mut follower = own.follow("c", store.clone()).start().await.unwrap();
    applied.extend(drain(&mut follower).await.unwrap());
    assert_eq!(outcome(&follower), Outcome::ThreadTerminated);
    let listed: Vec<_> = own.list().items().try_collect().await.unwrap();
    let listed: Vec<u64> = listed.iter().map(|event| event.seq().get()).collect();
    assert_eq!(applied, listed);
    let mut follower = own.follow("c", store).start().await.unwrap();
    assert!(follower.next().now_or_never().unwrap().unwrap().is_none());
    assert_eq!(outcome(&follower), Outcome::ThreadTerminated);
    server.shutdown().await;
}

/// The place before the last one that was applied.
fn input_of(applied: &[u64]) -> Seq {
    Seq::new(applied[applied.len() - 1] - 1).unwrap()
}
