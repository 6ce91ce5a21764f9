//! The server under measure, and requests for it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use checkfu_mock_server::MockServer;
use serde_json::{Value, json};

use super::Failure;
use super::client::Connection;

/// Longer than any run of this program: no Agent takes a step, and no stream gets a comment.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// What every event says, so that one has about as many bytes as those of a conversation have.
const TEXT_BYTES: usize = 300;

/// A server that keeps its log on the disk.
#[derive(Debug)]
pub(crate) struct Subject {
    server: MockServer,
}

impl Subject {
    pub(crate) async fn start(directory: &Path) -> Result<Self, Failure> {
        let server = MockServer::builder()
            .data_dir(directory)
            .step_delay(NEVER)
            .keep_alive(NEVER)
            .start()
            .await?;
        Ok(Self { server })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// A new Session's identifier.
    pub(crate) async fn session(&self) -> Result<String, Failure> {
        let body = json!({
            "agent_deployment_id": self.server.deployment_id(),
            "principal_id": self.server.principal_id(),
        });
        let request = self.post("/v1/sessions", &body);
        let answer = Connection::open(self.address()).await?.call(&request).await?;
        let session: Value = serde_json::from_slice(&answer)?;
        Ok(session["id"].as_str().ok_or("no Session")?.to_owned())
    }

    /// An interrupt where there is nothing to interrupt: one event, and nothing else changes.
    pub(crate) fn event(&self, session: &str) -> Vec<u8> {
        let author = self.server.principal_id();
        let cause = json!({"kind": "a".repeat(TEXT_BYTES)});
        self.input(
            session,
            &json!({"type": "user.interrupt", "payload": {"authored_by": author, "caused_by": cause}}),
        )
    }

    /// A message: an event, and a Run that waits for its turn.
    pub(crate) fn message(&self, session: &str) -> Vec<u8> {
        let payload = json!({
            "content": "a ".repeat(TEXT_BYTES / 2),
            "authored_by": self.server.principal_id(),
            "caused_by": {"kind": "api"},
        });
        self.input(session, &json!({"type": "user.message", "payload": payload}))
    }

    pub(crate) fn list(&self, session: &str) -> Vec<u8> {
        self.request("GET", &format!("/v1/sessions/{session}/events"), "")
    }

    pub(crate) fn stream(&self, session: &str) -> Vec<u8> {
        self.request("GET", &format!("/v1/sessions/{session}/events/stream"), "")
    }

    fn input(&self, session: &str, body: &Value) -> Vec<u8> {
        self.post(&format!("/v1/sessions/{session}/events"), body)
    }

    fn post(&self, path: &str, body: &Value) -> Vec<u8> {
        self.request("POST", path, &body.to_string())
    }

    fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let (key, length) = (self.server.api_key(), body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nhost: checkfu\r\nauthorization: Bearer {key}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }
}
