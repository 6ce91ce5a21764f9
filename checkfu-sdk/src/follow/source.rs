use std::sync::Arc;

use futures::StreamExt;

use super::catch_up::CatchUp;
use crate::error::Error;
use crate::model::Event;
use crate::settlement::Settlement;
use crate::stream::{EventStream, StreamState};

/// Where a follower's events come from: pages of the list while it is far behind, then the live stream (`FOL-10`).
pub(super) enum Source {
    List(Box<CatchUp>),
    Stream(Box<EventStream>),
}

/// Why a source gave no event.
pub(super) enum ReadFailure {
    /// A read of the list.
    List(Error),
    /// What ended the stream.
    Stream(Error),
}

impl Source {
    /// The next event; `None` where the stream ended in good order. It may be dropped at any time.
    pub(super) async fn next(&mut self) -> Result<Option<Arc<Event>>, ReadFailure> {
        loop {
            match self {
                Self::Stream(stream) => {
                    let event = stream.next().await.transpose().map_err(ReadFailure::Stream)?;
                    return Ok(event.map(Arc::new));
                }
                Self::List(catch_up) => match catch_up.next().await.map_err(ReadFailure::List)? {
                    Some(event) => return Ok(Some(Arc::new(event))),
                    None => *self = Self::Stream(Box::new(catch_up.stream())),
                },
            }
        }
    }

    /// What the Session or the child said of its work, if that is what ended the stream.
    pub(super) fn final_settlement(&self) -> Option<&Settlement> {
        match self {
            Self::List(_) => None,
            Self::Stream(stream) => stream.final_settlement(),
        }
    }

    pub(super) fn state(&self) -> StreamState {
        match self {
            Self::List(_) => StreamState::Idle,
            Self::Stream(stream) => stream.state(),
        }
    }
}
