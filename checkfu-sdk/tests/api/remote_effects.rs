//! Effects in another service, by the two patterns that the documentation names, with processes that are killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use checkfu_sdk::cursor::SqliteCursorStore;
use checkfu_sdk::follow::{EventHandler, Follower};
use checkfu_sdk::{Client, Event, EventData};
use http::StatusCode;
use sqlx::{Sqlite, SqlitePool, Transaction};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, stream};
use crate::support::place::{kill_at, pass};
use crate::support::projection::Projection;

const ALONE: &str = "remote_effects::alone_until_killed";

/// Another service. It has one effect under each key, whatever comes how often, and tells which keys it knows.
#[derive(Clone, Default)]
struct Provider(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    effects: BTreeMap<String, String>,
    posts: Vec<String>,
}

impl Respond for Provider {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut heard = self.0.lock().unwrap();
        if request.method == "GET" {
            let key = request.url.path().trim_start_matches("/effects/");
            let status = if heard.effects.contains_key(key) { 200 } else { 404 };
            return ResponseTemplate::new(status);
        }
        let key = request.headers["idempotency-key"].to_str().unwrap().to_owned();
        let body = String::from_utf8(request.body.clone()).unwrap();
        heard.effects.entry(key.clone()).or_insert(body);
        heard.posts.push(key);
        ResponseTemplate::new(201)
    }
}

impl Provider {
    async fn start(&self) -> MockServer {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(self.clone()).mount(&server).await;
        server
    }

    /// The texts of its effects.
    fn effects(&self) -> Vec<String> {
        self.0.lock().unwrap().effects.values().cloned().collect()
    }

    fn posts(&self) -> usize {
        self.0.lock().unwrap().posts.len()
    }
}

/// Sends a request to the provider, under a key.
async fn post(provider: &str, key: &str, text: &str) {
    let request = reqwest::Client::new().post(format!("{provider}/effects"));
    let request = request.header("idempotency-key", key).body(text.to_owned());
    assert_eq!(request.send().await.unwrap().status(), StatusCode::CREATED);
}

/// Has the effect before its transaction commits, under a key made from the event's id.
struct Direct {
    provider: String,
}

impl EventHandler<Transaction<'static, Sqlite>> for Direct {
    type Error = sqlx::Error;

    async fn handle(
        &mut self,
        _: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), sqlx::Error> {
        if let EventData::AgentMessage(said) = event.data() {
            post(&self.provider, event.id().as_str(), &said.content.to_text()).await;
            pass(&format!("{} sent", event.seq())).await;
        }
        Ok(())
    }
}

/// Writes the effect down in the cursor's transaction, to be had later.
struct Intents;

impl EventHandler<Transaction<'static, Sqlite>> for Intents {
    type Error = sqlx::Error;

    async fn handle(
        &mut self,
        transaction: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), sqlx::Error> {
        if let EventData::AgentMessage(said) = event.data() {
            let intent = "INSERT INTO intents (event_id, target, request) VALUES (?, '/effects', ?)";
            let intent = sqlx::query(intent).bind(event.id().as_str());
            let intent = intent.bind(said.content.to_text());
            intent.execute(&mut **transaction).await?;
            pass(&format!("{} intent", event.seq())).await;
        }
        Ok(())
    }
}

/// The worker: has the effect of every intent that is not done. It asks first whether it was had before a crash.
async fn dispatch(pool: &SqlitePool, provider: &str) {
    let open = "SELECT event_id, request FROM intents WHERE done = 0 ORDER BY rowid";
    let open: Vec<(String, String)> = sqlx::query_as(open).fetch_all(pool).await.unwrap();
    for (event_id, request) in open {
        let known = reqwest::get(format!("{provider}/effects/{event_id}"))
            .await
            .unwrap();
        if known.status() == StatusCode::NOT_FOUND {
            post(provider, &event_id, &request).await;
            pass(&format!("{request} sent")).await;
        }
        let done = sqlx::query("UPDATE intents SET done = 1 WHERE event_id = ?").bind(&event_id);
        done.execute(pool).await.unwrap();
        pass(&format!("{request} done")).await;
    }
}

async fn follow(client: &Client, store: &SqliteCursorStore) -> Follower<SqliteCursorStore> {
    let events = client.sessions().events("sess_1");
    events.follow("effects", store.clone()).start().await.unwrap()
}

async fn act(role: &str, client: &Client, projection: &Projection, provider: &str) {
    match role {
        "direct" => {
            let provider = provider.to_owned();
            let mut follower = follow(client, &projection.store).await;
            follower.run(&mut Direct { provider }).await.unwrap();
        }
        "intents" => {
            let mut follower = follow(client, &projection.store).await;
            follower.run(&mut Intents).await.unwrap();
        }
        "worker" => dispatch(&projection.pool, provider).await,
        role => panic!("{role}"),
    }
}

