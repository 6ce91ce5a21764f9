//! When work is settled, and why: a pure fold over events, without clock or network.

mod outcome;

pub use outcome::Outcome;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{
    Event, EventId, ForkPlace, Seq, Session, SessionStatus, SessionThread, SessionThreadId,
    SessionThreadStatus,
};

/// What settled work: how, and at which place of the log (`SET-1`).
///
/// It can be kept as JSON beside a cursor and read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settlement {
    /// How.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The settling event's place; the head of the log where the Session itself said so.
    pub seq: Seq,
    /// The settling event; `None` where the Session itself said so.
    pub event_id: Option<EventId>,
}

impl Settlement {
    /// What `event` settles: everything, if it ends the Session; the turn, if it is a `session.status_idle` whose
    /// stop reason is not `requires_action`, an unknown or absent reason included; else nothing (`SET-1`,
    /// `A-STOP`).
    ///
    /// An idle that requires an action, `waiting` and `paused` are stops on the way, whichever of them a server writes and
    /// in whatever order: the Run waits, or has just gone on (`WAIT-4`, `A-WAIT`).
    ///
    /// ```
    /// use checkfu_sdk::settlement::Settlement;
    ///
    /// let idle = |reason| format!(r#"{{"id": "e", "seq": 9, "type": "session.status_idle", "payload": {reason}}}"#);
    /// let settles = |reason| Settlement::of(&serde_json::from_str(&idle(reason)).unwrap()).is_some();
    /// assert!(settles(r#"{"stop_reason": "end_turn"}"#));
    /// assert!(settles(r#"{}"#));
    /// assert!(!settles(r#"{"stop_reason": {"type": "requires_action"}}"#));
    /// ```
    pub fn of(event: &Event) -> Option<Self> {
        let status = SessionStatus::from(event.event_type().strip_prefix("session.status_")?);
        let outcome = Outcome::of_session(&status, event.stop_reason())?;
        Some(Self {
            outcome,
            seq: event.seq(),
            event_id: Some(event.id().clone()),
        })
    }

    /// What `event` settles in the work of the child `thread`: everything, at its `session.thread_status_terminated` or the
    /// Session's end; its turn, if it is its `session.thread_status_idle` whose stop reason is not `requires_action`
    /// (`THR-11`, `A-STOP`). Whatever else the Session and other threads come to settles nothing of it.
    ///
    /// ```
    /// use checkfu_sdk::settlement::Settlement;
    ///
    /// let idle = |thread| format!(
    ///     r#"{{"id": "e", "seq": 9, "type": "session.thread_status_idle", "session_thread_id": "{thread}"}}"#
    /// );
    /// let child = "sthr_2".into();
    /// let settles = |thread| Settlement::of_child(&serde_json::from_str(&idle(thread)).unwrap(), &child).is_some();
    /// assert!(settles("sthr_2"));
    /// assert!(!settles("sthr_3"));
    /// ```
    pub fn of_child(event: &Event, thread: &SessionThreadId) -> Option<Self> {
        let Some(status) = event.event_type().strip_prefix("session.thread_status_") else {
            return Self::of(event).filter(|settlement| settlement.outcome.is_terminal());
        };
        if event.session_thread_id() != Some(thread) {
            return None;
        }
        let outcome = Outcome::of_child(&SessionThreadStatus::from(status), event.stop_reason())?;
        Some(Self {
            outcome,
            seq: event.seq(),
            event_id: Some(event.id().clone()),
        })
    }

    /// What a Session that was read says of itself (`A-HEAD`).
    ///
    /// `completed`, `failed` and `canceled` settle by the status alone. `idle` settles if the Session has a
    /// `stop_reason` that is not `requires_action`, null included; without that member it says nothing. No other status
    /// settles, so neither does a Session that was never driven, nor one without `status` or `last_seq`. In a fork,
    /// nothing is settled while `last_seq` does not pass the place of the fork: the status is a copy (`A-FORK`). Nor is it
    /// where that place cannot be read.
    pub fn of_session(session: &Session) -> Option<Self> {
        let (status, seq) = (session.status()?, session.last_seq()?);
        match session.fork() {
            ForkPlace::At(fork) if seq <= fork => return None,
            ForkPlace::Unreadable => return None,
            ForkPlace::At(_) | ForkPlace::None => {}
        }
        if *status == SessionStatus::Idle && !session.tells_stop_reason() {
            return None;
        }
        let outcome = Outcome::of_session(status, session.stop_reason())?;
        Some(Self {
            outcome,
            seq,
            event_id: None,
        })
    }

