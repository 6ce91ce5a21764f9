//! The reference server as a program.

mod control;
mod line;

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, Command},
    time::timeout,
};

use crate::{
    control::Control,
    target::{InvalidTarget, Target},
};
pub(super) use control::mutants;
use line::Line;

/// How long a server may take to print its line.
const START: Duration = Duration::from_secs(60);

/// No line of a server, and no cause of its end, is longer.
const LONGEST_LINE: u64 = 64 << 10;

/// A program that is a reference server with mutants.
#[derive(Debug, Clone)]
pub struct Binary {
    path: PathBuf,
}

/// A server of that program; it is killed when it is dropped.
#[derive(Debug)]
pub struct RunningServer {
    line: Line,
    // Held for its end.
    _child: Child,
}

/// Why nothing can be proven here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unprovable {
    /// There is no such file.
    #[error("there is no server {}: {BUILD}, or name one with --server", .0.display())]
    Missing(PathBuf),
    /// It was built without mutants.
    #[error("{} has no mutants: {BUILD}", .0.display())]
    WithoutMutants(PathBuf),
    /// There is no mutant of this name.
    #[error("there is no mutant {0:?}, and no check of that name: `list --mutants` shows them all")]
    UnknownMutant(String),
    /// It did not come up.
    #[error("{} does not start: {why}", .path.display())]
    NoStart {
        /// The program.
        path: PathBuf,
        /// What it said.
        why: String,
    },
}

const BUILD: &str = "build it with `cargo build -p checkfu-mock-server --features mutants`";

impl Binary {
    /// The program at this path.
    ///
    /// # Errors
    /// [`Unprovable::Missing`] if there is no such file.
    pub fn at(path: impl Into<PathBuf>) -> Result<Self, Unprovable> {
        let path = path.into();
        match path.is_file() {
            true => Ok(Self { path }),
            false => Err(Unprovable::Missing(path)),
        }
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a server in memory at a free port, with a control listener and these further flags.
    ///
    /// # Errors
    /// [`Unprovable::NoStart`] if it prints no line that says where it listens.
    pub async fn start(&self, flags: &[String]) -> Result<RunningServer, Unprovable> {
        let mut command = Command::new(&self.path);
        // What the environment says of other servers is nothing to this one.
        let inherited = std::env::vars_os().map(|(name, _)| name);
        for name in inherited.filter(|name| name.to_string_lossy().starts_with("CHECKFU_")) {
            command.env_remove(name);
        }
        command
            .args([
                "--in-memory",
                "--port",
                "0",
                "--control-port",
                "0",
                "--step-delay-ms",
                "1",
                // A stream that falls silent shows some comments while it does.
                "--keep-alive-ms",
                "400",
            ])
            .args(["--log", "error"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command
            .spawn()
            .map_err(|error| self.no_start(error.to_string()))?;
        match timeout(START, first_line(&mut child)).await {
            Ok(Ok(line)) => Ok(RunningServer { line, _child: child }),
            Ok(Err(why)) => Err(self.no_start(why)),
            Err(_) => Err(self.no_start("it printed nothing".to_owned())),
        }
    }

    fn no_start(&self, why: String) -> Unprovable {
        Unprovable::NoStart {
            path: self.path.clone(),
            why,
        }
    }
}

impl RunningServer {
    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.line.url
    }

    /// The key that it accepts.
    pub fn key(&self) -> &str {
        &self.line.api_key
    }

    /// The principal that it knows.
    pub fn principal(&self) -> &str {
        &self.line.principal_id
    }

    /// This server as a target of the suite.
    ///
    /// # Errors
    /// [`InvalidTarget`] where it printed what cannot be used.
    pub fn target(&self) -> Result<Target, InvalidTarget> {
        self.target_at(&self.line.url)
    }

    /// Something at `url` that stands before it, whose control side may be used: nobody else is judged by this server.
    pub(super) fn controlled_at(&self, url: &str) -> Result<Target, InvalidTarget> {
        let control = Control::new(&self.line.control_url, &self.line.control_token);
        Ok(self.target_at(url)?.with_control(control.ok()))
    }

    /// Something at `url` that stands before it.
    pub(super) fn target_at(&self, url: &str) -> Result<Target, InvalidTarget> {
        let target = Target::new(url, &self.line.api_key, &self.line.principal_id)?;
        Ok(target.with_deployment(Some(self.line.agent_deployment_id.clone())))
    }
}

async fn first_line(child: &mut Child) -> Result<Line, String> {
    // A pipe that nobody reads would hold the server up.
    let said = child.stderr.take().map(|errors| tokio::spawn(listened(errors)));
    let output = child.stdout.take().ok_or("it has no output")?;
    let mut lines = BufReader::new(output.take(LONGEST_LINE)).lines();
    let line = lines.next_line().await.map_err(|error| error.to_string())?;
    // It prints nothing more, and would not be stopped by a closed pipe.
    match (line, said) {
        (Some(line), _) => Line::read(&line),
        (None, Some(said)) => Err(last_words(&said.await.unwrap_or_default())),
        (None, None) => Err(last_words(&[])),
    }
}

/// Reads all that a server says beside its output; the beginning of it.
async fn listened(mut errors: ChildStderr) -> Vec<u8> {
    let mut said = Vec::new();
    // What cannot be read is not shown.
    let _ = (&mut errors).take(LONGEST_LINE).read_to_end(&mut said).await;
    let _ = tokio::io::copy(&mut errors, &mut tokio::io::sink()).await;
    said
}

/// What a server said that ended before it began.
fn last_words(said: &[u8]) -> String {
    match String::from_utf8_lossy(said).trim() {
        "" => "it ended without a word".to_owned(),
        said => said.chars().take(2000).collect(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    async fn started(script: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("server");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Binary::at(path)
            .unwrap()
            .start(&[])
            .await
            .unwrap_err()
            .to_string()
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_not_read_to_its_end() {
        let why = started("head -c 200000 /dev/zero; exec sleep 600").await;
        assert!(why.contains("its first line says not where it listens"), "{why}");
    }

    /// More than a pipe holds before the first line would stop a server that nobody hears.
    #[tokio::test]
    async fn what_is_said_before_the_line_is_heard() {
        let why = started("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo no line").await;
        assert!(why.contains("its first line says not where it listens"), "{why}");
        let why = started("head -c 1000000 /dev/zero | tr '\\0' x >&2").await;
        assert!(why.ends_with("xxx"), "{why}");
    }
}
