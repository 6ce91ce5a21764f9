use checkfu_sdk::cursor::{MemoryCursorStore, SqlxCursorError};
use checkfu_sdk::follow::{EventHandler, FollowError, RunError};
use checkfu_sdk::retry::ReconnectPolicy;
use checkfu_sdk::{Error, Event};
use serde_json::json;
use sqlx::{Sqlite, Transaction};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};
use crate::support::projection::{Projection, apply, apply_next, apply_rest};

async fn api() -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .on_stream(stream(frames(&[message(1), message(2), idle(3, "end_turn")])));
    api
}

/// FOL-3: a cursor that cannot be written takes the effect back with it, and the database's error reaches the caller.
#[tokio::test]
async fn a_failed_cursor_write_takes_the_effect_back() {
    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut delivery = apply_next(&mut follower).await;
    let refuse =
        "CREATE TRIGGER refuse BEFORE INSERT ON checkfu_cursors BEGIN SELECT RAISE(ABORT, 'no'); END";
    let transaction = delivery.transaction();
    sqlx::query(refuse).execute(&mut **transaction).await.unwrap();
    let error = delivery.commit().await.unwrap_err();
    let FollowError::Store(SqlxCursorError::Database(error)) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.as_database_error().unwrap().message(), "no");
    assert!(projection.applied().await.is_empty() && projection.cursor().await.is_none());
    apply_rest(&mut follower).await;
    assert_eq!(projection.applied().await, [1, 2, 3]);
}

/// FOL-2: a cursor that something moved by another rule, inside the lock, is noticed and nothing is applied.
#[tokio::test]
async fn a_cursor_moved_past_the_lock_is_noticed() {
    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut delivery = apply_next(&mut follower).await;
    let moved = "INSERT INTO checkfu_cursors (consumer, session_id, seq) VALUES ('billing', 'sess_1', 50)";
    let transaction = delivery.transaction();
    sqlx::query(moved).execute(&mut **transaction).await.unwrap();
    let error = delivery.commit().await.unwrap_err();
    assert!(
        matches!(error, FollowError::Superseded { seq } if seq.get() == 1),
        "{error:?}"
    );
    assert!(projection.applied().await.is_empty() && projection.cursor().await.is_none());
}

struct Failing(Option<Error>);

impl<T: Send> EventHandler<T> for Failing {
    type Error = Error;

    async fn handle(&mut self, _transaction: &mut T, event: &Event) -> Result<(), Error> {
        if event.seq().get() == 2 {
            self.0.take().map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }
}

/// FOL-4: the handler's error comes back unchanged and the cursor stays, also when it is a retryable error of this
/// very SDK; that is never taken for a failure of the stream.
#[tokio::test]
async fn the_handlers_error_is_its_own() {
    let busy = FakeApi::start().await;
    busy.on_session(answer(503, "request-id: req_own\r\n", ""));
    let client = busy
        .builder()
        .retry_policy(checkfu_sdk::retry::RetryPolicy::never())
        .build()
        .unwrap();
    let own = client.sessions().retrieve(&busy.session_id()).await.unwrap_err();
    assert!(own.is_retryable());

    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut handler = Failing(Some(own));
    let error = follower.run(&mut handler).await.unwrap_err();
    let RunError::Handler(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.request_id().unwrap().as_str(), "req_own");
    assert_eq!(projection.cursor().await.unwrap().0, 1);
    assert_eq!(follower.run(&mut handler).await.unwrap().seq.get(), 3);
    assert_eq!(
        api.stream_cursors().len(),
        1,
        "the stream was broken off for the handler's error"
    );
}

struct Broken;

impl EventHandler<Transaction<'static, Sqlite>> for Broken {
    type Error = sqlx::Error;

    async fn handle(
        &mut self,
        transaction: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), sqlx::Error> {
        apply(transaction, event).await?;
        sqlx::query("INSERT INTO nowhere VALUES (1)")
            .execute(&mut **transaction)
            .await
            .map(drop)
    }
}