    /// What a Session says of its own work, or of that of a child which was read before it, so that the child's last event
    /// is not above the Session's (`A-HEAD`, `A-VIEW`). An idle child that gives no reason says nothing: it may never have
    /// been driven.
    pub(crate) fn of_work(session: &Session, child: Option<&SessionThread>) -> Option<Self> {
        let Some(child) = child else {
            return Self::of_session(session);
        };
        let (status, reason) = (child.status()?, child.stop_reason());
        let outcome = Outcome::of_child(status, reason);
        let outcome = outcome.filter(|outcome| *outcome == Outcome::ThreadTerminated || reason.is_some());
        let own = outcome.zip(session.last_seq()).map(|(outcome, seq)| Self {
            outcome,
            seq,
            event_id: None,
        });
        own.or_else(|| Self::of_session(session).filter(|settlement| settlement.outcome.is_terminal()))
    }

    /// Whether it answers for the work of an input at `input`, or is a Session's own that was forked there. The end of a
    /// child does in any case: nothing comes after it, and a child that a fork copied has ended there (`A-FORK`).
    pub(crate) fn counts_above(&self, input: Seq) -> bool {
        self.seq > input || self.outcome == Outcome::ThreadTerminated
    }
}

impl fmt::Display for Settlement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at seq {}", self.outcome, self.seq)
    }
}

/// Folds events, in order, into the settlement of the work that one input started.
///
/// Only a settlement above the input's `seq` counts, so that an older idle event never answers for new work, and
/// in a fork only one above the fork's point (`A-HEAD`, `A-FORK`). The first one that counts stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementFold {
    above: Seq,
    child: Option<SessionThreadId>,
    settlement: Option<Settlement>,
}

impl SettlementFold {
    /// A fold for the work of the input at `input`.
    pub fn after(input: Seq) -> Self {
        Self {
            above: input,
            child: None,
            settlement: None,
        }
    }

    /// Leaves out status events up to the place where this Session was forked.
    pub fn forked_at(mut self, seq: Seq) -> Self {
        self.above = self.above.max(seq);
        self
    }

    /// Folds the log of this child into what settles the child's own work, as [`Settlement::of_child`] tells it.
    pub fn of_child(mut self, thread: impl Into<SessionThreadId>) -> Self {
        self.child = Some(thread.into());
        self
    }

    /// Whether a settlement at this place would count.
    pub fn counts(&self, seq: Seq) -> bool {
        seq > self.above
    }

    /// Takes the next event; gives the settlement, once there is one.
    pub fn observe(&mut self, event: &Event) -> Option<&Settlement> {
        if self.settlement.is_none() {
            self.settlement = self.settled_by(event);
        }
        self.settlement.as_ref()
    }

    /// What `event` settles, if that counts.
    pub(crate) fn settled_by(&self, event: &Event) -> Option<Settlement> {
        let settlement = match &self.child {
            Some(child) => Settlement::of_child(event, child),
            None => Settlement::of(event),
        };
        settlement.filter(|settlement| self.is_answered_by(settlement))
    }

    /// Whether `settlement` would count.
    pub(crate) fn is_answered_by(&self, settlement: &Settlement) -> bool {
        settlement.counts_above(self.above)
    }

    /// The settlement, once there is one.
    pub fn settlement(&self) -> Option<&Settlement> {
        self.settlement.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::StopReason;

    /// A-HEAD, A-VIEW: a child speaks for its own work where it ended, or rests with a reason that needs no action; else the
    /// Session's end does, and nothing less.
    #[test]
    fn a_child_or_the_sessions_end_tells_of_its_work() {
        let told = |status: &str, of_child: Value| {
            let session =
                json!({ "id": "sess_1", "status": status, "stop_reason": "end_turn", "last_seq": 9 });
            let session: Session = serde_json::from_value(session).unwrap();
            let child: SessionThread = serde_json::from_value(of_child).unwrap();
            let settled = Settlement::of_work(&session, Some(&child));
            settled.map(|settled| (settled.outcome, settled.seq.get(), settled.event_id.is_none()))
        };
        let child = |status: &str| json!({ "id": "sthr_2", "status": status });
        let resting = |reason: &str| json!({ "id": "sthr_2", "status": "idle", "stop_reason": reason });
        let at_the_head = |outcome| Some((outcome, 9, true));
        let end_turn = Outcome::ThreadIdle {
            stop_reason: Some(StopReason::EndTurn),
        };
        for session in ["running", "idle"] {
            assert_eq!(
                told(session, child("terminated")),
                at_the_head(Outcome::ThreadTerminated)
            );
            assert_eq!(told(session, resting("end_turn")), at_the_head(end_turn.clone()));
            for silent in [child("idle"), child("running"), resting("requires_action")] {
                assert_eq!(told(session, silent), None, "{session}");
            }
        }
        for silent in [child("idle"), child("running"), resting("requires_action")] {
            assert_eq!(told("completed", silent), at_the_head(Outcome::Completed));
        }
    }
}
