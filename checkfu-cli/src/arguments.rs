//! The command line. The API key has no flag: it would stand in the list of processes.

use checkfu_sdk::{
    Seq, SessionId, SessionStatus,
    model::{AgentDeploymentId, PrincipalId, SessionThreadId},
};
use clap::{Args, Parser, Subcommand, builder::NonEmptyStringValueParser, builder::TypedValueParser};

const ENVIRONMENT: &str = "\
Environment:
  CHECKFU_API_KEY              the key; required
  CHECKFU_BASE_URL             where the API is; default https://api.checkfu.com
  CHECKFU_WORKSPACE_ID         the workspace to act in; default: the key's
  CHECKFU_SESSION_ID           the Session, where none is named
  CHECKFU_AGENT_DEPLOYMENT_ID  the same as --agent-deployment
  CHECKFU_PRINCIPAL_ID         the same as --principal

Exit codes:
  0  done
  1  the API refused or failed
  2  wrong usage or configuration
  3  a follow or stream ended before the Session settled; follow again to go on";

/// The Checkfu API on the command line.
#[derive(Debug, Parser)]
#[command(name = "checkfu", version, after_help = ENVIRONMENT)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sessions: create, steer, follow, chat, list, retrieve, and their threads.
    #[command(subcommand)]
    Session(SessionCommand),
    /// The events of a Session: list, stream.
    #[command(subcommand)]
    Events(EventsCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Start a Session of a deployed Agent and print its id.
    Create(Create),
    /// Send a message to a Session and print the seq of the accepted event. Accepted is not finished: follow it.
    Steer(Steer),
    /// Print the events of a Session, the retained ones and then live, one a line: seq, type, gist.
    Follow(Follow),
    /// Send each line of standard input, and print what the Agent answers until its turn is settled.
    Chat(Chat),
    /// Print the Sessions, one a line: id, status, title.
    List(ListSessions),
    /// Print one Session.
    Retrieve(Retrieve),
    /// The threads of a Session: list, retrieve, archive, and the events of one.
    #[command(subcommand)]
    Threads(ThreadsCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThreadsCommand {
    /// Print the threads, one a line: id, status, parent. The primary comes first.
    List(ListThreads),
    /// Print one thread.
    Retrieve(Thread),
    /// Archive an idle child that waits for nothing, and print it.
    Archive(Thread),
    /// The events of a thread: list, stream.
    #[command(subcommand)]
    Events(ThreadEventsCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThreadEventsCommand {
    /// Print the retained events, one a line: seq, type, gist.
    List(ListThreadEvents),
    /// Print the events as they come, one a line: seq, type, gist.
    Stream(StreamThreadEvents),
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Print the retained events, one a line: seq, type, gist.
    List(ListEvents),
    /// Print the events as they come, one a line: seq, type, gist.
    Stream(StreamEvents),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The deployed Agent (adep_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_AGENT_DEPLOYMENT_ID", value_parser = word::<AgentDeploymentId>())]
    pub(crate) agent_deployment: AgentDeploymentId,
    #[command(flatten)]
    pub(crate) principal: Principal,
    /// A title for people.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The deployment's revision to pin; without it the current one.
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
    /// Print the Session as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

// With one value alone, it is the text and the Session comes from the environment.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct Steer {
    /// The Session (sess_…); may be left out where the environment names it.
    #[arg(required = true, env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session: SessionId,
    /// What to say.
    #[arg(required = true)]
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) principal: Principal,
    /// Print the accepted event as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) session: Session,
    /// Stop at the first boundary: the Session ended, or is idle and can be driven again. Waiting for an action is none.
    /// What was settled before the Session's current work does not count; with --after, nothing up to that seq does.
    #[arg(long)]
    pub(crate) until_boundary: bool,
    /// Begin right after this seq, such as the one that steer printed; without it at the oldest retained event.
    #[arg(long, value_name = "SEQ", value_parser = seq)]
    pub(crate) after: Option<Seq>,
    /// Print each event as JSON, one a line, as the server sent it.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    #[command(flatten)]
    pub(crate) session: Session,
    #[command(flatten)]
    pub(crate) principal: Principal,
}

#[derive(Debug, Args)]
pub(crate) struct ListSessions {
    /// Only Sessions of this status.
    #[arg(long, value_parser = word::<SessionStatus>())]
    pub(crate) status: Option<SessionStatus>,
    /// Print each Session as JSON, one a line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Retrieve {
    #[command(flatten)]
    pub(crate) session: Session,
    /// Print the Session as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListEvents {
    /// The Session (sess_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session_id: SessionId,
    /// Begin right after this seq.
    #[arg(long, value_name = "SEQ", value_parser = seq)]
    pub(crate) after: Option<Seq>,
    /// Print at most this many events; without it all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Print each event as JSON, one a line, as the server sent it.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StreamEvents {
    /// The Session (sess_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session_id: SessionId,
    /// Begin right after this seq; without it at the oldest retained event.
    #[arg(long, value_name = "SEQ", value_parser = seq)]
    pub(crate) from: Option<Seq>,
    /// Print each event as JSON, one a line, as the server sent it.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListThreads {
    /// The Session (sess_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session_id: SessionId,
    /// Print at most this many threads; without it all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Print each thread as JSON, one a line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Thread {
    /// The Session (sess_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session_id: SessionId,
    #[command(flatten)]
    pub(crate) thread: ThreadId,
    /// Print the thread as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListThreadEvents {
    #[command(flatten)]
    pub(crate) thread: ThreadId,
    #[command(flatten)]
    pub(crate) list: ListEvents,
}

#[derive(Debug, Args)]
pub(crate) struct StreamThreadEvents {
    #[command(flatten)]
    pub(crate) thread: ThreadId,
    #[command(flatten)]
    pub(crate) stream: StreamEvents,
}

#[derive(Debug, Args)]
pub(crate) struct ThreadId {
    /// The thread (sthr_…).
    #[arg(long, value_name = "ID", value_parser = word::<SessionThreadId>())]
    pub(crate) thread_id: SessionThreadId,
}

#[derive(Debug, Args)]
pub(crate) struct Session {
    /// The Session (sess_…).
    #[arg(value_name = "SESSION", env = "CHECKFU_SESSION_ID", value_parser = word::<SessionId>())]
    pub(crate) session: SessionId,
}

#[derive(Debug, Args)]
pub(crate) struct Principal {
    /// The Principal to act and write as (prin_…).
    #[arg(long, value_name = "ID", env = "CHECKFU_PRINCIPAL_ID", value_parser = word::<PrincipalId>())]
    pub(crate) principal: PrincipalId,
}

/// A value that is not empty; what it may be is the server's to say.
fn word<T>() -> impl TypedValueParser<Value = T>
where
    T: for<'t> From<&'t str> + Clone + Send + Sync + 'static,
{
    NonEmptyStringValueParser::new().map(|text| T::from(text.as_str()))
}

fn seq(text: &str) -> Result<Seq, String> {
    let seq = text.parse().ok().and_then(Seq::new);
    seq.ok_or_else(|| format!("a seq is a whole number from 0 to {}", Seq::MAX))
}
