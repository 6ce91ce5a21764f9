use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use serde_json::Value;

use super::{
    entry::{FORMAT, Header, Line, Named, OLDEST},
    operation::{Gathered, Operation},
    problem::{InvalidHistory, Problem},
};
use crate::{json, stimulus::event::Event};

/// What several processes did to one server, in the order in which it happened.
///
/// As text it is JSONL: a header, then a line for each phase of an operation; before an envelope is named for the first
/// time a line gives it in full.
///
/// ```
/// use checkfu_conformance::model::{History, check};
///
/// let history = History::parse(concat!(
///     r#"{"format":1,"suite":"0.1.0","url":"http://127.0.0.1:4010","run":"r","seed":7,"history":0}"#, "\n",
///     r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"list":{"session":"sess_1","limit":2,"walk":"page"}}}"#, "\n",
///     r#"{"envelope":"b","event":{"seq":2,"id":"evt_b","type":"t"}}"#, "\n",
///     r#"{"envelope":"a","event":{"seq":1,"id":"evt_a","type":"t"}}"#, "\n",
///     r#"{"t":2,"process":0,"op":0,"phase":"ok","seen":{"pages":{"pages":[["b","a"]],"end":"last"}}}"#, "\n",
/// ))?;
/// assert_eq!(check(&history).findings[0].anomaly, "nonmonotonic");
/// # Ok::<(), checkfu_conformance::model::InvalidHistory>(())
/// ```
#[derive(Debug, Clone)]
pub struct History {
    header: Header,
    lines: Vec<Line>,
    operations: Vec<Operation>,
    events: HashMap<String, Arc<Event>>,
}

impl History {
    /// Reads a history.
    ///
    /// # Errors
    /// [`InvalidHistory`] names the first line that does not fit, and what would.
    pub fn parse(text: &str) -> Result<Self, InvalidHistory> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let Some((_, first)) = lines.next() else {
            return Err(InvalidHistory::at(1, Problem::Empty));
        };
        if let Some(key) = json::repeated_key(first.as_bytes()) {
            return Err(InvalidHistory::at(1, Problem::RepeatedKey(key)));
        }
        let header: Header = serde_json::from_str(first)
            .map_err(|error| InvalidHistory::at(1, Problem::Header(error.to_string())))?;
        if !(OLDEST..=FORMAT).contains(&header.format) {
            return Err(InvalidHistory::at(1, Problem::Format(header.format)));
        }
        let lines: Result<Vec<Line>, InvalidHistory> = lines
            .map(|(number, line)| read(line).map_err(|problem| InvalidHistory::at(number, problem)))
            .collect();
        Self::new(header, lines?)
    }

    /// Puts a history together; its lines are numbered from 2 on, the header being the first.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn new(header: Header, lines: Vec<Line>) -> Result<Self, InvalidHistory> {
        let mut events = HashMap::new();
        let mut gathered = Gathered::default();
        let mut before = 0;
        for (index, line) in lines.iter().enumerate() {
            let number = index + 2;
            let refuse = |problem| InvalidHistory::at(number, problem);
            match line {
                Line::Envelope { envelope, event } => {
                    let event = Event::read(event).map_err(|fault| refuse(Problem::Envelope(fault)))?;
                    if events.insert(envelope.clone(), Arc::new(event)).is_some() {
                        return Err(refuse(Problem::NamedTwice(envelope.clone())));
                    }
                }
                Line::Entry(entry) => {
                    if entry.t < before {
                        return Err(refuse(Problem::TimeGoesBack));
                    }
                    before = entry.t;
                    if let Some(name) = entry.names().find(|name| !events.contains_key(*name)) {
                        return Err(refuse(Problem::UnknownEnvelope(name.to_owned())));
                    }
                    gathered.take(number, entry).map_err(refuse)?;
                }
            }
        }
        Ok(Self {
            header,
            lines,
            operations: gathered.into_operations(),
            events,
        })
    }

    /// Where it comes from.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its lines behind the header.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// As text.
    pub fn to_jsonl(&self) -> String {
        let mut text = String::new();
        // Maps with text keys and numbers always become JSON.
        let mut put = |line: serde_json::Result<String>| {
            let _ = writeln!(text, "{}", line.unwrap_or_default());
        };
        put(serde_json::to_string(&self.header));
        for line in &self.lines {
            put(serde_json::to_string(line));
        }
        text
    }

    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    // Every name was looked up when the history was put together.
    pub(crate) fn event(&self, name: &str) -> Option<&Arc<Event>> {
        self.events.get(name)
    }
}

fn read(line: &str) -> Result<Line, Problem> {
    let value: Value = json::read(line.as_bytes()).map_err(|error| Problem::Json(error.to_string()))?;
    if let Some(key) = json::repeated_key(line.as_bytes()) {
        return Err(Problem::RepeatedKey(key));
    }
    if value.get("envelope").is_some() {
        let named: Named = serde_json::from_value(value).map_err(|error| Problem::Line(error.to_string()))?;
        return Ok(Line::Envelope {
            envelope: named.envelope,
            event: named.event,
        });
    }
    let entry = serde_json::from_value(value).map_err(|error| Problem::Line(error.to_string()))?;
    Ok(Line::Entry(entry))
}

#[cfg(test)]
mod tests;
