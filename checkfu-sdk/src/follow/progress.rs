use std::sync::Arc;

use crate::cursor::{Cursor, CursorKey, CursorStore, Position};
use crate::model::{Event, Seq};
use crate::settlement::{Settlement, SettlementFold};

/// What a follower knows between two events.
pub(super) struct Progress<S: CursorStore> {
    pub(super) store: S,
    pub(super) key: CursorKey,
    /// An event that was read and is not applied yet.
    pub(super) pending: Option<Arc<Event>>,
    /// The durable cursor as it was last seen; never what decides.
    pub(super) seen: Option<Seq>,
    /// Status events up to here settle nothing (`A-FORK`).
    pub(super) forked_at: Seq,
    pub(super) fold: SettlementFold,
    /// The place of the input, or else of the cursor on open.
    pub(super) input: Seq,
    /// Whether the caller named the input.
    pub(super) input_named: bool,
    /// The Session said on open that it is settled, as of this place (`A-HEAD`).
    pub(super) settled_on_open: Option<Settlement>,
    /// The last settlement that is stored beside the cursor.
    pub(super) stored: Option<Settlement>,
    pub(super) settlement: Option<Settlement>,
}

impl<S: CursorStore> Progress<S> {
    /// The cursor to store with an event's effect.
    pub(super) fn cursor_after(&self, event: &Event, before: &Cursor) -> Cursor {
        let settled = Settlement::of(event).filter(|settlement| settlement.seq > self.forked_at);
        let position = Position::new(event.seq(), Some(event.id().clone()));
        Cursor::new(Some(position), settled.or_else(|| before.settlement.clone()))
    }

    /// The transaction of an event committed, or found it applied already (`FOL-6`).
    pub(super) fn applied(&mut self, event: &Event, stored: Cursor) {
        self.pending = None;
        self.seen = stored.seq();
        self.stored = stored.settlement;
        if let Some(settlement) = self.fold.observe(event) {
            self.settlement = Some(settlement.clone());
        } else {
            self.reached_head();
        }
    }

    /// Ends the follow if the cursor stands at the head of a Session that said on open that it is settled.
    pub(super) fn reached_head(&mut self) {
        let Some(head) = &self.settled_on_open else { return };
        if self.seen.unwrap_or_default() >= head.seq {
            let known = self.stored.as_ref().filter(|stored| {
                let may_answer = !self.input_named || stored.seq > self.input;
                may_answer && stored.seq > self.forked_at && stored.outcome == head.outcome
            });
            self.settlement = Some(known.unwrap_or(head).clone());
        }
    }
}
