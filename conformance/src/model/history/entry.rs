use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the form in which histories are written. Form 1 has neither what was sent nor keys, and is read too.
pub(crate) const FORMAT: u32 = 2;
/// The oldest version that is read.
pub(super) const OLDEST: u32 = 1;

/// Where a history comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the form.
    pub format: u32,
    /// Version of the suite that wrote it.
    pub suite: String,
    /// The server, without any key.
    pub url: String,
    /// Names the run in all that it made.
    pub run: String,
    /// The seed of the run.
    pub seed: u64,
    /// Which history of the run.
    pub history: u64,
}

/// A line behind the header.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// An envelope in full, under the name that later lines use for it.
    Envelope {
        /// Its name in this history.
        envelope: String,
        /// All of it.
        event: Value,
    },
    /// A phase of an operation.
    Entry(Entry),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    pub(super) envelope: String,
    pub(super) event: Value,
}

/// A phase of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Microseconds since the history began.
    pub t: u64,
    /// Who did it.
    pub process: u32,
    /// Number of the operation.
    pub op: u32,
    /// Which phase.
    pub phase: Phase,
    /// What was asked for; with `invoke` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// Why it failed or is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It begins.
    Invoke,
    /// It had its effect.
    Ok,
    /// It definitely had none.
    Fail,
    /// Nobody knows.
    Info,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the members are named as in the API")]
pub enum Call {
    /// A new Session.
    Create { agent: String },
    /// A message that says `(token)`; one token is one logical call, however often it is sent.
    Append {
        session: String,
        token: String,
        /// The type and the payload that were sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<Value>,
    },
    /// An event without a text of its own, such as an interrupt or an answer. What is sent again under its key is one
    /// input.
    Input {
        session: String,
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The type and the payload that were sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<Value>,
    },
    /// A fork of the head, or of the event with this seq.
    Fork {
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// A call that has to be refused.
    Wrong { session: String, what: String },
    /// A walk through the list.
    List {
        session: String,
        #[serde(default, skip_serializing_if = "is_zero")]
        after: u64,
        limit: u32,
        walk: Walk,
    },
    /// A stream behind a cursor.
    Stream {
        session: String,
        #[serde(default, skip_serializing_if = "is_zero")]
        after: u64,
        #[serde(default, skip_serializing_if = "is_false")]
        previews: bool,
        until: Until,
    },
}

/// How a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Walk {
    /// By `next_page`.
    Page,
    /// By the last seq as `after`.
    After,
}

/// How long a stream is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Until {
    /// Somewhere in the middle.
    Cut,
    /// Until the Session is at rest.
    Rest,
    /// Until this seq, which a list showed.
    Seq(u64),
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the members say what they are")]
pub enum Seen {
    /// The Session that was made.
    Session { id: String },
    /// The envelope of an acknowledgement.
    Accepted { event: String },
    /// An acknowledgement whose body is no envelope.
    Unnamed { status: u16 },
    /// The pages of a walk.
    Pages { pages: Vec<Vec<String>>, end: WalkEnd },
    /// The blocks of a stream. `end` is `cut` where the reader left as it meant to, `closed` or `broken` where the server
    /// ended it, `deadline` where what was awaited did not come in time.
    Blocks { blocks: Vec<Block>, end: StreamEnd },
}

/// Why a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalkEnd {
    /// The last page.
    Last,
    /// The reader had enough.
    Cut,
    /// The same token came again, or more pages than any log has.
    Endless,
}

/// Why a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamEnd {
    /// The reader left as it meant to.
    Cut,
    /// The server ended the body.
    Closed,
    /// The connection broke.
    Broken,
    /// What was awaited did not come in time.
    Deadline,
}

/// A block of an event stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its `id` line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The persisted envelope in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The type of the preview in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl Call {
    /// The Session that it is about; none for a creation.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Create { .. } => None,
            Self::Append { session, .. }
            | Self::Input { session, .. }
            | Self::Fork { session, .. }
            | Self::Wrong { session, .. }
            | Self::List { session, .. }
            | Self::Stream { session, .. } => Some(session),
        }
    }

    /// Whether what was seen can be seen of it.
    pub(super) fn fits(&self, seen: &Seen) -> bool {
        matches!(
            (self, seen),
            (Self::Create { .. } | Self::Fork { .. }, Seen::Session { .. })
                | (
                    Self::Append { .. } | Self::Input { .. },
                    Seen::Accepted { .. } | Seen::Unnamed { .. }
                )
                | (Self::List { .. }, Seen::Pages { .. })
                | (Self::Stream { .. }, Seen::Blocks { .. })
        )
    }
}

impl Entry {
    /// The envelopes that it names.
    pub(in crate::model) fn names(&self) -> impl Iterator<Item = &str> {
        let (mut one, mut pages, mut blocks) = (None, &[][..], &[][..]);
        match &self.seen {
            Some(Seen::Accepted { event }) => one = Some(event),
            Some(Seen::Pages { pages: seen, .. }) => pages = seen,
            Some(Seen::Blocks { blocks: seen, .. }) => blocks = seen,
            Some(Seen::Session { .. } | Seen::Unnamed { .. }) | None => {}
        }
        let blocks = blocks.iter().filter_map(|block: &Block| block.event.as_ref());
        let names = one.into_iter().chain(pages.iter().flatten()).chain(blocks);
        names.map(String::as_str)
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}
