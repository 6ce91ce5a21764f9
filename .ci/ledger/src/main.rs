//! `checkfu-ledger`: writes and checks `LEDGER.md`.

mod evidence;
mod failure;
mod ids;
mod requirements;
mod runs;
mod table;
mod workspace;

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{evidence::Evidence, failure::Failure, requirements::Requirements};

/// Which file implements each requirement, and which test shows it.
#[derive(Debug, Parser)]
#[command(name = "ledger")]
struct Arguments {
    /// The repository's root.
    #[arg(long, default_value = ".", global = true)]
    root: PathBuf,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Regenerates LEDGER.md.
    Write,
    /// Fails when LEDGER.md is stale, or when a named test does not exist or did not pass.
    Check {
        /// Output of `cargo nextest list --workspace --message-format json`.
        #[arg(long)]
        listed: Option<PathBuf>,
        /// Saved output of `cargo test --workspace`.
        #[arg(long, requires = "listed")]
        ran: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("ledger: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, Failure> {
    let root = &arguments.root;
    let requirements = Requirements::load(&root.join(requirements::PATH))?;
    let evidence = Evidence::collect(root, &requirements)?;
    let ledger = table::render(&requirements, &evidence);
    let path = root.join("LEDGER.md");
    match &arguments.action {
        Action::Write => {
            fs::write(&path, &ledger.text).map_err(|source| Failure::io(&path, source))?;
        }
        Action::Check { listed, ran } => {
            let committed = fs::read_to_string(&path).map_err(|source| Failure::io(&path, source))?;
            if committed != ledger.text {
                return Err(Failure::Stale);
            }
            if let Some(listed) = listed {
                runs::check(&evidence, listed, ran.as_deref())?;
            }
        }
    }
    Ok(ledger.summary)
}
