//! The program on one data directory, life after life, under a clock that stands still.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::client::Client;
use crate::support::process::{Process, program};

/// A running program whose Agents take a step only when its clock is advanced.
#[derive(Debug)]
pub(super) struct Life {
    directory: TempDir,
    process: Process,
    /// What its clock shows; the next life begins there.
    now: String,
}

impl Life {
    pub(super) async fn begin() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let now = "2026-08-31T12:00:00Z".to_owned();
        let process = start(&directory, &now).await;
        Self {
            directory,
            process,
            now,
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.process.client
    }

    pub(super) fn principal(&self) -> &str {
        self.process.announcement["principal_id"].as_str().unwrap()
    }

    /// SIGKILL, and another life at the moment at which the last one ended.
    pub(super) async fn kill(self) -> Self {
        let Self {
            directory,
            process,
            now,
        } = self;
        process.kill().await;
        let process = start(&directory, &now).await;
        Self {
            directory,
            process,
            now,
        }
    }

    pub(super) async fn advance(&mut self, by: Duration) {
        let text = |member: &str| self.process.announcement[member].as_str().unwrap();
        let control = Client::new(text("control_url"), text("control_token"));
        let body = json!({"milliseconds": by.as_millis() as u64}).to_string();
        let answer = control.open("POST", "/control/clock/advance", body.into()).await;
        let answer = answer.unwrap().into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        self.now = answer["now"].as_str().unwrap().to_owned();
    }
}

async fn start(directory: &TempDir, now: &str) -> Process {
    let mut command = program(directory.path());
    command.args([
        "--control-port",
        "0",
        "--step-delay-ms",
        "1",
        "--manual-clock",
        now,
    ]);
    Process::start(command).await
}
