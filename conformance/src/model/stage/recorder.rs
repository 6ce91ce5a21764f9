use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;

use crate::model::history::{Call, Entry, Header, History, InvalidHistory, Line, Phase, Seen};

/// Writes a history down while it happens.
#[derive(Debug)]
pub(super) struct Recorder {
    begun: Instant,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    lines: Vec<Line>,
    names: HashMap<String, String>,
    operations: u32,
}

/// An operation that has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    op: u32,
    process: u32,
}

/// How an operation ended.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) phase: Phase,
    pub(super) seen: Option<Seen>,
    pub(super) why: Option<String>,
}

impl Recorder {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            written: Mutex::default(),
        }
    }

    pub(super) fn begin(&self, process: u32, call: Call) -> Begun {
        let mut written = self.written();
        let op = written.operations;
        written.operations += 1;
        let entry = Entry {
            t: self.now(),
            process,
            op,
            phase: Phase::Invoke,
            call: Some(call),
            seen: None,
            why: None,
        };
        written.lines.push(Line::Entry(entry));
        Begun { op, process }
    }

    pub(super) fn end(&self, begun: Begun, ending: Ending) {
        let mut written = self.written();
        let entry = Entry {
            t: self.now(),
            process: begun.process,
            op: begun.op,
            phase: ending.phase,
            call: None,
            seen: ending.seen,
            why: ending.why,
        };
        written.lines.push(Line::Entry(entry));
    }

    /// The name of an envelope in this history.
    pub(super) fn name(&self, event: &Value) -> String {
        let mut written = self.written();
        let text = event.to_string();
        if let Some(name) = written.names.get(&text) {
            return name.clone();
        }
        let name = format!("e{}", written.names.len() + 1);
        written.names.insert(text, name.clone());
        written.lines.push(Line::Envelope {
            envelope: name.clone(),
            event: event.clone(),
        });
        name
    }

    pub(super) fn into_history(self, header: Header) -> Result<History, InvalidHistory> {
        let written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        History::new(header, written.lines)
    }

    // Taken under the lock, so that the lines are in the order of their times.
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ending {
    pub(super) fn ok(seen: Option<Seen>) -> Self {
        Self {
            phase: Phase::Ok,
            seen,
            why: None,
        }
    }

    pub(super) fn fail(why: impl Into<String>) -> Self {
        Self {
            phase: Phase::Fail,
            seen: None,
            why: Some(why.into()),
        }
    }

    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self {
            phase: Phase::Info,
            seen: None,
            why: Some(why.into()),
        }
    }
}
