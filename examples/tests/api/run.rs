//! Starts the quickstart as a process and reads what it prints.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

/// What a finished run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) success: bool,
    pub(crate) lines: Vec<String>,
    pub(crate) errors: String,
}

impl Finished {
    /// The `seq` of every event line, in order.
    pub(crate) fn seqs(&self) -> Vec<u64> {
        seqs(&self.lines)
    }

    /// The one line that begins with `label`.
    pub(crate) fn line(&self, label: &str) -> &str {
        let mut matching = self
            .lines
            .iter()
            .filter(|line| line.split_whitespace().next() == Some(label));
        let line = matching
            .next()
            .unwrap_or_else(|| panic!("no line begins with {label}: {self:#?}"));
        assert_eq!(matching.next(), None, "{label} stands twice");
        line
    }
}

/// The `seq` of every event line.
pub(crate) fn seqs(lines: &[String]) -> Vec<u64> {
    lines
        .iter()
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect()
}

/// The quickstart on `directory`, without the variables that point it elsewhere.
pub(crate) fn quickstart(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quickstart"));
    for variable in [
        "CHECKFU_API_KEY",
        "CHECKFU_BASE_URL",
        "CHECKFU_AGENT_DEPLOYMENT_ID",
        "CHECKFU_PRINCIPAL_ID",
    ] {
        command.env_remove(variable);
    }
    command.arg("--dir").arg(directory);
    command
}

/// Runs it to its end.
pub(crate) fn finish(command: &mut Command) -> Finished {
    let output = command.output().unwrap();
    Finished {
        success: output.status.success(),
        lines: String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A run in progress, read line by line.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, output }
    }

    /// Reads `count` lines, kills the process with SIGKILL, and returns all that it printed.
    pub(crate) fn kill_after(mut self, count: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.output.by_ref().take(count).map(Result::unwrap).collect();
        self.child.kill().unwrap();
        lines.extend(self.output.map(Result::unwrap));
        self.child.wait().unwrap();
        lines
    }
}
