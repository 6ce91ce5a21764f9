use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::catch_up::CatchUp;
use super::error::FollowError;
use super::follower::Follower;
use super::goal::{Goal, RunFold};
use super::progress::Progress;
use super::reads::{read_run, read_session};
use super::source::Source;
use crate::client::Observer;
use crate::cursor::{CursorKey, CursorStore};
use crate::events::SessionEvents;
use crate::model::{ForkPlace, RunId, Seq};
use crate::retry::ReconnectPolicy;
use crate::settlement::{Settlement, SettlementFold};
use crate::stream::{Anchor, check_anchor};

/// A follower that is further behind reads the list first.
const LIST_ABOVE: u64 = 1_000;

/// A follow about to start.
#[must_use = "nothing happens until `start` is called"]
pub struct Follow<S> {
    events: SessionEvents,
    consumer: String,
    store: S,
    run_id: Option<RunId>,
    input: Option<Seq>,
    list_above: u64,
    reconnect: Option<ReconnectPolicy>,
    observer: Option<Arc<dyn Observer>>,
}

impl SessionEvents {
    /// Follows the Session until its work is settled. `consumer` names the cursor; `store` keeps it beside the
    /// effects of the events.
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let events = client.sessions().events("sess_1");
    /// let mut follower = events.follow("billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     println!("{}", delivery.event().event_type());
    ///     delivery.commit().await?;
    /// }
    /// println!("{:?}", follower.settlement());
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow<S: CursorStore>(&self, consumer: impl Into<String>, store: S) -> Follow<S> {
        Follow {
            events: self.clone(),
            consumer: consumer.into(),
            store,
            run_id: None,
            input: None,
            list_above: LIST_ABOVE,
            reconnect: None,
            observer: None,
        }
    }

    /// Follows until one Run ends by its own `run.completed`, `run.failed` or `run.canceled`, wherever the Session's turns
    /// stand meanwhile (`FOL-11`, `RUN-3`). All else is as with [`follow`](Self::follow), and the cursor is the same one:
    /// every event is delivered, those of other Runs included.
    ///
    /// The Run is one of the primary thread. A Run of a child ends in its thread's log only, and with that the follow
    /// would not end.
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let events = client.sessions().events("sess_1");
    /// let mut follower = events.follow_run("run_1", "billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     delivery.commit().await?;
    /// }
    /// println!("{:?}", follower.settlement());
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_run<S: CursorStore>(
        &self,
        run_id: impl Into<RunId>,
        consumer: impl Into<String>,
        store: S,
    ) -> Follow<S> {
        let mut follow = self.follow(consumer, store);
        follow.run_id = Some(run_id.into());
        follow
    }
}

impl<S: CursorStore> Follow<S> {
    /// The place of the input whose work is followed: only a settlement above it counts (`A-HEAD`). Default: the
    /// stored cursor.
    pub fn input(mut self, seq: Seq) -> Self {
        self.input = Some(seq);
        self
    }

    /// How far the cursor may be behind the Session's last event, in places of the log, before the follower reads pages
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

