//! What commits tell the parts of the server that act by themselves.

use std::sync::Arc;

use super::handle::SessionHandle;
use crate::core::assignment::Assignment;
use crate::core::id::RunId;
use crate::core::moment::Moment;

/// Something to do because of a commit.
#[derive(Debug)]
pub(crate) enum Notice {
    /// A Run is not driven any more, or not by the same driver: it was settled, parked, resumed or given another attempt.
    Rest(RunId),
    /// A Run has to be driven.
    Drive(Activation),
    /// Time changes something in this Session then, and not before.
    Due(Arc<SessionHandle>, Moment),
}

/// A Run that has to be driven: one that became active, resumed, or needs another attempt.
#[derive(Debug, Clone)]
pub(crate) struct Activation {
    pub(crate) session: Arc<SessionHandle>,
    pub(crate) run: RunId,
    /// The place of its thread among the threads of the Session.
    pub(crate) place: usize,
    pub(crate) assignment: Assignment,
}
