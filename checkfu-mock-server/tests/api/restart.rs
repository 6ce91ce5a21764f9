//! What a stop leaves behind, and how it goes on.

use std::time::Duration;

use checkfu_mock_server::{ManualClock, MockServer, StartError, StorageError};
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::frames::Frames;
use crate::support::world::{STEP, World, clock, log, message, types, until_status};

/// SES-1: Sessions, Runs, logs and idempotency records survive a restart as they were.
#[tokio::test]
async fn everything_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with(builder(&directory)).await;
    let session = world.session().await;
    let keyed = world.client.with("idempotency-key", "one");
    let path = format!("/v1/sessions/{session}/events");
    let accepted = keyed.post(&path, &message("hello")).await.ok(202);
    let settled = world.until_status(&session, "idle").await;
    let runs = world
        .client
        .get(&format!("/v1/sessions/{session}/runs"))
        .await
        .ok(200);
    let before = world.log(&session).await;
    let page = world.client.get(&format!("{path}?limit=5")).await.ok(200);
    let rest = format!("{path}?limit=5&page={}", page["next_page"].as_str().unwrap());
    let rest_before = world.client.get(&rest).await.ok(200);
    let key = world.server.api_key().to_owned();
    world.server.shutdown().await;

    let world = World::with(builder(&directory)).await;
    assert_eq!(
        world.server.api_key(),
        key,
        "a generated key is good after a restart"
    );
    assert_eq!(world.read(&session).await, settled);
    assert_eq!(world.log(&session).await, before);
    assert_eq!(
        world
            .client
            .get(&format!("/v1/sessions/{session}/runs"))
            .await
            .ok(200),
        runs
    );
    let keyed = world.client.with("idempotency-key", "one");
    assert_eq!(keyed.post(&path, &message("hello")).await.ok(202), accepted);
    assert_eq!(world.log(&session).await, before);
    // The seal of a page token is kept, so a walk goes on.
    assert_eq!(
        without_token(world.client.get(&rest).await.ok(200)),
        without_token(rest_before)
    );
    world.say(&session, "again").await;
    world.until_status(&session, "idle").await;
    assert_eq!(world.log(&session).await[..before.len()], before);
}

/// SES-1, A-TURN: a Run that is stopped after any of its steps goes on when the server starts again, repeats nothing,
/// and the finished log is that of a Run that was never stopped.
#[tokio::test]
async fn an_unfinished_run_goes_on_after_a_restart() {
    let uninterrupted = {
        let (world, clock) = World::standing_still().await;
        let session = world.session().await;
        world.say(&session, "hello").await;
        world.say(&session, "more").await;
        while world.read(&session).await["status"] != "idle" {
            clock.advance(STEP);
        }
        world.log(&session).await
    };
    for steps in 0..6 {
        let directory = tempfile::tempdir().unwrap();
        let time = clock();
        let world = World::with(builder(&directory).clock(time.clone()).step_delay(STEP)).await;
        let session = world.session().await;
        world.say(&session, "hello").await;
        world.say(&session, "more").await;
        let mut stream = Frames::open(&world.client, &session, Some(5)).await;
        for _ in 0..steps {
            next_step(&time, &mut stream).await;
        }
        let before = world.log(&session).await;
        assert_ne!(before.last().unwrap()["type"], "session.status_idle");
        world.server.shutdown().await;

        // The same time: over the deadlines of what was going on, it would not just go on.
        let world = World::with(builder(&directory).clock(time.clone())).await;
        world.until_status(&session, "idle").await;
        let after = world.log(&session).await;
        assert_eq!(after[..before.len()], before, "after {steps} steps");
        assert_eq!(content(&after), content(&uninterrupted), "after {steps} steps");
    }
}

/// A data directory of another format is refused, and so is a database of something else; neither is touched.
#[tokio::test]
async fn a_data_directory_that_cannot_be_read_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    World::with(builder(&directory)).await.server.shutdown().await;
    let database = directory.path().join("log.sqlite3");
    let set = |pragma: &str| {
        rusqlite::Connection::open(&database)
            .unwrap()
            .execute_batch(pragma)
            .unwrap()
    };
    set("PRAGMA user_version = 3");
    let error = builder(&directory).start().await.unwrap_err();
    assert!(
        matches!(
            error,
            StartError::Storage(StorageError::UnsupportedFormat {
                found: 3,
                supported: 2,
                ..
            })
        ),
        "{error}"
    );
    set("PRAGMA user_version = 2; PRAGMA application_id = 7");
    let error = builder(&directory).start().await.unwrap_err();
    assert!(
        matches!(error, StartError::Storage(StorageError::Foreign { .. })),
        "{error}"
    );
    set("PRAGMA application_id = 1128811334");
    World::with(builder(&directory)).await;

    let foreign = tempfile::tempdir().unwrap();
    let database = foreign.path().join("log.sqlite3");
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x)")
        .unwrap();
    let before = std::fs::read(&database).unwrap();
    let error = builder(&foreign).start().await.unwrap_err();
    assert!(
        matches!(error, StartError::Storage(StorageError::Foreign { .. })),
        "{error}"
    );
    assert_eq!(std::fs::read(&database).unwrap(), before);

    let other = tempfile::tempdir().unwrap();
    std::fs::write(
        other.path().join("log.sqlite3"),
        "not a database, but long enough to look like one",
    )
    .unwrap();
    let error = builder(&other).start().await.unwrap_err();
    assert!(
        matches!(error, StartError::Storage(StorageError::Foreign { .. })),
        "{error}"
    );
    let text = std::fs::read_to_string(other.path().join("log.sqlite3")).unwrap();
    assert!(text.starts_with("not a database"));
}

