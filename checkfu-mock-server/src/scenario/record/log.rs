//! The log of one Session, whatever way it was saved.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entry::Entry;
use super::error::RecordError;

/// A log in order.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) session: String,
    pub(super) entries: Vec<Entry>,
    /// In the order of their creation.
    pub(super) runs: Vec<RunOfLog>,
    /// In the order of their spawn.
    pub(super) children: Vec<ChildOfLog>,
}

/// A Run and where it begins.
#[derive(Debug)]
pub(super) struct RunOfLog {
    pub(super) id: String,
    pub(super) thread: Option<String>,
    pub(super) created: Entry,
}

/// A child thread.
#[derive(Debug)]
pub(super) struct ChildOfLog {
    pub(super) thread: String,
    pub(super) name: String,
    /// Which of its name it is, from 1.
    pub(super) number: u32,
}

impl Log {
    pub(super) fn read(logs: &[&str]) -> Result<Self, RecordError> {
        let mut entries: BTreeMap<(u64, String), Entry> = BTreeMap::new();
        let mut session: Option<String> = None;
        for (number, text) in (1..).zip(logs) {
            for value in values(text, number)? {
                let no_event = || RecordError::NoLog {
                    number,
                    line: 1,
                    problem: "an event has no id, seq and type".to_owned(),
                };
                let entry = Entry::of(&value).ok_or_else(no_event)?;
                if let Some(own) = value.get("session_id").and_then(Value::as_str) {
                    let first = session.get_or_insert_with(|| own.to_owned());
                    if first != own {
                        return Err(RecordError::SeveralSessions {
                            first: first.clone(),
                            second: own.to_owned(),
                        });
                    }
                }
                entries.insert((entry.seq, entry.id.clone()), entry);
            }
        }
        let entries: Vec<Entry> = entries.into_values().collect();
        Ok(Self {
            session: session.unwrap_or_else(|| "a Session".to_owned()),
            runs: runs(&entries),
            children: children(&entries),
            entries,
        })
    }

    /// The child whose thread this is; none for the primary.
    pub(super) fn child(&self, thread: Option<&str>) -> Option<&ChildOfLog> {
        self.children
            .iter()
            .find(|child| Some(child.thread.as_str()) == thread)
    }

    /// The events of a Run, in order.
    pub(super) fn of_run<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries
            .iter()
            .filter(move |entry| entry.run.as_deref() == Some(run))
    }

    /// What comes after a place in the log.
    pub(super) fn after(&self, seq: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.seq > seq)
    }

    pub(super) fn with_id(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }
}

fn runs(entries: &[Entry]) -> Vec<RunOfLog> {
    let created = entries.iter().filter(|entry| entry.kind == "run.created");
    let runs = created.filter_map(|entry| {
        Some(RunOfLog {
            id: entry.run.clone()?,
            thread: entry.thread.clone(),
            created: entry.clone(),
        })
    });
    runs.collect()
}

fn children(entries: &[Entry]) -> Vec<ChildOfLog> {
    let mut children: Vec<ChildOfLog> = Vec::new();
    for entry in entries
        .iter()
        .filter(|entry| entry.kind == "session.thread_created")
    {
        let (Some(thread), Some(name)) = (entry.text("/session_thread_id"), entry.text("/agent_name")) else {
            continue;
        };
        let before = children.iter().filter(|child| child.name == name).count();
        children.push(ChildOfLog {
            thread: thread.to_owned(),
            name: name.to_owned(),
            number: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1),
        });
    }
    children
}

/// The events of one text: JSON lines, an array, or pages.
fn values(text: &str, number: usize) -> Result<Vec<Value>, RecordError> {
    let mut events = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| RecordError::NoLog {
            number,
            line: error.line(),
            problem: error.to_string(),
        })?;
        match value {
            Value::Array(items) => events.extend(items),
            Value::Object(mut page) if !page.contains_key("seq") => match page.remove("data") {
                Some(Value::Array(items)) => events.extend(items),
                _ => events.push(Value::Object(page)),
            },
            other => events.push(other),
        }
    }
    Ok(events)
}
