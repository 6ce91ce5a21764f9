//! The suite on the command line: `server`, `model`, `check-history`, `sweep`, `schema`, `list`, `explain`, `trace` and
//! `prove`.

mod bounded;
mod files;
mod flags;
mod histories;
mod interrupt;
mod listing;
mod output;
mod printable;
mod progress;
mod proving;
mod told;

use std::process::ExitCode;

use checkfu_conformance::{
    End, ExitStatus, REPORT_SCHEMA_JSON, SweepError, explain, model, run, sweep, trace,
};
use clap::Parser;

use crate::{
    files::ReportFiles,
    flags::{Command, Flags, Judged, ServerFlags, SweepFlags, TraceFlags},
    interrupt::Interrupts,
    output::{print, unwritten},
    progress::Progress,
    told::tell,
};

#[tokio::main]
async fn main() -> ExitCode {
    let interrupts = Interrupts::listen();
    let command = Flags::parse().command;
    let cleans_up = matches!(
        command,
        Command::Server(_) | Command::Sweep(_) | Command::Model(_) | Command::Prove(_)
    );
    if !cleans_up {
        interrupts.exit_at_once();
    }
    let status = match command {
        Command::Server(flags) => server(*flags, &interrupts).await,
        Command::Sweep(flags) => swept(&flags, &interrupts).await,
        Command::Schema { of } => {
            print(match of {
                Judged::Server => REPORT_SCHEMA_JSON,
                Judged::Model => model::MODEL_REPORT_SCHEMA_JSON,
            });
            ExitStatus::Conformant
        }
        Command::Model(flags) => histories::played(*flags, &interrupts).await,
        Command::CheckHistory(flags) => histories::checked(&flags),
        Command::List(flags) => listing::list(&flags),
        Command::Explain { id } => explained(&id),
        Command::Trace(flags) => traced(&flags),
        Command::Prove(flags) => proving::prove(&flags, &interrupts).await,
    };
    ExitCode::from(written(status).code())
}

/// What nobody can read is no success, whatever it says.
fn written(status: ExitStatus) -> ExitStatus {
    match unwritten() {
        None => status,
        Some(fault) => {
            tell(&format!("error: the output was not written: {fault}"));
            match status.code() {
                0 => ExitStatus::Usage,
                _ => status,
            }
        }
    }
}

async fn server(flags: ServerFlags, interrupts: &Interrupts) -> ExitStatus {
    let plan = match flags.plan() {
        Ok(plan) => plan.with_clean_up_end(interrupts.end_the_second_time()),
        Err(error) => return usage(&error.to_string()),
    };
    let files = match ReportFiles::create(&flags, &plan) {
        Ok(files) => files,
        Err(message) => return usage(&message),
    };
    let mut progress = Progress::new(flags.progress(), plan.judged());
    let report = run(&plan, interrupts.interrupted(), |step| progress.tell(step)).await;
    print(&report.to_string());
    if let Err(message) = files.write(&report) {
        return usage(&message);
    }
    match report.exit {
        ExitStatus::Partial if flags.allow_partial => ExitStatus::Conformant,
        exit => exit,
    }
}

async fn swept(flags: &SweepFlags, interrupts: &Interrupts) -> ExitStatus {
    let end = interrupts.end_the_first_time();
    let plan = match flags.plan() {
        Ok(plan) => plan.with_clean_up_end(end.clone()),
        Err(error) => return usage(&error.to_string()),
    };
    match sweep(&plan, &flags.run).await {
        Ok(sessions) => {
            for session in &sessions {
                print(&format!(
                    "{:<9} {}  {}\n",
                    session.end.word(),
                    session.id,
                    session.done
                ));
            }
            let left = sessions.iter().filter(|session| session.end == End::Left).count();
            print(&format!(
                "Sessions of run {}: {}, left as they are: {left}\n",
                flags.run,
                sessions.len(),
            ));
            match left {
                0 => ExitStatus::Conformant,
                _ if end.is_ended() => ExitStatus::Interrupted,
                _ => ExitStatus::Partial,
            }
        }
        Err(error @ SweepError::Run(_)) => usage(&format!("--run: {error}")),
        Err(error) => {
            tell(&format!("error: {error}"));
            match end.is_ended() {
                true => ExitStatus::Interrupted,
                false => ExitStatus::NotJudged,
            }
        }
    }
}

fn explained(id: &str) -> ExitStatus {
    let explained = explain(id).or_else(|| explain(&id.to_uppercase()));
    match explained.or_else(|| model::explain(id)) {
        Some(text) => {
            print(&text);
            ExitStatus::Conformant
        }
        None => usage(&format!(
            "{id:?} is no check, capability, requirement, sentence, property or anomaly: `list` shows the checks and what they judge, COVERAGE.md the sentences, README.md the properties and anomalies"
        )),
    }
}

fn traced(flags: &TraceFlags) -> ExitStatus {
    if let Some(directory) = &flags.docs {
        return match trace::drift(directory) {
            Ok(drifts) => compared(&drifts),
            Err(error) => usage(&format!("--docs: {error}")),
        };
    }
    if let Some(path) = &flags.write
        && let Err(error) = std::fs::write(path, trace::coverage())
    {
        return usage(&format!("--write: {} cannot be written: {error}", path.display()));
    }
    print(&trace::summary());
    ExitStatus::Conformant
}

fn compared(drifts: &[trace::Drift]) -> ExitStatus {
    let rows = trace::sentences().len();
    for drift in drifts {
        print(&format!("{drift}\n"));
    }
    if drifts.is_empty() {
        print(&format!("the pages are what the {rows} rows say\n"));
        return ExitStatus::Conformant;
    }
    tell(&format!(
        "error: the pages are not what the {rows} rows say, differences: {}; read them, then change spec/sentences.toml",
        drifts.len()
    ));
    ExitStatus::Failed
}

fn usage(message: &str) -> ExitStatus {
    tell(&format!("error: {message}"));
    ExitStatus::Usage
}