#[tokio::test]
#[ignore = "the process that the tests beside it kill"]
async fn alone_until_killed() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let projection = Projection::open(Path::new(&variable("CHECKFU_TEST_DATABASE")), 2).await;
    let builder = Client::builder().base_url(variable("CHECKFU_TEST_URL"));
    let client = builder.api_key("k").build().unwrap();
    let (role, provider) = (variable("CHECKFU_TEST_ROLE"), variable("CHECKFU_TEST_PROVIDER"));
    act(&role, &client, &projection, &provider).await;
}

/// A log of three messages, a provider, and a database with a table of intents.
struct World {
    api: FakeApi,
    provider: Provider,
    provider_server: MockServer,
    projection: Projection,
}

impl World {
    async fn start() -> Self {
        let api = FakeApi::start().await;
        let log = [message(1), message(2), message(3), idle(4, "end_turn")];
        api.set_session(session("running", serde_json::json!(null), 4))
            .set_log(log.to_vec());
        for _ in 0..5 {
            api.on_stream(stream(frames(&log)));
        }
        let projection = Projection::new().await;
        let intents = "CREATE TABLE intents (event_id TEXT PRIMARY KEY, target TEXT NOT NULL, request TEXT NOT NULL, \
                       done INTEGER NOT NULL DEFAULT 0)";
        sqlx::query(intents).execute(&projection.pool).await.unwrap();
        let provider = Provider::default();
        Self {
            provider_server: provider.start().await,
            api,
            provider,
            projection,
        }
    }

    /// A process in this role, killed at the place `stop_at`.
    async fn kill(&self, role: &str, stop_at: &str) {
        let database = self.projection.path().into_os_string().into_string().unwrap();
        let provider = self.provider_server.uri();
        let variables = [
            ("CHECKFU_TEST_URL", self.api.url()),
            ("CHECKFU_TEST_PROVIDER", &*provider),
            ("CHECKFU_TEST_DATABASE", &*database),
            ("CHECKFU_TEST_ROLE", role),
        ];
        kill_at(ALONE, stop_at, &variables).await;
    }

    /// The same work in this process, to its end.
    async fn finish(&self, role: &str) {
        let provider = self.provider_server.uri();
        act(role, &self.api.client(), &self.projection, &provider).await;
    }

    /// The intents, and whether each is done.
    async fn intents(&self) -> Vec<(String, bool)> {
        let select = "SELECT request, done FROM intents ORDER BY rowid";
        let select = sqlx::query_as(select).fetch_all(&self.projection.pool);
        select.await.unwrap()
    }
}

const ALL: [&str; 3] = ["message 1", "message 2", "message 3"];

/// FOL-9: with a key from the event's id, an effect that a killed process had before its commit is sent again, and the
/// provider, which honours the key, has it once.
#[tokio::test]
async fn a_key_from_the_events_id_has_one_effect() {
    let world = World::start().await;
    world.kill("direct", "1 sent").await;
    assert_eq!(world.provider.effects(), ["message 1"]);
    world.kill("direct", "3 sent").await;
    world.finish("direct").await;
    assert_eq!(world.provider.effects(), ALL);
    assert_eq!(world.provider.posts(), 5, "the first and the last came twice");
}

/// FOL-9: an intent stands in the cursor's transaction, so a process that is killed before the commit leaves neither and one
/// that is killed after it leaves both; a worker has the effect after the commit. Killed between the effect and its mark, it
/// asks the provider before it sends again. Each effect is had once, and sent once.
#[tokio::test]
async fn an_intent_is_dispatched_once_after_its_commit() {
    let world = World::start().await;
    world.kill("intents", "1 intent").await;
    assert_eq!(world.intents().await, []);
    world.kill("intents", "2 intent").await;
    assert_eq!(world.intents().await, [("message 1".to_owned(), false)]);
    assert_eq!(world.provider.posts(), 0, "an effect came before the worker");

    world.kill("worker", "message 1 sent").await;
    assert_eq!(world.intents().await, [("message 1".to_owned(), false)]);
    world.finish("intents").await;
    world.kill("worker", "message 2 done").await;
    world.finish("worker").await;
    world.finish("worker").await;
    assert_eq!(world.intents().await, ALL.map(|text| (text.to_owned(), true)));
    assert_eq!(world.provider.effects(), ALL);
    assert_eq!(world.provider.posts(), 3);
}
