use std::sync::Arc;

use super::budget::Budget;
use super::connect::Anchor;
use crate::client::Observer;
use crate::events::Log;
use crate::model::Seq;

/// Whether this Session is known to be a fork.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fork {
    Unknown,
    /// No event at or below this place ends the stream.
    At(Seq),
}

/// What a stream is opened with.
pub(super) struct Opening {
    pub(super) log: Log,
    pub(super) after: Option<Seq>,
    pub(super) anchored: bool,
    pub(super) anchor: Option<Anchor>,
    pub(super) fork: Fork,
    pub(super) settles_from: Option<Seq>,
    pub(super) budget: Budget,
    pub(super) observer: Option<Arc<dyn Observer>>,
}
