//! When work is settled, and why: a pure fold over events, without clock or network.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Event, EventId, ForkPlace, Seq, Session, SessionStatus, StopReason};

/// How work was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The turn ended and the Session can be driven again. The reason is `None` where the server gave none.
    Idle {
        /// Why the turn stopped; never `requires_action`.
        stop_reason: Option<StopReason>,
    },
    /// The Session ended in success, for good.
    Completed,
    /// The Session ended in failure, for good.
    Failed,
    /// The Session was canceled, for good.
    Canceled,
    /// The Run that was followed ended in success (`FOL-11`). It says nothing about the Session.
    RunCompleted,
    /// The Run that was followed failed.
    RunFailed,
    /// The Run that was followed was canceled.
    RunCanceled,
}

impl Outcome {
    /// Whether the Session can be driven no more.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }

    fn new(status: &SessionStatus, stop_reason: Option<&StopReason>) -> Option<Self> {
        match status {
            SessionStatus::Completed => Some(Self::Completed),
            SessionStatus::Failed => Some(Self::Failed),
            SessionStatus::Canceled => Some(Self::Canceled),
            SessionStatus::Idle if !stop_reason.is_some_and(StopReason::is_requires_action) => {
                Some(Self::Idle {
                    stop_reason: stop_reason.cloned(),
                })
            }
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle {
                stop_reason: Some(reason),
            } => write!(formatter, "idle ({reason})"),
            Self::Idle { stop_reason: None } => formatter.write_str("idle"),
            Self::Completed => formatter.write_str("completed"),
            Self::Failed => formatter.write_str("failed"),
            Self::Canceled => formatter.write_str("canceled"),
            Self::RunCompleted => formatter.write_str("run completed"),
            Self::RunFailed => formatter.write_str("run failed"),
            Self::RunCanceled => formatter.write_str("run canceled"),
        }
    }
}

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
        let outcome = Outcome::new(&status, event.stop_reason())?;
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
        let outcome = Outcome::new(status, session.stop_reason())?;
        Some(Self {
            outcome,
            seq,
            event_id: None,
        })
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
    settlement: Option<Settlement>,
}

impl SettlementFold {
    /// A fold for the work of the input at `input`.
    pub fn after(input: Seq) -> Self {
        Self {
            above: input,
            settlement: None,
        }
    }

    /// Leaves out status events up to the place where this Session was forked.
    pub fn forked_at(mut self, seq: Seq) -> Self {
        self.above = self.above.max(seq);
        self
    }

    /// Whether a settlement at this place would count.
    pub fn counts(&self, seq: Seq) -> bool {
        seq > self.above
    }

    /// Takes the next event; gives the settlement, once there is one.
    pub fn observe(&mut self, event: &Event) -> Option<&Settlement> {
        if self.settlement.is_none() && self.counts(event.seq()) {
            self.settlement = Settlement::of(event);
        }
        self.settlement.as_ref()
    }

    /// The settlement, once there is one.
    pub fn settlement(&self) -> Option<&Settlement> {
        self.settlement.as_ref()
    }
}
