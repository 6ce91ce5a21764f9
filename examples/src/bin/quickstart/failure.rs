//! Why the quickstart stopped, and what to do.

use std::{io, path::PathBuf};

use checkfu_mock_server::StartError;
use checkfu_sdk::{SessionId, cursor::SqlxCursorError, follow::FollowError};

/// Why the quickstart stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("the directory {} cannot be used; give another --dir", path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("another quickstart works in {}; wait for it or give another --dir", path.display())]
    Busy { path: PathBuf },
    #[error("the follower's database {} cannot be used; give another --dir", path.display())]
    Open { path: PathBuf, source: sqlx::Error },
    #[error("the follower's database broke off; run again to go on from the stored cursor")]
    Database(#[from] sqlx::Error),
    #[error("the follower's cursor cannot be used")]
    Cursor(#[from] SqlxCursorError),
    #[error("this directory follows a Session of {bound}, not of {asked}; give another --dir")]
    OtherServer { bound: String, asked: String },
    #[error(
        "the server does not know Session {session}, which this directory follows: its log was lost or is another's; \
         give another --dir"
    )]
    SessionGone {
        session: SessionId,
        source: checkfu_sdk::Error,
    },
    #[error("the reference server did not start in {}", path.display())]
    Server { path: PathBuf, source: StartError },
    #[error("the relay did not start")]
    Relay(#[source] io::Error),
    #[error("--url needs a deployment and a principal: set {variable} or give {flag}")]
    MissingId {
        variable: &'static str,
        flag: &'static str,
    },
    #[error("--url needs a key: set CHECKFU_API_KEY")]
    MissingKey,
    #[error("the server did not take the call")]
    Api(#[from] checkfu_sdk::Error),
    #[error("following the Session broke off; run again to go on from the stored cursor")]
    Interrupted(#[source] FollowError<SqlxCursorError>),
    #[error("this Session cannot be followed any further; give another --dir")]
    Follow(#[source] FollowError<SqlxCursorError>),
    #[error("the follow ended without a settlement; run again to go on from the stored cursor")]
    NotSettled,
    #[error("the stored input seq {seq} is no seq of an event")]
    Seq { seq: i64 },
}

impl Failure {
    /// Sorts a failed follow by what helps.
    pub(crate) fn follow(error: FollowError<SqlxCursorError>) -> Self {
        if error.is_retryable() {
            Self::Interrupted(error)
        } else {
            Self::Follow(error)
        }
    }

    /// Sorts a refused call on a Session that exists, as far as this directory knows.
    pub(crate) fn call(session: &SessionId, source: checkfu_sdk::Error) -> Self {
        match source.status() {
            Some(status) if status.as_u16() == 404 => Self::SessionGone {
                session: session.clone(),
                source,
            },
            _ => Self::Api(source),
        }
    }
}
