//! The SDK's one error type and its parts.

mod api;
mod attempts;
mod config;
mod key;
mod log;
mod protocol;
mod questioned_prompt;
mod transport;

pub use api::{ApiError, ErrorCode};
pub use attempts::{Attempts, StopCause};
pub use config::ConfigError;
pub use key::KeyError;
pub use log::{CursorGap, Divergence};
pub use protocol::{DecodeError, ProtocolError};
pub use questioned_prompt::{PromptFinding, PromptFindingKind, QuestionedPrompt};
pub use transport::{Limit, TransportError, TransportErrorKind};

pub(crate) use api::ErrorBody;
pub(crate) use protocol::ProtocolErrorKind;

use std::time::Duration;

use http::StatusCode;

use crate::model::RequestId;

/// The SDK's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that can go wrong between the caller and the API.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client or the call was set up wrongly; nothing was sent.
    #[error(transparent)]
    Config(Box<ConfigError>),
    /// The server answered, and refused.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The key provider gave no key.
    #[error(transparent)]
    Key(Box<KeyError>),
    /// No whole answer arrived.
    #[error(transparent)]
    Transport(Box<TransportError>),
    /// An answer that should be JSON of a known shape is not.
    #[error(transparent)]
    Decode(Box<DecodeError>),
    /// The server broke a rule of the protocol.
    #[error(transparent)]
    Protocol(Box<ProtocolError>),
    /// The log does not reach the cursor, or no longer does. Fatal: never skipped, never clamped.
    #[error(transparent)]
    CursorGap(Box<CursorGap>),
    /// The log is not the one that was followed before. Fatal.
    #[error(transparent)]
    Divergence(Box<Divergence>),
}

impl Error {
    /// Whether the same call could succeed later (`WIRE-2`, `WIRE-7`).
    ///
    /// True for `429`, `503` and other `5xx` answers, unless the body says otherwise, for failures of the transport, and
    /// for those of a key provider that says so; false for every other status, a `409` above all, whatever the body says. The client itself repeats
    /// nothing else.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Api(error) => error.is_retryable(),
            Self::Key(error) => error.is_retryable(),
            Self::Transport(error) => error.is_retryable(),
            _ => false,
        }
    }

    /// The id under which the server knows the request, if an answer arrived.
    pub fn request_id(&self) -> Option<&RequestId> {
        match self {
            Self::Api(error) => error.request_id(),
            Self::Decode(error) => error.request_id(),
            Self::Protocol(error) => error.request_id(),
            Self::CursorGap(error) => error.cause().request_id(),
            _ => None,
        }
    }

    /// The status of the answer that refused the call.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Api(error) => Some(error.status()),
            Self::CursorGap(error) => Some(error.cause().status()),
            _ => None,
        }
    }

    /// How long the server asks to wait before another try.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api(error) => error.retry_after(),
            _ => None,
        }
    }

    /// How often the call was tried, for how long, and why no more; `None` if nothing was sent.
    pub fn attempts(&self) -> Option<Attempts> {
        match self {
            Self::Api(error) => error.attempts(),
            Self::Key(error) => error.attempts(),
            Self::Transport(error) => error.attempts(),
            _ => None,
        }
    }

    pub(crate) fn with_attempts(mut self, attempts: Attempts) -> Self {
        match &mut self {
            Self::Api(error) => error.set_attempts(attempts),
            Self::Key(error) => error.set_attempts(attempts),
            Self::Transport(error) => error.set_attempts(attempts),
            _ => {}
        }
        self
    }
}

macro_rules! boxed_from {
    ($($variant:ident($error:ty),)+) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )+};
}

boxed_from! {
    Config(ConfigError),
    Api(ApiError),
    Key(KeyError),
    Transport(TransportError),
    Decode(DecodeError),
    Protocol(ProtocolError),
    CursorGap(CursorGap),
    Divergence(Divergence),
}
