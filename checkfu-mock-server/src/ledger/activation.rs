//! Work for the Runner.

use std::sync::Arc;

use super::handle::SessionHandle;
use crate::agent::Assignment;
use crate::core::id::RunId;

/// A Run that became the active one of its Session and has to be driven.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) session: Arc<SessionHandle>,
    pub(crate) run: RunId,
    pub(crate) assignment: Assignment,
}
