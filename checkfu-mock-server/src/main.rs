//! `checkfu-mock-server`: the reference server of the Checkfu API as a program.

mod flags;
mod log_filter;

use std::io::{self, Write};
use std::process::ExitCode;

use checkfu_mock_server::{MockServer, StartError};
use clap::Parser;
use flags::Flags;
use tokio::signal::unix::{SignalKind, signal};

/// How the program ends when it was told something that makes no sense, like the command line's own errors.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let flags = Flags::parse();
    tracing_subscriber::fmt()
        .json()
        .with_writer(io::stderr)
        .with_env_filter(flags.log.filter())
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
        Err(Failure::Start(
            error @ (StartError::ApiKey | StartError::Principal { .. } | StartError::KeepAlive),
        )) => {
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
    Start(#[from] StartError),
    #[error(transparent)]
    System(#[from] io::Error),
}

async fn run(flags: Flags) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let server = flags.builder()?.start().await?;
    announce(&server)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    server.shutdown().await;
    Ok(())
}

/// The one line on standard output, and the one place where the key is printed.
fn announce(server: &MockServer) -> io::Result<()> {
    let line = serde_json::json!({
        "url": server.url(),
        "api_key": server.api_key(),
        "workspace_id": server.workspace_id(),
        "principal_id": server.principal_id(),
        "agent_deployment_id": server.deployment_id(),
    });
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
