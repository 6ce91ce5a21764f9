//! `checkfu-mock-server scenario …`: what is done with scenario files without a server.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::{self, Utf8Error};

use checkfu_mock_server::{
    RecordError, SCENARIO_SCHEMA, built_in_scenarios, check_scenario, record_scenario,
};
use clap::Subcommand;

/// How the program ends when a file cannot be read, and nothing worse happened.
const UNREADABLE: u8 = 1;

/// How the program ends when a file is refused.
const REFUSED: u8 = 2;

/// Check, record and show scenario files.
#[derive(Debug, Subcommand)]
pub(crate) enum ScenarioCommand {
    /// Read files as a server would, and say line, field and fix where one is refused.
    Check {
        /// The files; - is standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print a scenario that plays what a Session's log holds.
    Record {
        /// Logs of one Session: its list, and those of its children's threads. As JSON lines, an array, or pages with data;
        /// - is standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,

        /// The scenario's name.
        #[arg(long, default_value = "recorded")]
        name: String,
    },
    /// Print the JSON Schema of scenario files.
    Schema,
    /// List the built-in scenarios.
    List,
    /// Print a built-in scenario.
    Show {
        /// Its name.
        name: String,
    },
}

/// Carries the command out; the exit code is 0, 1 where a file cannot be read or written, 2 where it is refused.
pub(crate) fn run(command: &ScenarioCommand) -> ExitCode {
    match carry_out(command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: &ScenarioCommand) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    match command {
        ScenarioCommand::Check { files } => check(files, &mut out),
        ScenarioCommand::Record { files, name } => record(files, name, &mut out),
        ScenarioCommand::Schema => {
            out.write_all(SCENARIO_SCHEMA.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        ScenarioCommand::List => {
            for scenario in built_in_scenarios() {
                writeln!(out, "{:<16} {}", scenario.name, scenario.description)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        ScenarioCommand::Show { name } => {
            match built_in_scenarios().find(|scenario| scenario.name == *name) {
                Some(scenario) => {
                    out.write_all(scenario.yaml.as_bytes())?;
                    Ok(ExitCode::SUCCESS)
                }
                None => {
                    eprintln!("error: there is no built-in scenario {name}; `scenario list` names them");
                    Ok(ExitCode::from(REFUSED))
                }
            }
        }
    }
}

fn check(files: &[PathBuf], out: &mut impl Write) -> io::Result<ExitCode> {
    let mut worst = 0;
    for file in files {
        let bytes = match read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{error}");
                worst = worst.max(UNREADABLE);
                continue;
            }
        };
        let checked = match str::from_utf8(&bytes) {
            Ok(text) => check_scenario(text).map_err(|error| error.to_string()),
            Err(error) => Err(no_text(&bytes, error)),
        };
        match checked {
            Ok(()) => writeln!(out, "{}: ok", file.display())?,
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                worst = REFUSED;
            }
        }
    }
    Ok(ExitCode::from(worst))
}

fn record(files: &[PathBuf], name: &str, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut texts = Vec::new();
    for file in files {
        match String::from_utf8(read(file)?) {
            Ok(text) => texts.push(text),
            Err(error) => {
                let problem = no_text(error.as_bytes(), error.utf8_error());
                eprintln!("error: {}: {problem}", file.display());
                return Ok(ExitCode::from(REFUSED));
            }
        }
    }
    let logs: Vec<&str> = texts.iter().map(String::as_str).collect();
    match record_scenario(name, &logs) {
        Ok(recording) => {
            for note in recording.notes {
                eprintln!("note: {note}");
            }
            out.write_all(recording.yaml.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            eprintln!("error: {}", with_file(&error, files));
            Ok(ExitCode::from(REFUSED))
        }
    }
}

/// The error by the file's name, not by its number.
fn with_file(error: &RecordError, files: &[PathBuf]) -> String {
    let told = error.to_string();
    let RecordError::NoLog { number, .. } = error else {
        return told;
    };
    let file = number.checked_sub(1).and_then(|index| files.get(index));
    match (file, told.strip_prefix(&format!("log {number}"))) {
        (Some(file), Some(rest)) => format!("{}{rest}", file.display()),
        _ => told,
    }
}

/// Where a file stops being text.
fn no_text(bytes: &[u8], error: Utf8Error) -> String {
    let text = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: is not UTF-8; save the file as UTF-8")
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    bytes.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
}
