mod prove;
mod scope;
mod sweep;

use std::{error::Error, path::PathBuf, time::Duration};

use checkfu_conformance::{AgentKind, Limits, Plan, Profile, Target};
use clap::{Args, Parser, Subcommand};

use crate::progress::Form;
pub(crate) use prove::ProveFlags;
pub(crate) use scope::ScopeFlags;
pub(crate) use sweep::SweepFlags;

/// Judges a Checkfu server over HTTP, as a black box.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Flags {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the checks against a server. The key comes from CHECKFU_API_KEY and from nowhere else.
    Server(Box<ServerFlags>),
    /// Ends the Sessions that an earlier run left.
    Sweep(SweepFlags),
    /// Prints the JSON Schema of the report.
    Schema,
    /// Shows every check.
    List,
    /// Shows what is known of a check, of a requirement or of a sentence of the pages.
    Explain {
        /// Such as srv.resume.every-cut, STR-2 or S-resume-a-stream-027.
        id: String,
    },
    /// Shows how many sentences of the published pages are checked, and which still wait for a check.
    Trace(TraceFlags),
    /// Proves the checks with servers that are broken on purpose, and with some that are not.
    ///
    /// Exit 0 if all of it holds, 1 if not, 2 for a wrong command line or a server without mutants, 4 for a server that does
    /// not start.
    Prove(ProveFlags),
}

#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    /// Compares the pages in this directory (<page>.txt) with the rows; exit 1 where they differ.
    #[arg(long, value_name = "DIR", conflicts_with = "write")]
    pub(crate) docs: Option<PathBuf>,
    /// Writes the table of all sentences to this file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServerFlags {
    /// Origin of the server, with a path prefix if it has one.
    #[arg(long, env = "CHECKFU_BASE_URL")]
    url: String,
    /// The principal that the suite's events are authored by.
    #[arg(long, env = "CHECKFU_PRINCIPAL_ID")]
    principal: String,
    /// The deployment to create Sessions of [default: the first one that the server lists].
    #[arg(long, env = "CHECKFU_AGENT_DEPLOYMENT_ID")]
    agent_deployment: Option<String>,
    /// A deployment for checks that need a certain kind of Agent, where none has the kind's name. May be repeated.
    #[arg(long, value_name = "KIND=ID", value_parser = agent)]
    agent: Vec<(AgentKind, String)>,
    /// Sent as Checkfu-Workspace if given.
    #[arg(long, env = "CHECKFU_WORKSPACE_ID")]
    workspace: Option<String>,
    /// Something changes on purpose how things arrive, as the reference server's --hostile does: what is assumed of their
    /// exact form is not judged.
    #[arg(long)]
    disturbed: bool,
    /// `published` judges what the pages say, `reference` also what the reference server picks.
    #[arg(long, default_value_t = Profile::Published)]
    profile: Profile,
    /// Contradictions of derived statements fail instead of warn.
    #[arg(long)]
    strict: bool,
    /// Only this check; a trailing * stands for any rest. May be repeated.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    #[command(flatten)]
    scope: ScopeFlags,
    /// Writes the report as JSON to this file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes it as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Writes it as a conformance statement in Markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Writes it as a conformance statement in HTML, one file that needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Writes the conclusion as the JSON of a shields.io badge.
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// Writes the failures as a baseline, for --baseline of a later run.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Exit 0 where nothing failed but something was inconclusive or blocked.
    #[arg(long)]
    pub(crate) allow_partial: bool,
    /// Seconds for an answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    answer_timeout: f64,
    /// Seconds for a turn to settle.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    turn_timeout: f64,
    /// Seconds for the whole run; what is left then is inconclusive [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    run_timeout: Option<f64>,
    /// What is told on stderr as each check ends.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    progress: Form,
    /// Nothing on stderr after each check.
    #[arg(long, short, conflicts_with = "progress")]
    quiet: bool,
}

impl ServerFlags {
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let target = Target::new(&self.url, &key()?, &self.principal)?
            .with_deployment(self.agent_deployment.clone())
            .with_workspace(self.workspace.clone())
            .with_disturbance(self.disturbed);
        let target = self
            .agent
            .iter()
            .fold(target, |target, (kind, id)| target.with_agent(*kind, id));
        let target = self.scope.target(target)?;
        let limits = Limits {
            answer: Duration::from_secs_f64(self.answer_timeout),
            turn: Duration::from_secs_f64(self.turn_timeout),
            run: self.run_timeout.map(Duration::from_secs_f64),
            ..Limits::default()
        };
        let plan = Plan::new(target)
            .with_profile(self.profile)
            .with_strict(self.strict)
            .with_limits(limits);
        Ok(self.scope.plan(plan)?.with_only(self.only.iter())?)
    }

    /// What to tell as each check ends, if anything.
    pub(crate) fn progress(&self) -> Option<Form> {
        (!self.quiet).then_some(self.progress)
    }
}

fn key() -> Result<String, Box<dyn Error>> {
    let key = std::env::var("CHECKFU_API_KEY");
    Ok(key.map_err(|_| "CHECKFU_API_KEY is not set: set it to a key of the server under test")?)
}

fn agent(text: &str) -> Result<(AgentKind, String), String> {
    match text.split_once('=') {
        Some((kind, id)) if !id.is_empty() => {
            let kind = kind.parse::<AgentKind>().map_err(|error| error.to_string())?;
            Ok((kind, id.to_owned()))
        }
        _ => Err("not KIND=ID, such as question=adep_0123".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds between 0.001 and 86400".to_owned()),
    }
}
