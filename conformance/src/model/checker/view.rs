use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::work;
use crate::{
    model::history::{Block, Call, History, Operation, Phase, Seen},
    stimulus::event::Event,
};

/// A history as what was read and what was written.
pub(super) struct View<'h> {
    pub(super) history: &'h History,
    pub(super) reads: Vec<Read<'h>>,
    /// Everything that any read showed of a Session, by seq; the first envelope seen under a seq counts.
    pub(super) logs: BTreeMap<&'h str, BTreeMap<u64, Sighting<'h>>>,
    /// Every message, by its token.
    pub(super) messages: BTreeMap<&'h str, Message<'h>>,
    /// The places of reads, by Session.
    places: HashMap<&'h str, Vec<usize>>,
    /// Those of the whole lists.
    whole: HashMap<&'h str, Vec<usize>>,
    /// The highest number that each id has in a Session.
    numbers: HashMap<(&'h str, &'h str), u64>,
}

/// A walk through the list, or a stretch of a stream.
pub(super) struct Read<'h> {
    pub(super) operation: &'h Operation,
    pub(super) session: &'h str,
    pub(super) after: u64,
    pub(super) source: Source<'h>,
    /// As delivered, whatever the order.
    pub(super) events: Vec<&'h Event>,
    /// The highest seq that it showed, its cursor if none.
    pub(super) head: u64,
}

pub(super) enum Source<'h> {
    /// The lengths of the pages, and whether the last one was reached.
    List {
        pages: Vec<usize>,
        whole: bool,
    },
    Stream {
        blocks: &'h [Block],
        previews: bool,
    },
}

/// Who saw an event.
pub(super) struct Sighting<'h> {
    pub(super) event: &'h Event,
    pub(super) first: &'h Operation,
    /// The list that ended first of those that show it.
    pub(super) list: Option<&'h Operation>,
    /// A stream without previews.
    pub(super) plain_stream: bool,
}

/// A logical call that appends a message.
pub(super) struct Message<'h> {
    pub(super) session: &'h str,
    /// Every time that it was sent.
    pub(super) attempts: Vec<&'h Operation>,
    /// What was sent, as far as it was written down.
    pub(super) sent: Vec<&'h Value>,
    /// Where it was seen: the Session, the event and the read.
    pub(super) copies: Vec<(&'h str, &'h Event, &'h Operation)>,
}

impl<'h> View<'h> {
    pub(super) fn of(history: &'h History) -> Self {
        let reads: Vec<_> = history
            .operations()
            .iter()
            .filter_map(|operation| Read::of(history, operation))
            .collect();
        let mut logs: BTreeMap<&str, BTreeMap<u64, Sighting<'_>>> = BTreeMap::new();
        for read in &reads {
            let log = logs.entry(read.session).or_default();
            for event in &read.events {
                log.entry(event.seq)
                    .or_insert_with(|| Sighting::new(event, read.operation))
                    .note(read);
            }
        }
        let messages = messages(history, &logs);
        let mut numbers = HashMap::new();
        for (session, log) in &logs {
            // In their order, so the highest stays.
            numbers.extend(
                log.values()
                    .map(|known| ((*session, known.event.id.as_str()), known.event.seq)),
            );
        }
        let (mut places, mut whole) = (HashMap::<&str, Vec<_>>::new(), HashMap::<&str, Vec<_>>::new());
        for (place, read) in reads.iter().enumerate() {
            places.entry(read.session).or_default().push(place);
            if read.after == 0 && read.is_whole_list() {
                whole.entry(read.session).or_default().push(place);
            }
        }
        Self {
            history,
            reads,
            logs,
            messages,
            places,
            whole,
            numbers,
        }
    }

    /// In the order in which they began.
    pub(super) fn operations(&self) -> impl Iterator<Item = &'h Operation> {
        self.history.operations().iter().inspect(|_| work::step())
    }

    /// The reads of a Session, in the order in which they began.
    pub(super) fn reads_of(&self, session: &str) -> impl DoubleEndedIterator<Item = &Read<'h>> {
        self.at(self.places.get(session))
    }

    /// The messages that were sent to each Session.
    pub(super) fn messages_by_session(&self) -> HashMap<&'h str, Vec<&Message<'h>>> {
        let mut by_session: HashMap<&str, Vec<&Message<'_>>> = HashMap::new();
        for message in self.messages.values() {
            by_session.entry(message.session).or_default().push(message);
        }
        by_session
    }

    /// The highest number under which a Session shows this id.
    pub(super) fn number_of(&self, session: &str, id: &str) -> Option<u64> {
        self.numbers.get(&(session, id)).copied()
    }

    /// The walks through a Session's list from its start to its end, in the order in which they began.
    pub(super) fn whole_lists(&self, session: &str) -> impl DoubleEndedIterator<Item = &Read<'h>> {
        self.at(self.whole.get(session))
    }

    fn at<'v>(
        &'v self,
        places: Option<&'v Vec<usize>>,
    ) -> impl DoubleEndedIterator<Item = &'v Read<'h>> + use<'v, 'h> {
        let places = places.map_or(&[][..], Vec::as_slice).iter();
        let reads = places.filter_map(|place| self.reads.get(*place));
        reads.inspect(|_| work::step())
    }

    /// The last of them, if it began when this had ended.
    pub(super) fn last_list_behind(&self, session: &str, operation: &Operation) -> Option<&Read<'h>> {
        let last = self.whole_lists(session).next_back()?;
        operation.is_before(last.operation).then_some(last)
    }
}

