use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::catch_up::CatchUp;
use super::error::FollowError;
use super::follower::Follower;
use super::goal::{Goal, RunFold};
use super::heads::Heads;
use super::progress::Progress;
use super::source::Source;
use crate::client::Observer;
use crate::cursor::{CursorKey, CursorStore};
use crate::events::Log;
use crate::model::{ForkPlace, RunId, Seq};
use crate::retry::ReconnectPolicy;
use crate::settlement::SettlementFold;
use crate::stream::{Anchor, StreamEvents};

/// A follower that is further behind reads the list first.
const LIST_ABOVE: u64 = 1_000;

/// A follow about to start.
#[must_use = "nothing happens until `start` is called"]
pub struct Follow<S> {
    log: Log,
    consumer: String,
    store: S,
    run_id: Option<RunId>,
    input: Option<Seq>,
    list_above: u64,
    reconnect: Option<ReconnectPolicy>,
    observer: Option<Arc<dyn Observer>>,
}

impl<S: CursorStore> Follow<S> {
    pub(super) fn new(log: &Log, run_id: Option<RunId>, consumer: String, store: S) -> Self {
        Self {
            log: log.clone(),
            consumer,
            store,
            run_id,
            input: None,
            list_above: LIST_ABOVE,
            reconnect: None,
            observer: None,
        }
    }

    /// The place of the input whose work is followed: only a settlement above it counts (`A-HEAD`). Default: the
    /// stored cursor.
    pub fn input(mut self, seq: Seq) -> Self {
        self.input = Some(seq);
        self
    }

    /// How far the cursor may be behind the Session's last event, in places of its log, before the follower reads pages
    /// of the list first and opens the stream where they end (`FOL-10`). Default: 1,000. At `u64::MAX` the list is never
    /// read.
    ///
    /// One page of at most 1,000 events is held at a time. If a page is larger than the client's limit for a body, the
    /// stream takes over there.
    pub fn list_above(mut self, places: u64) -> Self {
        self.list_above = places;
        self
    }

    /// How the stream is opened again. Default: the client's policy.
    pub fn reconnect_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.reconnect = Some(policy);
        self
    }

    /// Who is told when the stream is interrupted and resumed. Default: the client's observer.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Reads the stored cursor and, once, the Session (`A-HEAD`); on a thread's log the thread before it.
    ///
    /// If the cursor's row already holds a settlement above the input, or the Session is settled and the cursor
    /// stands at its head, or the child is and its log has nothing after the cursor, the follower has nothing to deliver and knows the settlement at once (`FOL-6`). That holds
    /// only while the event at the cursor is still the one that was followed (`A-ANCHOR`), which is looked at first.
    ///
    /// # Errors
    ///
    /// [`FollowError::Store`] if the cursor cannot be read; [`FollowError::Read`] if the Session, the thread or the event at
    /// the cursor cannot, after the retries of the client's policy, if that event is another one, or if the Session is a fork
    /// whose place cannot be read (`A-FORK`). No stream was open yet, so this is never [`FollowError::ReconnectsSpent`] (`FOL-5`).
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn start(self) -> Result<Follower<S>, FollowError<S::Error>> {
        let log = self.log;
        let key = CursorKey::of(self.consumer, log.id());
        let store = self.store;
        store.prepare().await.map_err(FollowError::Store)?;
        let mut transaction = store.begin().await.map_err(FollowError::Store)?;
        let stored = store
            .lock(&mut transaction, &key)
            .await
            .map_err(FollowError::Store)?;
        store.commit(transaction).await.map_err(FollowError::Store)?;

        // Boxed, as the reads of a start would make every future that holds one large.
        let heads = Box::pin(Heads::read(&log, self.run_id.as_ref())).await;
        let heads = heads.map_err(FollowError::Read)?;
        let input = self.input.or(stored.seq()).unwrap_or_default();
        let forked_at = match heads.session.fork() {
            ForkPlace::At(fork) => fork,
            ForkPlace::None | ForkPlace::Unreadable => Seq::ZERO,
        };
        let child = heads.child.as_ref().map(|child| child.id().clone());
        let goal = match self.run_id {
            Some(run_id) => Goal::Run(RunFold::new(run_id)),
            None => {
                let fold = SettlementFold::after(input).forked_at(forked_at);
                Goal::Turn(match &child {
                    Some(child) => fold.of_child(child.clone()),
                    None => fold,
                })
            }
        };
        let anchor = stored.position.as_ref().and_then(|position| {
            Some(Anchor {
                seq: position.seq,
                event_id: position.event_id.clone()?,
            })
        });
        let mut progress = Progress {
            store,
            key,
            pending: VecDeque::new(),
            seen: stored.seq(),
            child,
            forked_at,
            settled_on_open: heads.settlement(&goal, input),
            goal,
            input,
            input_named: self.input.is_some(),
            stored: stored.settlement,
            settlement: None,
        };
        let settled = Box::pin(progress.settle_on_open(&log, &heads, anchor.as_ref())).await;
        settled.map_err(FollowError::Read)?;

        let mut stream = StreamEvents::of(&log)
            .anchored(anchor.clone())
            .forked_at(forked_at);
        if let Some(policy) = self.reconnect {
            stream = stream.reconnect_policy(policy);
        }
        if let Some(observer) = self.observer {
            stream = stream.shared_observer(observer);
        }
        if let Some(seq) = progress.seen {
            stream = stream.after(seq);
        }
        // A Session that rests proves nothing about a Run that had not ended (`RUN-3`).
        if matches!(progress.goal, Goal::Turn(_)) || progress.settled_on_open.is_some() {
            stream = stream.settles_from(input);
        }
        let behind = heads.session.last_seq().map_or(0, |last| {
            last.get().saturating_sub(progress.seen.unwrap_or_default().get())
        });
        let source = if behind > self.list_above {
            Source::List(Box::new(CatchUp::new(&log, progress.seen, anchor, stream)))
        } else {
            Source::Stream(Box::new(stream.open()))
        };
        Ok(Follower::new(log, progress, source, Some(heads.session)))
    }
}

impl<S> fmt::Debug for Follow<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Follow")
            .field("consumer", &self.consumer)
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}
