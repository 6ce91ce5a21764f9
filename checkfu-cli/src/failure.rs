//! Why a command stopped, and the exit code that says so.

use std::{convert::Infallible, error::Error, fmt::Write, io, process::ExitCode};

use checkfu_sdk::{Seq, SessionId, error::ConfigError, follow::FollowError, model::LogId};

use crate::output;

/// Why a command stopped before it was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("no API key: set the variable CHECKFU_API_KEY")]
    MissingKey,
    #[error(transparent)]
    Api(checkfu_sdk::Error),
    #[error("{}", unsettled(.log, *.after))]
    Unsettled {
        log: LogId,
        after: Option<Seq>,
        #[source]
        cause: Option<checkfu_sdk::Error>,
    },
    #[error("the follow stopped")]
    Follow(#[source] FollowError<Infallible>),
    #[error("standard input cannot be read")]
    Input(#[source] io::Error),
    #[error("standard output cannot be written")]
    Output(#[from] io::Error),
    #[error("the runtime cannot be started")]
    Runtime(#[source] io::Error),
}

impl Failure {
    /// A follow of `session` that ended without a settlement.
    pub(crate) fn of_follow(session: &SessionId, after: Option<Seq>, error: FollowError<Infallible>) -> Self {
        let unsettled = |after, cause| Self::Unsettled {
            log: LogId::of_session(session),
            after,
            cause,
        };
        match error {
            FollowError::StreamEnded { after } => unsettled(after, None),
            FollowError::ReconnectsSpent(error) => unsettled(after, Some(error)),
            FollowError::Read(error) => Self::from(error),
            other => Self::Follow(other),
        }
    }

    /// Says on standard error what happened. A reader of standard output that went away needs no telling.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.is_closed_output() {
            output::note(&self.message());
        }
        ExitCode::from(self.code())
    }

    fn code(&self) -> u8 {
        match self {
            Self::MissingKey | Self::Api(checkfu_sdk::Error::Config(_)) | Self::Input(_) => 2,
            Self::Unsettled { .. } => 3,
            // What a shell reports for a program that SIGPIPE ended.
            Self::Output(_) if self.is_closed_output() => 141,
            Self::Api(_) | Self::Follow(_) | Self::Output(_) | Self::Runtime(_) => 1,
        }
    }

    fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    fn message(&self) -> String {
        let mut message = format!("checkfu: {self}");
        let mut cause = self.source();
        while let Some(error) = cause {
            // Writing to a string cannot fail.
            let _ = write!(message, "\n  because: {error}");
            cause = error.source();
        }
        if let Some(error) = self.api_error() {
            if let Some(id) = error.request_id().filter(|id| !message.contains(id.as_str())) {
                let _ = write!(message, "\n  request: {id}");
            }
            let answer = if error.is_retryable() { "yes" } else { "no" };
            let _ = write!(message, "\n  retryable: {answer}");
        }
        message
    }

    fn api_error(&self) -> Option<&checkfu_sdk::Error> {
        match self {
            Self::Api(checkfu_sdk::Error::Config(_)) => None,
            Self::Api(error) => Some(error),
            Self::Unsettled { cause, .. } => cause.as_ref(),
            _ => None,
        }
    }
}

impl From<checkfu_sdk::Error> for Failure {
    fn from(error: checkfu_sdk::Error) -> Self {
        match error {
            checkfu_sdk::Error::Config(error) if matches!(*error, ConfigError::MissingApiKey) => {
                Self::MissingKey
            }
            error => Self::Api(error),
        }
    }
}

fn unsettled(log: &LogId, after: Option<Seq>) -> String {
    let (session, after) = (&log.session_id, after.unwrap_or_default());
    match &log.session_thread_id {
        None => format!(
            "the stream ended before the Session settled; to go on: checkfu session follow {session} --after {after}"
        ),
        Some(thread) => format!(
            "the stream ended before the thread did; to go on: checkfu session threads events stream \
             --session-id {session} --thread-id {thread} --from {after}"
        ),
    }
}
