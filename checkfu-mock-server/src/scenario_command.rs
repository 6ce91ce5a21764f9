//! `checkfu-mock-server scenario …`: what is done with scenario files without a server.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use checkfu_mock_server::{SCENARIO_SCHEMA, built_in_scenarios, check_scenario, record_scenario};
use clap::Subcommand;

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
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let text = read(file)?;
        match check_scenario(&text) {
            Ok(()) => writeln!(out, "{}: ok", file.display())?,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                code = ExitCode::from(REFUSED);
            }
        }
    }
    Ok(code)
}

fn record(files: &[PathBuf], name: &str, out: &mut impl Write) -> io::Result<ExitCode> {
    let texts = files
        .iter()
        .map(|file| read(file))
        .collect::<io::Result<Vec<_>>>()?;
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
            eprintln!("error: {error}");
            Ok(ExitCode::from(REFUSED))
        }
    }
}

fn read(file: &Path) -> io::Result<String> {
    let text = if file.as_os_str() == "-" {
        let mut text = String::new();
        io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    text.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
}