impl<'h> Read<'h> {
    pub(super) fn is_whole_list(&self) -> bool {
        matches!(self.source, Source::List { whole: true, .. })
    }

    fn of(history: &'h History, operation: &'h Operation) -> Option<Self> {
        let (session, after, source, names): (_, _, _, Vec<&str>) =
            match (&operation.call, operation.seen.as_ref()?) {
                (Call::List { session, after, .. }, Seen::Pages { pages, end }) => {
                    let source = Source::List {
                        pages: pages.iter().map(Vec::len).collect(),
                        whole: *end == crate::model::history::WalkEnd::Last && operation.phase == Phase::Ok,
                    };
                    (
                        session,
                        *after,
                        source,
                        pages.iter().flatten().map(String::as_str).collect(),
                    )
                }
                (
                    Call::Stream {
                        session,
                        after,
                        previews,
                        ..
                    },
                    Seen::Blocks { blocks, .. },
                ) => {
                    let source = Source::Stream {
                        blocks,
                        previews: *previews,
                    };
                    let names = blocks.iter().filter_map(|block| block.event.as_deref()).collect();
                    (session, *after, source, names)
                }
                _ => return None,
            };
        let named = |name: &&str| history.event(name).map(std::convert::AsRef::as_ref);
        let events: Vec<&Event> = names.iter().filter_map(named).collect();
        let highest = events.iter().map(|event| event.seq).max();
        Some(Self {
            operation,
            session,
            after,
            source,
            head: highest.unwrap_or(after).max(after),
            events,
        })
    }
}

impl<'h> Sighting<'h> {
    fn new(event: &'h Event, first: &'h Operation) -> Self {
        Self {
            event,
            first,
            list: None,
            plain_stream: false,
        }
    }

    fn note(&mut self, read: &Read<'h>) {
        match read.source {
            Source::List { .. } => {
                let ends = |operation: &Operation| operation.completed.unwrap_or(usize::MAX);
                if self.list.is_none_or(|known| ends(read.operation) < ends(known)) {
                    self.list = Some(read.operation);
                }
            }
            Source::Stream { previews, .. } => self.plain_stream |= !previews,
        }
    }
}

impl Message<'_> {
    /// Whether its Session shows it by its token.
    pub(super) fn is_there(&self) -> bool {
        self.copies.iter().any(|(session, ..)| *session == self.session)
    }

    pub(super) fn is_refused(&self) -> bool {
        self.attempts.iter().all(|attempt| attempt.phase == Phase::Fail)
    }
}

/// The token of a message stands in its text, in parentheses.
fn messages<'h>(
    history: &'h History,
    logs: &BTreeMap<&'h str, BTreeMap<u64, Sighting<'h>>>,
) -> BTreeMap<&'h str, Message<'h>> {
    let mut messages: BTreeMap<&str, Message<'_>> = BTreeMap::new();
    for operation in history.operations() {
        if let Call::Append { session, token, sent } = &operation.call {
            let begun = || Message {
                session,
                attempts: Vec::new(),
                sent: Vec::new(),
                copies: Vec::new(),
            };
            let message = messages.entry(token).or_insert_with(begun);
            message.attempts.push(operation);
            message
                .sent
                .extend(sent.as_ref().filter(|sent| message.sent.last() != Some(sent)));
        }
    }
    for (session, log) in logs {
        for sighting in log.values() {
            for token in tokens(sighting.event) {
                if let Some(message) = messages.get_mut(token.as_str()) {
                    message.copies.push((session, sighting.event, sighting.first));
                }
            }
        }
    }
    messages
}

fn tokens(event: &Event) -> Vec<String> {
    let content = event.payload("/content").filter(|_| event.kind == "user.message");
    let text = content.map(ToString::to_string).unwrap_or_default();
    let parts = text.split('(').skip(1);
    parts
        .filter_map(|part| part.split_once(')'))
        .map(|(token, _)| token.to_owned())
        .collect()
}

/// The events that a history holds of a Session, in order.
pub(super) fn in_order<'v, 'h>(
    log: &'v BTreeMap<u64, Sighting<'h>>,
) -> impl Iterator<Item = &'h Event> + use<'v, 'h> {
    log.values().map(|sighting| sighting.event)
}
