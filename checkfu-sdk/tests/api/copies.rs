//! Events of several Sessions together: the copies in a fork are the events that they are copies of.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::follow::Follower;
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::model::EventId;
use checkfu_sdk::{Client, Event, Seq, SessionId};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use crate::support::projection::Projection;

/// A Session that had a turn, its fork that had another, and one more turn of the first.
async fn source_and_fork(client: &Client, server: &MockServer) -> [SessionId; 2] {
    let sessions = client.sessions();
    let create = sessions.create(server.deployment_id(), server.principal_id());
    let source = create.send().await.unwrap().id().clone();
    turn(client, server, &source, "first").await;
    let fork = sessions.fork(&source).send().await.unwrap().id().clone();
    turn(client, server, &fork, "in the fork").await;
    turn(client, server, &source, "in the source").await;
    [source, fork]
}

async fn turn(client: &Client, server: &MockServer, session: &SessionId, text: &str) {
    let events = client.sessions().events(session);
    let message = UserMessage::new(text).by(server.principal_id());
    let said = events.send(message).await.unwrap();
    let mut live = events.stream().after(said.seq()).open();
    while live.try_next().await.unwrap().unwrap().event_type() != "session.status_idle" {}
}

async fn log(client: &Client, session: &SessionId) -> Vec<Event> {
    let list = client.sessions().events(session).list();
    list.items().try_collect().await.unwrap()
}

async fn started() -> (MockServer, Client) {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let client = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = client.build().unwrap();
    (server, client)
}

/// What an event is besides the Session that it stands in.
fn apart(event: &Event) -> Value {
    let mut json: Value = serde_json::from_str(event.raw_json()).unwrap();
    json.as_object_mut().unwrap().remove("session_id");
    json
}

/// A-ID, STR-4: of the streams of a Session and of its fork, read side by side in no order, the id tells each event once:
/// equal ids are equal events in every member but the Session's, and nothing else is left out.
#[tokio::test]
async fn copies_are_recognised_by_their_id() {
    let (server, client) = started().await;
    let ids = source_and_fork(&client, &server).await;
    let (source, fork) = (log(&client, &ids[0]).await, log(&client, &ids[1]).await);
    let streams = [(&ids[0], source.len()), (&ids[1], fork.len())].map(|(session, length)| {
        let events = client.sessions().events(session).stream().open();
        events.take(length)
    });
    let merged: Vec<Event> = stream::select_all(streams).try_collect().await.unwrap();
    assert_eq!(merged.len(), source.len() + fork.len());
    let mut seen: HashMap<&EventId, &Event> = HashMap::new();
    let mut copies = 0;
    for event in &merged {
        if let Some(before) = seen.insert(event.id(), event) {
            assert_eq!(apart(before), apart(event));
            assert_eq!(before.seq(), event.seq());
            assert_ne!(before.session_id(), event.session_id());
            copies += 1;
        }
    }
    let forked = fork
        .iter()
        .position(|event| event.event_type() == "session.forked");
    assert_eq!(copies, forked.unwrap());
    assert!(copies > 5 && seen.len() == merged.len() - copies);
    server.shutdown().await;
}

/// Stores the events under `(session_id, id)`, and an effect under the event's id alone, up to the settlement.
async fn apply_all(follower: &mut Follower<checkfu_sdk::cursor::SqliteCursorStore>) {
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let (event, transaction) = delivery.parts();
        let id = event.id().as_str();
        let stored = sqlx::query("INSERT INTO events (session_id, id) VALUES (?, ?)");
        let stored = stored.bind(event.session_id().unwrap().as_str()).bind(id);
        stored.execute(&mut **transaction).await.unwrap();
        let effect = sqlx::query("INSERT OR IGNORE INTO effects (id) VALUES (?)").bind(id);
        effect.execute(&mut **transaction).await.unwrap();
        delivery.commit().await.unwrap();
    }
}

/// A-ID, STR-4: one consumer of a Session and its fork has a cursor on each. It stores every copy under the Session and the
/// id, and has the effect of an event once, whichever log brings it first.
#[tokio::test]
async fn copies_are_stored_twice_and_have_one_effect() {
    let (server, client) = started().await;
    let ids = source_and_fork(&client, &server).await;
    let projection = Projection::new().await;
    for table in [
        "CREATE TABLE events (session_id TEXT, id TEXT, PRIMARY KEY (session_id, id))",
        "CREATE TABLE effects (id TEXT PRIMARY KEY)",
    ] {
        sqlx::query(table).execute(&projection.pool).await.unwrap();
    }
    let mut all = Vec::new();
    for session in &ids {
        let log = log(&client, session).await;
        let input = log.iter().rfind(|event| event.event_type() == "user.message");
        let input: Seq = input.unwrap().seq();
        let events = client.sessions().events(session);
        let follow = events.follow("billing", projection.store.clone()).input(input);
        apply_all(&mut follow.start().await.unwrap()).await;
        all.extend(log.into_iter().map(|event| event.id().to_string()));
    }
    let count = async |table: &str| -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(count));
        count.fetch_one(&projection.pool).await.unwrap()
    };
    let distinct: HashSet<&String> = all.iter().collect();
    assert_eq!(count("events").await, i64::try_from(all.len()).unwrap());
    assert_eq!(count("effects").await, i64::try_from(distinct.len()).unwrap());
    assert!(distinct.len() < all.len());
    server.shutdown().await;
}
