//! The real program, started and killed.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use super::client::Client;
use super::frames::PATIENCE;

/// A running program; it dies with this value.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
    /// What it printed when it accepted connections.
    pub(crate) announcement: Value,
    pub(crate) client: Client,
}

/// The program, to be started on a data directory, its standard error discarded.
pub(crate) fn program(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkfu-mock-server"));
    command
        .arg("--data-dir")
        .arg(data_dir)
        .kill_on_drop(true)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

impl Process {
    /// Starts it and reads its one line.
    pub(crate) async fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .unwrap()
            .unwrap();
        let announcement: Value =
            serde_json::from_str(&line.expect("the program ended without its line")).unwrap();
        let text = |member: &str| announcement[member].as_str().unwrap().to_owned();
        let client = Client::new(&text("url"), &text("api_key"));
        Self {
            child,
            announcement,
            client,
        }
    }

    /// SIGKILL, and waits for the death.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// Where the program listens now, once it does.
pub(crate) async fn current(address: &mut watch::Receiver<Option<Client>>) -> Client {
    let client = tokio::time::timeout(PATIENCE, address.wait_for(Option::is_some))
        .await
        .unwrap();
    client.unwrap().clone().unwrap()
}
