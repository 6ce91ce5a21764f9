//! What is printed, and how.

mod gist;

use std::{
    fmt::Display,
    io::{self, Write},
};

use checkfu_sdk::{Event, Session, model::SessionThread};

use self::gist::gist;

/// Prints the members that are there, one a line.
macro_rules! members {
    ($($name:literal = $value:expr,)+) => {{
        $(member($name, $value.as_ref().map(|value| value as &dyn Display))?;)+
        Ok(())
    }};
}

/// How events, Sessions and threads are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// One line of JSON, as the server sent it.
    Json,
}

impl Form {
    pub(crate) fn new(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// An event on one line.
    pub(crate) fn event(self, event: &Event) -> io::Result<()> {
        match self {
            Self::Text => {
                let (seq, kind) = (event.seq(), event.event_type());
                line(format_args!("{seq:>6}  {kind:<28}  {}", gist(event)))
            }
            Self::Json => json(event.raw_json()),
        }
    }

    /// A Session on one line.
    pub(crate) fn session(self, session: &Session) -> io::Result<()> {
        match self {
            Self::Text => {
                let status = session.status().map_or("-", |status| status.as_str());
                let title = session.title().unwrap_or_default();
                line(format_args!("{}  {status:<12}  {title}", session.id()))
            }
            Self::Json => json(session.raw_json()),
        }
    }

    /// A Session with all that people ask of it.
    pub(crate) fn whole_session(self, session: &Session) -> io::Result<()> {
        match self {
            Self::Text => members! {
                "id" = Some(session.id()),
                "status" = session.status(),
                "stop_reason" = session.stop_reason(),
                "title" = session.title(),
                "agent_deployment" = session.agent_deployment_id(),
                "revision" = session.agent_deployment_revision_number(),
                "principal" = session.principal_id(),
                "workspace" = session.workspace_id(),
                "first_seq" = session.first_seq(),
                "last_seq" = session.last_seq(),
                "created_at" = session.created_at(),
                "updated_at" = session.updated_at(),
            },
            Self::Json => json(session.raw_json()),
        }
    }

    /// A thread on one line.
    pub(crate) fn thread(self, thread: &SessionThread) -> io::Result<()> {
        match self {
            Self::Text => {
                let status = thread.status().map_or("-", |status| status.as_str());
                let parent = match (thread.is_primary(), thread.parent_thread_id()) {
                    (Some(true), _) => "primary",
                    (_, parent) => parent.map_or("-", |parent| parent.as_str()),
                };
                line(format_args!("{}  {status:<12}  {parent}", thread.id()))
            }
            Self::Json => json(thread.raw_json()),
        }
    }

    /// A thread with all that people ask of it.
    pub(crate) fn whole_thread(self, thread: &SessionThread) -> io::Result<()> {
        let agent = thread.agent();
        match self {
            Self::Text => members! {
                "id" = Some(thread.id()),
                "status" = thread.status(),
                "stop_reason" = thread.stop_reason(),
                "session" = thread.session_id(),
                "parent" = thread.parent_thread_id(),
                "agent" = agent.and_then(|agent| agent.id.as_ref()),
                "agent_version" = agent.and_then(|agent| agent.version),
                "created_at" = thread.created_at(),
                "updated_at" = thread.updated_at(),
                "archived_at" = thread.archived_at(),
            },
            Self::Json => json(thread.raw_json()),
        }
    }
}

/// One line on standard output, whatever stands in `content`.
pub(crate) fn line(content: impl Display) -> io::Result<()> {
    let content = content.to_string();
    let content = content.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
    writeln!(io::stdout().lock(), "{}", printable(content.trim_end()))
}

/// A text on standard output, its lines kept.
pub(crate) fn text(text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable(text))
}

/// Something to know that is no result, on standard error. Where that is closed, nobody wants to know.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Asks a person for input.
pub(crate) fn prompt() {
    let mut out = io::stderr().lock();
    let _ = out.write_all(b"> ").and_then(|()| out.flush());
}

/// JSON on one line: a line break in it can only stand between its tokens.
fn json(raw: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", raw.replace(['\n', '\r'], " "))
}

/// A member of a resource on one line, if it is there.
fn member(name: &str, value: Option<&dyn Display>) -> io::Result<()> {
    match value {
        Some(value) => line(format_args!("{name:<18}  {value}")),
        None => Ok(()),
    }
}

/// `text` without the control characters that would steer a terminal.
fn printable(text: &str) -> String {
    let shown = |character: char| match character {
        '\n' | '\t' => character,
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_reach_no_terminal() {
        assert_eq!(
            printable("a\u{1b}[2Jb\u{9b}\r\n\té"),
            "a\u{fffd}[2Jb\u{fffd}\u{fffd}\n\té"
        );
    }
}
