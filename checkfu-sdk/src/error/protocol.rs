use std::error::Error as StdError;
use std::fmt;

use crate::model::{RequestId, Seq};
use crate::sse::BlockTooLarge;

/// An answer that should be JSON of a known shape is not.
#[derive(Debug, thiserror::Error)]
#[error("{what} cannot be read{}", Suffix(.request_id))]
pub struct DecodeError {
    what: &'static str,
    request_id: Option<RequestId>,
    source: Box<dyn StdError + Send + Sync>,
}

impl DecodeError {
    pub(crate) fn new(
        what: &'static str,
        request_id: Option<RequestId>,
        source: Box<dyn StdError + Send + Sync>,
    ) -> Self {
        Self {
            what,
            request_id,
            source,
        }
    }

    /// The id of the request whose answer it was.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }
}

/// The server broke a rule of the protocol (`A-CLI`, `A-LIST`).
#[derive(Debug, thiserror::Error)]
#[error("{kind}{}", Suffix(.request_id))]
pub struct ProtocolError {
    kind: ProtocolErrorKind,
    request_id: Option<RequestId>,
}

/// The rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ProtocolErrorKind {
    #[error("the answer is {found}, not an event stream")]
    NotAnEventStream { found: String },
    #[error("the frame's id {id:?} is not the seq {seq} of its event")]
    SequenceMismatch { id: String, seq: Seq },
    #[error("the frame with id {id:?} holds no event with a seq: {reason}")]
    UnreadableFrame { id: String, reason: String },
    #[error(transparent)]
    FrameTooLarge(#[from] BlockTooLarge),
    #[error("the list gave the page token {token:?} twice")]
    RepeatedPage { token: String },
    #[error("the list gave a page token of more than {limit} bytes")]
    PageTokenTooLong { limit: usize },
    #[error("the list gave {count} empty pages in a row and still names a next one")]
    OnlyEmptyPages { count: usize },
}

impl ProtocolError {
    pub(crate) fn new(kind: ProtocolErrorKind, request_id: Option<RequestId>) -> Self {
        Self { kind, request_id }
    }

    /// The id of the request whose answer it was.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }

    /// The cap that a frame of the stream passed, if that is what happened.
    pub fn frame_too_large(&self) -> Option<BlockTooLarge> {
        match self.kind {
            ProtocolErrorKind::FrameTooLarge(error) => Some(error),
            _ => None,
        }
    }

    /// The page token that came twice, if that is what happened.
    pub fn repeated_page(&self) -> Option<&str> {
        match &self.kind {
            ProtocolErrorKind::RepeatedPage { token } => Some(token),
            _ => None,
        }
    }
}

/// ` [request …]`, if the request is known.
struct Suffix<'r>(&'r Option<RequestId>);

impl fmt::Display for Suffix<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(request_id) => write!(formatter, " [request {request_id}]"),
            None => Ok(()),
        }
    }
}
