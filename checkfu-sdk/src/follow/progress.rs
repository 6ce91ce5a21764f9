use std::collections::VecDeque;
use std::sync::Arc;

use super::error::FollowError;
use super::goal::Goal;
use crate::cursor::{Cursor, CursorKey, CursorStore, Position};
use crate::model::{Event, Seq, SessionThreadId};
use crate::settlement::Settlement;

/// What a follower knows between two events.
pub(super) struct Progress<S: CursorStore> {
    pub(super) store: S,
    pub(super) key: CursorKey,
    /// What was read and is not applied yet, in the order of the log.
    pub(super) pending: VecDeque<Arc<Event>>,
    /// The durable cursor as it was last seen; never what decides.
    pub(super) seen: Option<Seq>,
    /// The child whose log is followed; `None` where the Session's work is.
    pub(super) child: Option<SessionThreadId>,
    /// Status events up to here settle nothing (`A-FORK`).
    pub(super) forked_at: Seq,
    pub(super) goal: Goal,
    /// The place of the input, or else of the cursor on open.
    pub(super) input: Seq,
    /// Whether the caller named the input.
    pub(super) input_named: bool,
    /// The Session or the child said on open that it is settled, as of this place (`A-HEAD`); or the Run that it ended,
    /// which then stands at or below this place.
    pub(super) settled_on_open: Option<Settlement>,
    /// The last settlement that is stored beside the cursor.
    pub(super) stored: Option<Settlement>,
    pub(super) settlement: Option<Settlement>,
}

impl<S: CursorStore> Progress<S> {
    /// Begins a transaction and reads the durable cursor under its lock, which must not stand before where it was seen.
    pub(super) async fn lock(&self) -> Result<(S::Transaction, Cursor), FollowError<S::Error>> {
        let (transaction, stored) = self.read().await.map_err(FollowError::Store)?;
        if stored.seq() < self.seen {
            return Err(FollowError::Rewound {
                from: self.seen,
                to: stored.seq(),
            });
        }
        Ok((transaction, stored))
    }

    /// Begins a transaction and reads the durable cursor under its lock, wherever it stands.
    pub(super) async fn read(&self) -> Result<(S::Transaction, Cursor), S::Error> {
        let mut transaction = self.store.begin().await?;
        let stored = self.store.lock(&mut transaction, &self.key).await?;
        Ok((transaction, stored))
    }

    /// Passes over the first `count` events, which are applied already.
    pub(super) async fn skip(
        &mut self,
        transaction: S::Transaction,
        count: usize,
        stored: Cursor,
    ) -> Result<(), FollowError<S::Error>> {
        let commit = self.store.commit(transaction).await;
        commit.map_err(FollowError::Store)?;
        self.applied(count, stored);
        Ok(())
    }

    /// The cursor to store with the effects of `events`.
    pub(super) fn cursor_after(&self, events: &[Arc<Event>], before: Cursor) -> Cursor {
        let settled = |event: &Arc<Event>| {
            let settlement = match &self.child {
                Some(child) => Settlement::of_child(event, child),
                None => Settlement::of(event),
            };
            settlement.filter(|settlement| settlement.counts_above(self.forked_at))
        };
        let settlement = events.iter().rev().find_map(settled);
        let position = events
            .last()
            .map(|event| Position::new(event.seq(), Some(event.id().clone())));
        Cursor::new(position.or(before.position), settlement.or(before.settlement))
    }

    /// The transaction of the first `count` events committed, or found them applied already (`FOL-6`).
    pub(super) fn applied(&mut self, count: usize, stored: Cursor) {
        self.seen = stored.seq();
        self.stored = stored.settlement;
        for event in self.pending.drain(..count.min(self.pending.len())) {
            self.goal.observe(&event);
        }
        match self.goal.settlement() {
            Some(settlement) => self.settlement = Some(settlement.clone()),
            None => self.reached_head(),
        }
    }

    /// Whether the follow ends once `event` is applied.
    pub(super) fn ends_with(&self, event: &Event) -> bool {
        let head = self.settled_on_open.as_ref();
        self.goal.is_met_by(event) || head.is_some_and(|head| event.seq() >= head.seq)
    }

    /// What settled the work where the Session or the child said this when the stream ended (`A-HEAD`).
    pub(super) fn settled_by(&self, said: &Settlement) -> Option<Settlement> {
        match self.goal {
            Goal::Turn(_) => Some(said.clone()),
            Goal::Run(_) => self.settled_on_open.clone(),
        }
    }

    /// Ends the follow if the cursor stands at the head of what said on open that it is settled.
    fn reached_head(&mut self) {
        let head = self.settled_on_open.as_ref();
        if head.is_some_and(|head| self.seen.unwrap_or_default() >= head.seq) {
            self.rest_at_head();
        }
    }

    /// Ends the follow by what was said on open, in the words of the stored settlement where that may answer.
    pub(super) fn rest_at_head(&mut self) {
        let Some(head) = &self.settled_on_open else { return };
        let known = self.stored.as_ref().filter(|stored| {
            let may_answer = !self.input_named || stored.counts_above(self.input);
            may_answer && stored.counts_above(self.forked_at) && stored.outcome == head.outcome
        });
        self.settlement = Some(known.unwrap_or(head).clone());
    }
}
