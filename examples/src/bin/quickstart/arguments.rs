//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Drives one turn of a Checkfu Session end to end: send, follow, lose the connection, resume, settle.
///
/// Without --url it starts the reference server in this process. Run it again on the same directory to drive the same
/// Session one turn further; a run that was killed half-way is finished first.
#[derive(Debug, Parser)]
#[command(name = "quickstart")]
pub(crate) struct Arguments {
    /// What the user says in this turn.
    #[arg(default_value = "Draft a release note for version 1.2.", value_parser = text)]
    pub(crate) text: String,

    /// Where the follower's database lies, and the server's when it is started here.
    #[arg(long, default_value = ".checkfu/quickstart")]
    pub(crate) dir: PathBuf,

    /// Another server, such as `https://api.checkfu.com`. Its key is read from CHECKFU_API_KEY.
    #[arg(long)]
    pub(crate) url: Option<String>,

    /// The Agent deployment that the Session starts from, at another server.
    #[arg(long, env = "CHECKFU_AGENT_DEPLOYMENT_ID")]
    pub(crate) deployment: Option<String>,

    /// The Principal that the Session acts as, at another server.
    #[arg(long, env = "CHECKFU_PRINCIPAL_ID")]
    pub(crate) principal: Option<String>,
}

fn text(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("say something: the text is empty")
    } else {
        Ok(text.to_owned())
    }
}