/// One server a directory: the second is refused while the first runs, and starts when it has stopped.
#[tokio::test]
async fn a_directory_belongs_to_one_server_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let first = builder(&directory).start().await.unwrap();
    let error = builder(&directory).start().await.unwrap_err();
    assert!(
        matches!(error, StartError::Storage(StorageError::InUse { .. })),
        "{error}"
    );
    first.shutdown().await;
    builder(&directory).start().await.unwrap();
}

/// Wrong settings are refused with what to change.
#[tokio::test]
async fn wrong_settings_are_refused() {
    for key in ["", "with space", "line\n", &"k".repeat(513)] {
        let error = MockServer::builder().api_key(key).start().await.unwrap_err();
        assert!(matches!(error, StartError::ApiKey), "{error}");
    }
    let error = MockServer::builder()
        .keep_alive(Duration::ZERO)
        .start()
        .await
        .unwrap_err();
    assert!(matches!(error, StartError::KeepAlive), "{error}");
    let taken = MockServer::builder().start().await.unwrap();
    let error = MockServer::builder()
        .port(taken.address().port())
        .start()
        .await
        .unwrap_err();
    assert!(matches!(error, StartError::Bind { .. }), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = MockServer::builder()
        .data_dir(file.path())
        .start()
        .await
        .unwrap_err();
    assert!(
        matches!(error, StartError::Storage(StorageError::Io { .. })),
        "{error}"
    );
}

/// The file of the generated key is held to the same rules as a key that is given, and is closed to everyone else.
#[cfg(unix)]
#[tokio::test]
async fn a_key_file_that_holds_no_key_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let first = builder(&directory).start().await.unwrap();
    let key = first.api_key().to_owned();
    first.shutdown().await;
    let file = directory.path().join("api-key");
    for wrong in [
        &b""[..],
        b"\n",
        b"a b\n",
        b"one\ntwo\n",
        b"\xff\xfe",
        &[b'k'; 513],
    ] {
        std::fs::write(&file, wrong).unwrap();
        let error = builder(&directory).start().await.unwrap_err();
        assert!(
            matches!(error, StartError::Storage(StorageError::KeyFile { .. })),
            "{error}"
        );
        assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), wrong);
    }
    let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    std::fs::write(&file, format!("{key}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
    let server = builder(&directory).start().await.unwrap();
    assert_eq!(server.api_key(), key);
    assert_eq!(mode(), 0o600);
    server.shutdown().await;
    std::fs::remove_file(&file).unwrap();
    let server = builder(&directory).start().await.unwrap();
    assert_ne!(server.api_key(), key);
    assert_eq!(mode(), 0o600);
}

/// A key that was given opens the server and is not stored.
#[tokio::test]
async fn a_given_key_is_not_stored() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with(builder(&directory).api_key("a-key-of-my-own")).await;
    let session = world.session().await;
    world.server.shutdown().await;
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(15).any(|window| window == b"a-key-of-my-own"));
    }
    let world = World::with(builder(&directory).api_key("another")).await;
    world.client.get(&format!("/v1/sessions/{session}")).await.ok(200);
    let old = Client::new(world.server.url(), "a-key-of-my-own");
    old.get(&format!("/v1/sessions/{session}"))
        .await
        .refused(401, "auth.invalid_key");
}

/// Dropping a server stops it: its port refuses and its directory is free.
#[tokio::test]
async fn dropping_a_server_stops_it() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with(builder(&directory).step_delay(Duration::from_millis(1))).await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    let address = world.server.address();
    drop(world);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    let world = loop {
        match builder(&directory).start().await {
            Ok(server) => {
                let client = Client::new(server.url(), server.api_key());
                break World { server, client };
            }
            Err(StartError::Storage(StorageError::InUse { .. })) => {
                assert!(
                    tokio::time::Instant::now() < deadline,
                    "the directory is still locked"
                );
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    until_status(&world.client, &session, "idle").await;
    assert_eq!(
        types(&log(&world.client, &session).await).last().unwrap(),
        "session.status_idle"
    );
}

fn builder(directory: &tempfile::TempDir) -> checkfu_mock_server::MockServerBuilder {
    MockServer::builder()
        .data_dir(directory.path())
        .step_delay(Duration::ZERO)
}

/// Moves the time until the agent's next event arrives: an agent that has not begun to wait yet needs another push.
async fn next_step(time: &ManualClock, stream: &mut Frames) {
    loop {
        time.advance(STEP);
        if tokio::time::timeout(Duration::from_millis(50), stream.event())
            .await
            .is_ok()
        {
            return;
        }
    }
}

fn content(log: &[Value]) -> Vec<(String, Value)> {
    let timeless = |event: &Value| match event["type"].as_str().unwrap() {
        "run.created" | "run.started" => json!(null),
        _ => event["payload"].clone(),
    };
    types(log).into_iter().zip(log.iter().map(timeless)).collect()
}

fn without_token(mut page: Value) -> Value {
    page["next_page"] = json!(page["next_page"].is_string());
    page
}
