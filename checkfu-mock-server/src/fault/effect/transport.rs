//! What happens to connections and their bytes.

use serde::{Deserialize, Serialize};

/// The connection ends at a point of the answer, or falls silent there. With HTTP/2 only the stream of this request is
/// reset, except in the head, where the whole connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// How it ends.
    pub how: How,
    /// Where it ends.
    pub at: Point,
    /// How much of what `at` names has gone out by then: bytes or events. Default 0.
    #[serde(default)]
    pub after: u64,
}

impl Cut {
    /// A connection that ends at this point.
    pub fn new(how: How, at: Point) -> Self {
        Self { how, at, after: 0 }
    }

    /// The same after so many bytes or events.
    #[must_use]
    pub fn after(mut self, count: u64) -> Self {
        self.after = count;
        self
    }
}

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// RST.
    Reset,
    /// FIN.
    Close,
    /// Nothing more comes, and nothing is closed until the server stops.
    Silence,
}

/// Where a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Point {
    /// Before the request is carried out. On a connection: before any request on it is read.
    Request,
    /// After it was carried out and before any byte of its answer: a lost acknowledgement.
    Answer,
    /// `after` bytes into the answer, head included.
    Head,
    /// `after` bytes into the answer's body.
    Body,
    /// After `after` events of a stream, between two frames.
    Event,
    /// In the middle of the event that comes after `after` others.
    MidEvent,
}

/// Bytes go out in small pieces, each as its own write: the head, the framing of HTTP and the body alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// How many bytes at a time; at least 1.
    pub bytes: u32,
    /// What to wait between two pieces, in milliseconds. Default 0.
    #[serde(default)]
    pub pause_milliseconds: u64,
    /// Pieces of 1 to `bytes` bytes instead, as the seed decides. Default false.
    #[serde(default)]
    pub random: bool,
}

/// Nothing happens for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// How long, in milliseconds of real time.
    pub milliseconds: u64,
    /// Whether the request is carried out before the wait. Default false.
    #[serde(default)]
    pub run: bool,
}

/// Bytes of any kind instead of an answer; the request is not carried out. HTTP/1.1 only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// The bytes.
    pub text: String,
    /// How the connection ends after them.
    pub then: How,
}

/// An informational response before the answer. HTTP/1.1 only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Informational {
    /// 100, 102 to 199.
    pub status: u16,
}
