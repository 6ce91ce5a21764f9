//! `checkfu-mock-server`: the reference server of the Checkfu API as a program.

mod flags;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use checkfu_mock_server::MockServer;
use clap::Parser;
use flags::Flags;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let flags = Flags::parse();
    let filter = EnvFilter::try_new(&flags.log).unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_writer(io::stderr)
        .with_env_filter(filter)
        .init();
    match run(flags).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: Flags) -> Result<(), Box<dyn Error>> {
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
