//! `checkfu-mock-server`: the reference server of the Checkfu API as a program.

mod flags;
mod log_filter;
mod scenario_command;

use std::io::{self, Write};
use std::process::ExitCode;

use checkfu_mock_server::{MockServer, StartError, StorageError};
use flags::{Command, FlagError, Flags};
use tokio::signal::unix::{SignalKind, signal};

/// How the program ends when it was told something that makes no sense, like the command line's own errors.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let flags = Flags::read();
    if let Some(Command::Scenario(command)) = &flags.command {
        return scenario_command::run(command);
    }
    tracing_subscriber::fmt()
        .json()
        .with_writer(io::stderr)
        .with_env_filter(flags.log.filter())
        // Whoever closes standard error loses the log, not the server.
        .log_internal_errors(false)
        .init();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(run(flags));
    // Whatever still runs was given its time by the shutdown.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(USAGE)
        }
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Usage(FlagError),
    #[error(transparent)]
    Start(StartError),
    #[error("--data-dir: {0}")]
    DataDirectory(StorageError),
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<FlagError> for Failure {
    fn from(error: FlagError) -> Self {
        match error {
            FlagError::Start(error) => error.into(),
            other => Self::Usage(other),
        }
    }
}

impl From<StartError> for Failure {
    /// What the flags said, and what became of it.
    fn from(error: StartError) -> Self {
        match error {
            StartError::ApiKey
            | StartError::ControlToken
            | StartError::Principal { .. }
            | StartError::KeepAlive
            | StartError::Limit { .. }
            | StartError::Drain
            | StartError::Tls { .. } => Self::Usage(FlagError::Start(error)),
            StartError::Storage(
                error @ (StorageError::Io { .. }
                | StorageError::InUse { .. }
                | StorageError::Foreign { .. }
                | StorageError::UnsupportedFormat { .. }
                | StorageError::KeyFile { .. }),
            ) => Self::DataDirectory(error),
            _ => Self::Start(error),
        }
    }
}

async fn run(flags: Flags) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let server = flags
        .builder()?
        .start()
        .await
        .map_err(|source| match flags.blamed(&source) {
            Some(flags) => FlagError::Named { flags, source },
            None => FlagError::Start(source),
        })?;
    announce(&server, &flags)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    server.shutdown().await;
    Ok(())
}

/// The one line on standard output, and the one place where the key and the token are printed.
fn announce(server: &MockServer, flags: &Flags) -> io::Result<()> {
    let mut line = serde_json::json!({
        "url": server.url(),
        "api_key": server.api_key(),
        "workspace_id": server.workspace_id(),
        "principal_id": server.principal_id(),
        "agent_deployment_id": server.deployment_id(),
    });
    if let Some(certificate) = server.certificate_pem() {
        line["certificate_pem"] = certificate.into();
    }
    if let (Some(url), Some(token)) = (server.control_url(), server.control_token()) {
        line["control_url"] = url.into();
        line["control_token"] = token.into();
    }
    let scenarios = server.scenario_deployments();
    if !scenarios.is_empty() {
        line["scenario_deployments"] = serde_json::json!(scenarios);
    }
    if flags.is_hostile() {
        line["seed"] = server.control().faults().seed().into();
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
