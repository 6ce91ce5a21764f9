//! `checkfu`: the Checkfu API on the command line.

mod arguments;
mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;
use tokio::runtime::Builder;

use crate::{arguments::Arguments, failure::Failure};

/// What a shell reports for a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::Runtime(error).report(),
    };
    let code = runtime.block_on(run(arguments));
    // A read of standard input cannot be cancelled, and must not hold up the end.
    runtime.shutdown_background();
    code
}

async fn run(arguments: Arguments) -> ExitCode {
    tokio::select! {
        biased;
        done = commands::run(arguments) => match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.report(),
        },
        Ok(()) = tokio::signal::ctrl_c() => ExitCode::from(INTERRUPTED),
    }
}