/// FOL-4: an error of the handler's database is its own as well, and its effect is gone.
#[tokio::test]
async fn the_handlers_database_error_is_its_own() {
    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let error = follower.run(&mut Broken).await.unwrap_err();
    assert!(
        matches!(&error, RunError::Handler(sqlx::Error::Database(_))),
        "{error:?}"
    );
    assert!(error.to_string().contains("nowhere"), "{error}");
    assert!(projection.applied().await.is_empty() && projection.cursor().await.is_none());
}

async fn failure(scripts: Vec<Vec<Step>>, policy: ReconnectPolicy) -> FollowError<std::convert::Infallible> {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99));
    for script in scripts {
        api.on_stream(script);
    }
    let follow = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("c", MemoryCursorStore::new());
    let mut follower = follow.reconnect_policy(policy).start().await.unwrap();
    loop {
        match follower.next().await {
            Ok(Some(delivery)) => drop(delivery.commit().await.unwrap()),
            Ok(None) => panic!("settled"),
            Err(error) => return error,
        }
    }
}

/// FOL-5, REP-20: a stream that ended, and one whose reconnects were spent, are told apart and both reconnectable; any
/// other read error comes unchanged and is not.
#[tokio::test]
async fn failures_of_the_stream_are_told_apart() {
    let never = ReconnectPolicy::default().max_reconnects(0);
    let ended = failure(vec![stream(frames(&[message(4)]))], never).await;
    assert!(
        matches!(&ended, FollowError::StreamEnded { after: Some(after) } if after.get() == 4),
        "{ended:?}"
    );
    assert!(ended.is_reconnectable() && ended.api_error().is_none());

    let no_more = failure(vec![answer(204, "", "")], never).await;
    assert!(
        matches!(no_more, FollowError::StreamEnded { after: None }),
        "{no_more:?}"
    );

    let spent = failure(vec![answer(503, "request-id: req_1\r\n", "")], never).await;
    assert!(matches!(spent, FollowError::ReconnectsSpent(_)) && spent.is_reconnectable());
    let cause = std::error::Error::source(&spent)
        .unwrap()
        .downcast_ref::<Error>()
        .unwrap();
    assert_eq!(cause.request_id().unwrap().as_str(), "req_1");

    let long = failure(
        vec![answer(429, "retry-after: 900\r\n", "")],
        ReconnectPolicy::default(),
    )
    .await;
    assert!(
        matches!(&long, FollowError::ReconnectsSpent(error) if error.retry_after().is_some()),
        "{long:?}"
    );

    for script in [
        answer(401, "", ""),
        answer(404, "", ""),
        answer(410, "", ""),
        answer(200, "", ""),
        stream("id: 1\ndata: x\n\n"),
    ] {
        let fatal = failure(vec![script], ReconnectPolicy::default()).await;
        assert!(matches!(fatal, FollowError::Read(_)), "{fatal:?}");
        assert!(!fatal.is_reconnectable() && fatal.api_error().is_some());
    }
}

/// FOL-5: a Session that cannot be read on open is no stream whose reconnects were spent: the error comes unchanged
/// and says whether the same call may succeed later.
#[tokio::test]
async fn a_session_that_cannot_be_read_is_told() {
    for (status, retryable) in [(503, true), (404, false)] {
        let api = FakeApi::start().await;
        for _ in 0..3 {
            api.on_session(answer(status, "", ""));
        }
        let events = api.client().sessions().events("sess_1");
        let error = events
            .follow("c", MemoryCursorStore::new())
            .start()
            .await
            .unwrap_err();
        assert!(matches!(&error, FollowError::Read(Error::Api(_))), "{error:?}");
        assert!(!error.is_reconnectable());
        assert_eq!(error.is_retryable(), retryable);
        assert_eq!(error.api_error().unwrap().status().unwrap().as_u16(), status);
    }
}
