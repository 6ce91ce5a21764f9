use std::fmt;
use std::sync::Arc;

use futures::StreamExt;

use super::delivery::Delivery;
use super::error::FollowError;
use super::progress::Progress;
use crate::cursor::CursorStore;
use crate::model::{Seq, Session};
use crate::settlement::Settlement;
use crate::stream::{EventStream, StreamState};

/// Follows a Session until its work is settled, one transaction an event (`FOL-1` to `FOL-8`).
///
/// No transaction and no connection of the database is held while the stream is silent. Dropping a follower
/// cancels its request; there is no task behind it (`FOL-7`).
pub struct Follower<S: CursorStore> {
    progress: Progress<S>,
    stream: EventStream,
    session: Option<Session>,
}

impl<S: CursorStore> Follower<S> {
    pub(super) fn new(progress: Progress<S>, stream: EventStream, session: Option<Session>) -> Self {
        Self {
            progress,
            stream,
            session,
        }
    }

    /// The next event that is not applied yet, in an open transaction; `None` once the work is settled.
    ///
    /// The durable cursor is read again under the lock, and an event that is at or below it is skipped without
    /// being handed out (`FOL-1`). `None` comes only after a settlement whose transaction committed, here or in
    /// another follower (`FOL-6`); [`settlement`](Self::settlement) then says what it was.
    ///
    /// # Errors
    ///
    /// [`FollowError`] tells a stream that ended, a stream whose reconnects were spent, other failed reads and
    /// the store apart. After an error, start a new follow.
    ///
    /// # Cancel safety
    ///
    /// It may be dropped at any time: an event that was read and not handed out comes with the next call.
    pub async fn next(&mut self) -> Result<Option<Delivery<'_, S>>, FollowError<S::Error>> {
        loop {
            if self.progress.settlement.is_some() {
                return Ok(None);
            }
            let event = match &self.progress.pending {
                Some(event) => Arc::clone(event),
                None => match self.stream.next().await {
                    Some(Ok(event)) => Arc::clone(self.progress.pending.insert(Arc::new(event))),
                    Some(Err(error)) => return Err(FollowError::stream(error)),
                    None if self.session_ended() => return Ok(None),
                    None => {
                        return Err(FollowError::StreamEnded {
                            after: self.progress.seen,
                        });
                    }
                },
            };
            let Progress { store, key, .. } = &self.progress;
            let mut transaction = store.begin().await.map_err(FollowError::Store)?;
            let stored = store
                .lock(&mut transaction, key)
                .await
                .map_err(FollowError::Store)?;
            if stored.seq() < self.progress.seen {
                return Err(FollowError::Rewound {
                    from: self.progress.seen,
                    to: stored.seq(),
                });
            }
            if Some(event.seq()) > stored.seq() {
                return Ok(Some(Delivery::new(
                    &mut self.progress,
                    transaction,
                    event,
                    stored,
                )));
            }
            store.commit(transaction).await.map_err(FollowError::Store)?;
            self.progress.applied(&event, stored);
        }
    }

    /// Whether the stream ended because the Session itself said that it is settled (`A-HEAD`).
    fn session_ended(&mut self) -> bool {
        let head = self.stream.final_session().and_then(Settlement::of_session);
        self.progress.settlement = head.filter(|head| head.seq >= self.progress.input);
        self.progress.settlement.is_some()
    }

    /// What settled the work, once [`next`](Self::next) has returned `None`.
    pub fn settlement(&self) -> Option<&Settlement> {
        self.progress.settlement.as_ref()
    }

    /// The durable cursor as it was last seen.
    pub fn cursor(&self) -> Option<Seq> {
        self.progress.seen
    }

    /// The Session as it was read on open; `None` where the stored settlement answered already.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Where the follower's stream stands.
    pub fn state(&self) -> StreamState {
        self.stream.state()
    }
}

impl<S: CursorStore> fmt::Debug for Follower<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Follower")
            .field("key", &self.progress.key)
            .field("cursor", &self.progress.seen)
            .field("stream", &self.stream)
            .field("settlement", &self.progress.settlement)
            .finish_non_exhaustive()
    }
}
