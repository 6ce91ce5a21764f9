//! What a fault does.

mod answer;
mod page;
mod stream;
mod transport;

use serde::Serialize;

pub use answer::{Answer, Headers, RequestHeaders, RetryAfter};
pub use page::{Page, PageEdit, Resume, Stale};
pub use stream::{Event, EventEdit, Format, Insert, LineEnds, Preview, PreviewEdit, Spacing};
pub use transport::{Cut, Delay, How, Informational, Point, Rate, Raw};

macro_rules! effects {
    ($($(#[$meta:meta])* $name:ident = $kind:literal;)*) => {
        /// What a fault does to the request that it meets. Each has a page of its own.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        #[non_exhaustive]
        pub enum Effect {
            $($(#[$meta])* #[serde(rename = $kind)] $name($name),)*
        }

        $(impl From<$name> for Effect {
            fn from(effect: $name) -> Self {
                Self::$name(effect)
            }
        })*

        impl Effect {
            /// Every kind.
            pub(crate) const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Reads the members of an effect of this kind; nothing if there is no such kind.
            pub(crate) fn read(
                kind: &str,
                members: serde_json::Value,
            ) -> Option<Result<Self, serde_path_to_error::Error<serde_json::Error>>> {
                match kind {
                    $($kind => Some(serde_path_to_error::deserialize(members).map(Self::$name)),)*
                    _ => None,
                }
            }
        }
    };
}

effects! {
    /// The connection ends, or falls silent.
    Cut = "cut";
    /// Bytes go out in small pieces.
    Rate = "rate";
    /// Nothing happens for a while.
    Delay = "delay";
    /// Bytes of any kind instead of an answer.
    Raw = "raw";
    /// A 1xx before the answer.
    Informational = "informational";
    /// HTTP/1.0, its body ended by the connection's end.
    OldHttp = "http_1_0";
    /// The connection takes no further requests: `connection: close`, with HTTP/2 GOAWAY.
    GoAway = "go_away";
    /// Another answer than the server's own.
    Answer = "answer";
    /// The answer's own head is changed.
    Headers = "headers";
    /// The request's own head is changed.
    RequestHeaders = "request_headers";
    /// A stream that resumes too early.
    Resume = "resume";
    /// A page of a list is changed.
    Page = "page";
    /// A replica that lags.
    Stale = "stale";
    /// A stream is written in another way that means the same.
    Format = "format";
    /// Text between the events of a stream.
    Insert = "insert";
    /// An event of a stream is changed.
    Event = "event";
    /// The previews of a stream are changed.
    Preview = "preview";
}

/// The answer is HTTP/1.0 without a length: its end is the connection's end. No effect on HTTP/2.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OldHttp {}

/// The connection takes no further requests after this one: with HTTP/1.1 it ends, with HTTP/2 it says GOAWAY.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoAway {}