    /// Reads the stored cursor and, once, the Session (`A-HEAD`).
    ///
    /// If the cursor's row already holds a settlement above the input, or the Session is settled and the cursor
    /// stands at its head, the follower has nothing to deliver and knows the settlement at once (`FOL-6`). That holds
    /// only while the event at the cursor is still the one that was followed (`A-ANCHOR`), which is looked at first.
    ///
    /// # Errors
    ///
    /// [`FollowError::Store`] if the cursor cannot be read; [`FollowError::Read`] if the Session or the event at the
    /// cursor cannot, after the retries of the client's policy, if that event is another one, or if the Session is a fork
    /// whose place cannot be read (`A-FORK`). No stream was open yet, so this is never [`FollowError::ReconnectsSpent`] (`FOL-5`).
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn start(self) -> Result<Follower<S>, FollowError<S::Error>> {
        let key = CursorKey::session(self.consumer, self.events.session_id());
        let store = self.store;
        store.prepare().await.map_err(FollowError::Store)?;
        let mut transaction = store.begin().await.map_err(FollowError::Store)?;
        let stored = store
            .lock(&mut transaction, &key)
            .await
            .map_err(FollowError::Store)?;
        store.commit(transaction).await.map_err(FollowError::Store)?;

        let input = self.input.or(stored.seq()).unwrap_or_default();
        let mut stream = self.events.stream();
        if let Some(policy) = self.reconnect {
            stream = stream.reconnect_policy(policy);
        }
        if let Some(observer) = self.observer {
            stream = stream.shared_observer(observer);
        }
        if let Some(seq) = stored.seq() {
            stream = stream.after(seq);
        }
        let mut progress = Progress {
            store,
            key,
            pending: VecDeque::new(),
            seen: stored.seq(),
            forked_at: Seq::ZERO,
            goal: Goal::Turn(SettlementFold::after(input)),
            input,
            input_named: self.input.is_some(),
            settled_on_open: None,
            stored: stored.settlement,
            settlement: None,
        };
        let run_ended = match &self.run_id {
            Some(run_id) => read_run(&self.events, run_id).await.map_err(FollowError::Read)?,
            None => None,
        };
        let session = read_session(&self.events).await.map_err(FollowError::Read)?;
        progress.forked_at = match session.fork() {
            ForkPlace::At(fork) => fork,
            ForkPlace::None | ForkPlace::Unreadable => Seq::ZERO,
        };
        progress.goal = match self.run_id {
            Some(run_id) => Goal::Run(RunFold::new(run_id)),
            None => Goal::Turn(SettlementFold::after(input).forked_at(progress.forked_at)),
        };
        let anchor = stored.position.and_then(|position| {
            Some(Anchor {
                seq: position.seq,
                event_id: position.event_id?,
            })
        });
        // The Run was read before the Session, so where it had ended, the event of that is not above the head.
        progress.settled_on_open = match progress.goal {
            Goal::Turn(_) => Settlement::of_session(&session).filter(|head| head.seq >= input),
            Goal::Run(_) => run_ended
                .zip(session.last_seq())
                .map(|(outcome, seq)| Settlement {
                    outcome,
                    seq,
                    event_id: None,
                }),
        };
        let head = progress.settled_on_open.as_ref().map(|head| head.seq);
        let at_head = head.is_some() && head == progress.seen;
        // A log that ends below the cursor is not the one that was followed, so nothing stored speaks for it: the
        // stream is opened and refused.
        let within = session.last_seq().is_none_or(|last| Some(last) >= progress.seen);
        let recorded = progress
            .stored
            .clone()
            .filter(|stored| within && progress.goal.is_answered_at(stored.seq));
        if at_head || recorded.is_some() {
            if let Some(anchor) = &anchor {
                check_anchor(self.events.log(), anchor)
                    .await
                    .map_err(FollowError::Read)?;
            }
            progress.settlement = recorded;
            if progress.settlement.is_none() {
                progress.reached_head();
            }
        }
        let mut stream = stream.anchored(anchor.clone()).forked_at(progress.forked_at);
        // A Session that rests proves nothing about a Run that had not ended (`RUN-3`).
        if matches!(progress.goal, Goal::Turn(_)) || progress.settled_on_open.is_some() {
            stream = stream.settles_from(input);
        }
        let behind = session.last_seq().map_or(0, |last| {
            last.get().saturating_sub(progress.seen.unwrap_or_default().get())
        });
        let source = if behind > self.list_above {
            Source::List(Box::new(CatchUp::new(
                &self.events,
                progress.seen,
                anchor,
                stream,
            )))
        } else {
            Source::Stream(Box::new(stream.open()))
        };
        let client = self.events.client().clone();
        Ok(Follower::new(client, progress, source, Some(session)))
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
