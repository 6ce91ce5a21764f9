//! A server in process, and the few things that nearly every test does with it.

use std::time::Duration;

use checkfu_mock_server::{ManualClock, MockServer, MockServerBuilder};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::frames::PATIENCE;

/// A Principal that writes messages.
pub(crate) const AUTHOR: &str = "prin_0123456789abcdef0123456789abcdef";

/// A server and a client for it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) server: MockServer,
    pub(crate) client: Client,
}

impl World {
    /// A server in memory whose agents work at once.
    pub(crate) async fn new() -> Self {
        Self::with(MockServer::builder().step_delay(Duration::ZERO)).await
    }

    /// A server in memory whose time, and with it its agents, moves only when the clock is advanced.
    pub(crate) async fn standing_still() -> (Self, ManualClock) {
        let clock = clock();
        let builder = MockServer::builder().step_delay(STEP).clock(clock.clone());
        (Self::with(builder).await, clock)
    }

    /// A server in memory whose agents work at once, but for the time that their scenarios take: that passes only when the
    /// clock is advanced.
    pub(crate) async fn frozen() -> (Self, ManualClock) {
        let clock = clock();
        let builder = MockServer::builder()
            .step_delay(Duration::ZERO)
            .clock(clock.clone());
        (Self::with(builder).await, clock)
    }

    pub(crate) async fn with(builder: MockServerBuilder) -> Self {
        let server = builder.start().await.unwrap();
        let client = Client::new(server.url(), server.api_key());
        Self { server, client }
    }

    /// A new Session's id.
    pub(crate) async fn session(&self) -> String {
        let created = self
            .client
            .post("/v1/sessions", &self.create_body())
            .await
            .ok(201);
        created["id"].as_str().unwrap().to_owned()
    }

    /// A new Session's id, of the built-in deployment with this name.
    pub(crate) async fn session_of(&self, deployment: &str) -> String {
        let mut body = self.create_body();
        body["agent_deployment_id"] = self.deployment(deployment).await.into();
        let created = self.client.post("/v1/sessions", &body).await.ok(201);
        created["id"].as_str().unwrap().to_owned()
    }

    /// The id of the deployment with this name.
    pub(crate) async fn deployment(&self, name: &str) -> String {
        let listed = self.client.get("/v1/agent_deployments?limit=1000").await.ok(200);
        let listed = listed["data"].as_array().unwrap();
        let found = listed.iter().find(|deployment| deployment["name"] == name);
        let found = found.unwrap_or_else(|| panic!("no deployment {name}"));
        found["id"].as_str().unwrap().to_owned()
    }

    /// Posts an event as the Principal that the server knows; `payload` without its author and cause.
    pub(crate) async fn post(&self, session: &str, type_name: &str, mut payload: Value) -> Answer {
        payload["authored_by"] = json!(self.server.principal_id());
        payload["caused_by"] = json!({"kind": "api"});
        let body = json!({"type": type_name, "payload": payload});
        let path = format!("/v1/sessions/{session}/events");
        self.client.post(&path, &body).await
    }

    /// Reads the log until an event of this type is there for the `count`th time; gives the log.
    pub(crate) async fn until_logged(&self, session: &str, type_name: &str, count: usize) -> Vec<Value> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let log = self.log(session).await;
            if log.iter().filter(|event| event["type"] == type_name).count() >= count {
                return log;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "no {type_name}: {:#?}",
                types(&log)
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The least that a Session starts from.
    pub(crate) fn create_body(&self) -> Value {
        json!({
            "agent_deployment_id": self.server.deployment_id(),
            "principal_id": self.server.principal_id(),
        })
    }

    /// Posts a message that has to be accepted; gives its envelope.
    pub(crate) async fn say(&self, session: &str, text: &str) -> Value {
        self.try_say(session, text).await.ok(202)
    }

    pub(crate) async fn try_say(&self, session: &str, text: &str) -> Answer {
        self.client
            .post(&format!("/v1/sessions/{session}/events"), &message(text))
            .await
    }

    /// The Session resource.
    pub(crate) async fn read(&self, session: &str) -> Value {
        self.client.get(&format!("/v1/sessions/{session}")).await.ok(200)
    }

    /// The whole log by list, up to 1000 events.
    pub(crate) async fn log(&self, session: &str) -> Vec<Value> {
        log(&self.client, session).await
    }

    /// The types in the log.
    pub(crate) async fn types(&self, session: &str) -> Vec<String> {
        types(&self.log(session).await)
    }

    /// Waits until the Session has this status; every status that is waited for is bound to come.
    pub(crate) async fn until_status(&self, session: &str, status: &str) -> Value {
        until_status(&self.client, session, status).await
    }
}

/// What an agent takes for a step under a clock that is moved by hand.
pub(crate) const STEP: Duration = Duration::from_secs(1);

/// A clock that stands still on the day of the API's version.
pub(crate) fn clock() -> ManualClock {
    ManualClock::starting_at("2026-08-31T12:00:00Z".parse().unwrap())
}

/// The body of a message.
pub(crate) fn message(text: &str) -> Value {
    json!({
        "type": "user.message",
        "payload": {"content": text, "authored_by": AUTHOR, "caused_by": {"kind": "api"}},
    })
}

/// The whole log by list, page after page.
pub(crate) async fn log(client: &Client, session: &str) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/events?limit=1000");
    let mut page = client.get(&path).await.ok(200);
    let mut events = page["data"].as_array().unwrap().clone();
    while let Some(next) = page["next_page"].as_str() {
        page = client.get(&format!("{path}&page={next}")).await.ok(200);
        events.extend(page["data"].as_array().unwrap().iter().cloned());
    }
    events
}

/// Waits until the Session has this status.
pub(crate) async fn until_status(client: &Client, session: &str, status: &str) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let found = client.get(&format!("/v1/sessions/{session}")).await.ok(200);
        if found["status"] == status {
            return found;
        }
        assert!(tokio::time::Instant::now() < deadline, "not {status}: {found:#}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// The types of events.
pub(crate) fn types(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

/// The latest event of a type.
pub(crate) fn latest<'a>(events: &'a [Value], type_name: &str) -> &'a Value {
    events
        .iter()
        .rev()
        .find(|event| event["type"] == type_name)
        .unwrap_or_else(|| panic!("no {type_name}: {:#?}", types(events)))
}

/// The values of one member.
pub(crate) fn all<'a>(events: &'a [Value], member: &str) -> Vec<&'a Value> {
    events.iter().map(|event| &event[member]).collect()
}
