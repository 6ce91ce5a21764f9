use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Writes down what the SDK tells `tracing`: each span when it is made, and each event behind the span that it stands in.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    told: Vec<String>,
    levels: Vec<Level>,
    /// The names of the spans, by their ids.
    spans: Vec<&'static str>,
    entered: Vec<Id>,
}

struct Line<'l>(&'l mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => write!(self.0, "{value:?}").unwrap(),
            name => write!(self.0, " {name}={value:?}").unwrap(),
        }
    }
}

impl Recorder {
    /// What was told since this was asked last.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().told)
    }

    /// The name of the span that is entered now.
    pub(crate) fn span(&self) -> Option<&'static str> {
        self.0.lock().unwrap().span()
    }

    /// The levels of all that was told.
    pub(crate) fn levels(&self) -> Vec<Level> {
        self.0.lock().unwrap().levels.clone()
    }
}

impl State {
    fn span(&self) -> Option<&'static str> {
        let id = self.entered.last()?;
        Some(self.spans[usize::try_from(id.into_u64()).unwrap() - 1])
    }

    fn tell(&mut self, level: &Level, fields: impl FnOnce(&mut Line<'_>), name: &str) {
        let mut text = name.to_owned();
        fields(&mut Line(&mut text));
        self.told.push(text);
        self.levels.push(*level);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("checkfu_sdk")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut state = self.0.lock().unwrap();
        let metadata = span.metadata();
        state.spans.push(metadata.name());
        state.tell(metadata.level(), |line| span.record(line), metadata.name());
        Id::from_u64(state.spans.len() as u64)
    }

    fn event(&self, event: &Event<'_>) {
        let mut state = self.0.lock().unwrap();
        let before = state.span().map_or_else(String::new, |span| format!("{span}: "));
        state.tell(event.metadata().level(), |line| event.record(line), &before);
    }

    fn enter(&self, id: &Id) {
        self.0.lock().unwrap().entered.push(id.clone());
    }

    fn exit(&self, id: &Id) {
        let mut state = self.0.lock().unwrap();
        if let Some(place) = state.entered.iter().rposition(|entered| entered == id) {
            state.entered.remove(place);
        }
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
}
