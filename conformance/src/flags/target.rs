use std::{error::Error, time::Duration};

use checkfu_conformance::{AgentKind, Limits, Plan, Profile, Target};
use clap::Args;

/// The server to judge, and how patient and how strict to be with it.
#[derive(Debug, Args)]
pub(super) struct TargetFlags {
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
    /// `published` judges what the pages say, `reference` also what the reference server picks.
    #[arg(long, default_value_t = Profile::Published)]
    profile: Profile,
    /// Contradictions of derived statements fail instead of warn.
    #[arg(long)]
    strict: bool,
    /// Seconds for an answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    answer_timeout: f64,
    /// Seconds for a turn to settle.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    turn_timeout: f64,
    /// Seconds for which a stream shows nothing before it is written to again.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.5, value_parser = seconds)]
    silence: f64,
    /// Seconds for the whole run; what is left then is inconclusive [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    run_timeout: Option<f64>,
    /// Nothing on stderr as it goes on.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl TargetFlags {
    /// Whether the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        let rest = self
            .url
            .split_once("://")
            .map_or(self.url.as_str(), |(_, rest)| rest);
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = rest[..end]
            .rsplit_once(':')
            .map_or(&rest[..end], |(host, _)| host);
        host == "localhost" || host == "[::1]" || host.starts_with("127.")
    }

    pub(super) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        Ok(self.plan_for(self.target()?))
    }

    pub(super) fn target(&self) -> Result<Target, Box<dyn Error>> {
        let target = Target::new(&self.url, &key()?, &self.principal)?
            .with_deployment(self.agent_deployment.clone())
            .with_workspace(self.workspace.clone());
        Ok(self
            .agent
            .iter()
            .fold(target, |target, (kind, id)| target.with_agent(*kind, id)))
    }

    pub(super) fn plan_for(&self, target: Target) -> Plan {
        let limits = Limits {
            answer: Duration::from_secs_f64(self.answer_timeout),
            turn: Duration::from_secs_f64(self.turn_timeout),
            silence: Duration::from_secs_f64(self.silence),
            run: self.run_timeout.map(Duration::from_secs_f64),
            ..Limits::default()
        };
        Plan::new(target)
            .with_profile(self.profile)
            .with_strict(self.strict)
            .with_limits(limits)
    }
}

/// The key, which comes from the environment and from nowhere else.
pub(super) fn key() -> Result<String, Box<dyn Error>> {
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

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds between 0.001 and 86400".to_owned()),
    }
}
