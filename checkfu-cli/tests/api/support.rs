//! Starts the program against a server and reads what it prints.

use std::{process::Stdio, time::Duration};

use checkfu_mock_server::MockServer;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// How long anything may take before the test counts it as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a finished program printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Its lines, after it ended well.
    pub(crate) fn lines(&self) -> Vec<&str> {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout.lines().collect()
    }

    /// Its one line, after it ended well.
    pub(crate) fn line(&self) -> &str {
        let lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines[0]
    }

    /// The type of each event that it printed.
    pub(crate) fn types(&self) -> Vec<&str> {
        self.lines()
            .into_iter()
            .map(|line| line.split_whitespace().nth(1).unwrap())
            .collect()
    }
}

/// The program with its arguments, which knows nothing but where the API is and its key.
pub(crate) fn checkfu(url: &str, key: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkfu"));
    command
        .env_clear()
        .env("CHECKFU_BASE_URL", url)
        .env("CHECKFU_API_KEY", key)
        .args(arguments)
        .kill_on_drop(true)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The program against the reference server.
pub(crate) fn command(server: &MockServer, arguments: &[&str]) -> Command {
    checkfu(server.url(), server.api_key(), arguments)
}

/// Runs it to its end.
pub(crate) async fn finish(mut command: Command) -> Finished {
    let output = timeout(PATIENCE, command.output())
        .await
        .expect("it hangs")
        .unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs it against the reference server to its end.
pub(crate) async fn run(server: &MockServer, arguments: &[&str]) -> Finished {
    finish(command(server, arguments)).await
}

/// Runs it with `input` as its standard input.
pub(crate) async fn feed(mut command: Command, input: &[u8]) -> Finished {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).await.unwrap();
    drop(stdin);
    Running::of(child).finish().await
}

/// A Session of the reference server's agent, created by the program.
pub(crate) async fn create(server: &MockServer) -> String {
    let (deployment, principal) = (server.deployment_id(), server.principal_id());
    let arguments = [
        "session",
        "create",
        "--agent-deployment",
        deployment,
        "--principal",
        principal,
    ];
    run(server, &arguments).await.line().to_owned()
}

/// Sends `text` with the program and returns what it printed.
pub(crate) async fn steer(server: &MockServer, session: &str, text: &str) -> String {
    let arguments = [
        "session",
        "steer",
        session,
        text,
        "--principal",
        server.principal_id(),
    ];
    run(server, &arguments).await.line().to_owned()
}

/// The events of a Session as JSON, listed by the program.
pub(crate) async fn log(server: &MockServer, session: &str) -> Vec<Value> {
    let listed = run(server, &["events", "list", "--session-id", session, "--json"]).await;
    listed
        .lines()
        .into_iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A program in progress, read line by line.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        Self::of(command.spawn().unwrap())
    }

    fn of(mut child: Child) -> Self {
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, output }
    }

    /// Writes a line to its standard input, which stays open.
    pub(crate) async fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line that it prints.
    pub(crate) async fn line(&mut self) -> String {
        let line = timeout(PATIENCE, self.output.next_line()).await;
        line.expect("it prints nothing").unwrap().expect("it ended")
    }

    /// Reads up to the first line that holds `text`, that line included.
    pub(crate) async fn lines_to(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.contains(text)) {
            lines.push(self.line().await);
        }
        lines
    }

    /// Sends it SIGINT.
    pub(crate) async fn interrupt(&self) {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().await.unwrap();
        assert!(sent.success());
    }

    /// Closes its standard output and waits for its end.
    pub(crate) async fn close_output(self) -> Finished {
        let Self { mut child, output } = self;
        drop(output);
        ended(&mut child, String::new()).await
    }

    /// Reads the rest of its output and waits for its end.
    pub(crate) async fn finish(self) -> Finished {
        let Self { mut child, output } = self;
        let mut rest = String::new();
        let mut output = output.into_inner();
        timeout(PATIENCE, output.read_to_string(&mut rest))
            .await
            .expect("it hangs")
            .unwrap();
        ended(&mut child, rest).await
    }
}

async fn ended(child: &mut Child, stdout: String) -> Finished {
    let mut stderr = String::new();
    let mut errors = child.stderr.take().unwrap();
    timeout(PATIENCE, errors.read_to_string(&mut stderr))
        .await
        .expect("it hangs")
        .unwrap();
    let status = timeout(PATIENCE, child.wait()).await.expect("it hangs").unwrap();
    Finished {
        code: status.code(),
        stdout,
        stderr,
    }
}
