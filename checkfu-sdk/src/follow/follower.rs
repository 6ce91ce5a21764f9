use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::batch::Batch;
use super::delivery::Delivery;
use super::error::FollowError;
use super::progress::Progress;
use super::source::{ReadFailure, Source};
use crate::cursor::CursorStore;
use crate::events::Log;
use crate::model::{Event, Seq, Session};
use crate::settlement::Settlement;
use crate::stream::StreamState;

/// Follows a Session, or one of its threads, until the work is settled, one transaction an event or a batch of them (`FOL-1`
/// to `FOL-8`).
///
/// A follower that is far behind reads the list first and goes over to the live stream by itself (`FOL-10`).
///
/// No transaction and no connection of the database is held while the stream is silent. Dropping a follower
/// cancels its request; there is no task behind it (`FOL-7`).
pub struct Follower<S: CursorStore> {
    log: Log,
    progress: Progress<S>,
    source: Source,
    /// What ended the source while a batch waited for more; told once what came before it is applied.
    failure: Option<ReadFailure>,
    session: Option<Session>,
}

impl<S: CursorStore> Follower<S> {
    pub(super) fn new(log: Log, progress: Progress<S>, source: Source, session: Option<Session>) -> Self {
        Self {
            log,
            progress,
            source,
            failure: None,
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
            let Some(event) = self.first_pending().await? else {
                return Ok(None);
            };
            let (transaction, stored) = self.progress.lock().await?;
            if Some(event.seq()) > stored.seq() {
                return Ok(Some(Delivery::new(
                    &mut self.progress,
                    transaction,
                    event,
                    stored,
                )));
            }
            self.progress.skip(transaction, 1, stored).await?;
        }
    }

    /// The next events that are not applied yet, in one open transaction; `None` once the work is settled.
    ///
    /// It waits for one event as long as it takes, and then no longer than `linger` for more, up to `max` of them; 0
    /// counts as 1. A `linger` of zero takes what is at hand. An event that ends the follow ends the batch, too. The
    /// events are in memory until their batch is committed. All else is as with [`next`](Self::next), and the two can
    /// be mixed.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let events = client.sessions().events("sess_1");
    /// let mut follower = events.follow("search", MemoryCursorStore::new()).start().await?;
    /// while let Some(batch) = follower.next_batch(500, Duration::from_millis(50)).await? {
    ///     for event in batch.events() {
    ///         println!("{} {}", event.seq(), event.event_type());
    ///     }
    ///     batch.commit().await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As with [`next`](Self::next). What was read before a read failed is handed out first.
    ///
    /// # Cancel safety
    ///
    /// It may be dropped at any time: events that were read and not handed out come with the next call.
    pub async fn next_batch(
        &mut self,
        max: usize,
        linger: Duration,
    ) -> Result<Option<Batch<'_, S>>, FollowError<S::Error>> {
        let max = max.max(1);
        loop {
            if self.first_pending().await?.is_none() {
                return Ok(None);
            }
            self.gather(max, linger).await;
            let (transaction, stored) = self.progress.lock().await?;
            let pending = self.progress.pending.iter();
            let old = pending
                .take_while(|event| Some(event.seq()) <= stored.seq())
                .count();
            if old == self.progress.pending.len() {
                self.progress.skip(transaction, old, stored).await?;
                continue;
            }
            self.progress.pending.drain(..old);
            let events = self.progress.pending.iter().take(max).cloned().collect();
            return Ok(Some(Batch::new(&mut self.progress, transaction, events, stored)));
        }
    }

    /// Stops following: cancels the request, waits for a transaction that still holds the cursor, and gives the durable
    /// cursor. A [`Delivery`] or [`Batch`] in work borrows the follower, so it is committed or dropped before.
    ///
    /// # Errors
    ///
    /// [`FollowError::Store`] if the cursor cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the follow is stopped all the same.
    pub async fn stop(self) -> Result<Option<Seq>, FollowError<S::Error>> {
        let Self { progress, source, .. } = self;
        drop(source);
        let (transaction, stored) = progress.read().await.map_err(FollowError::Store)?;
        let commit = progress.store.commit(transaction).await;
        commit.map_err(FollowError::Store)?;
        Ok(stored.seq())
    }

    /// The first event that was read and is not applied yet, read now if there is none; `None` once the work is settled.
    async fn first_pending(&mut self) -> Result<Option<Arc<Event>>, FollowError<S::Error>> {
        if self.progress.settlement.is_some() {
            return Ok(None);
        }
        if let Some(event) = self.progress.pending.front() {
            return Ok(Some(Arc::clone(event)));
        }
        let read = match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.source.next().await,
        };
        match read {
            Ok(Some(event)) => {
                self.progress.pending.push_back(Arc::clone(&event));
                Ok(Some(event))
            }
            Ok(None) if self.is_settled_at_end() => Ok(None),
            Ok(None) => Err(FollowError::StreamEnded {
                after: self.progress.seen,
            }),
            Err(ReadFailure::Stream(error)) => Err(FollowError::stream(error)),
            Err(ReadFailure::List(error)) => Err(FollowError::Read(error)),
        }
    }

    /// Reads on until there are `max` events, the last one ends the follow, or `linger` has passed.
    async fn gather(&mut self, max: usize, linger: Duration) {
        let mut lingered = self.log.client().clock().sleep(linger);
        loop {
            let last = self.progress.pending.back();
            let ends = last.is_none_or(|last| self.progress.ends_with(last));
            if ends || self.progress.pending.len() >= max || self.failure.is_some() {
                return;
            }
            let read = tokio::select! {
                biased;
                read = self.source.next() => read,
                () = &mut lingered => return,
            };
            match read {
                Ok(Some(event)) => self.progress.pending.push_back(event),
                // A stream that ended says so again.
                Ok(None) => return,
                Err(failure) => self.failure = Some(failure),
            }
        }
    }

    /// Whether the stream ended because the Session or the child itself said that it is settled (`A-HEAD`).
    fn is_settled_at_end(&mut self) -> bool {
        let said = self.source.final_settlement();
        self.progress.settlement = said.and_then(|said| self.progress.settled_by(said));
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

    /// Where the follower's stream stands; [`StreamState::Idle`] while the list is read.
    pub fn state(&self) -> StreamState {
        self.source.state()
    }

    /// Whether the follower is still reading the list, and has not gone over to the live stream (`FOL-10`).
    pub fn is_catching_up(&self) -> bool {
        matches!(self.source, Source::List(_))
    }
}

impl<S: CursorStore> fmt::Debug for Follower<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Follower")
            .field("key", &self.progress.key)
            .field("cursor", &self.progress.seen)
            .field("state", &self.state())
            .field("settlement", &self.progress.settlement)
            .finish_non_exhaustive()
    }
}
