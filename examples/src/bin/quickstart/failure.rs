//! Why the quickstart stopped.

use std::{io, path::PathBuf};

use checkfu_mock_server::StartError;
use checkfu_sdk::{cursor::SqliteCursorError, follow::FollowError};

/// Why the quickstart stopped. Running it again on the same directory goes on where it stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{} cannot be created", path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("the follower's database")]
    Database(#[from] sqlx::Error),
    #[error("the follower's cursor")]
    Cursor(#[from] SqliteCursorError),
    #[error("this directory follows a Session of {bound}, not of {asked}: give another --dir")]
    OtherServer { bound: String, asked: String },
    #[error("the reference server did not start")]
    Server(#[from] StartError),
    #[error("the relay did not start")]
    Relay(#[source] io::Error),
    #[error("the API")]
    Api(#[from] checkfu_sdk::Error),
    #[error("following the Session stopped; run again to go on from the stored cursor")]
    Follow(#[source] FollowError<SqliteCursorError>),
    #[error("the server gave the input seq {seq}, which is no seq of an event")]
    Seq { seq: i64 },
}
