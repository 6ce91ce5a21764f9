use serde::{Deserialize, Serialize};

use super::event::Event;
use super::id::SessionId;
use super::open_enum::open_enum;
use super::seq::Seq;

open_enum! {
    /// Why a part of a log cannot be shown.
    UnavailableReason {
        /// It was erased.
        Erased = "erased",
        /// It is not retained any more.
        Expired = "expired",
    }
}

/// Two Sessions with common history, from where they part (`DIF-1`, `A-DIFF`). Nothing in it is guessed: what was erased
/// or trimmed stands in `unavailable`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDiff {
    /// The last event that both share.
    pub base: DiffBase,
    /// What the Session that was asked for has above it.
    pub left: DiffSide,
    /// What the other one has above it.
    pub right: DiffSide,
    /// What above it cannot be shown.
    #[serde(default)]
    pub unavailable: Vec<UnavailableRange>,
}

/// The last event that two Sessions share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiffBase {
    /// The Session that the event was first written to.
    pub session_id: SessionId,
    /// Its place.
    pub seq: Seq,
}

/// What one Session has above the common history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiffSide {
    /// Its events in order, at most 1000.
    pub events: Vec<Event>,
    /// Whether more follow; [list](crate::events::SessionEvents::list) them after the last one.
    #[serde(default)]
    pub truncated: bool,
}

/// Events above the common history that cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnavailableRange {
    /// Whose they are.
    pub session_id: SessionId,
    /// The first place.
    pub from_seq: Seq,
    /// The last place.
    pub to_seq: Seq,
    /// Why.
    pub reason: UnavailableReason,
}
