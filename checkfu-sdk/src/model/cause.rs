use serde::{Deserialize, Serialize};

use super::status::CauseKind;

/// Why an event entered its Session (`A-AUTHOR`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cause {
    /// The kind of cause.
    pub kind: CauseKind,
}

impl Cause {
    /// A cause of `kind`.
    pub fn new(kind: CauseKind) -> Self {
        Self { kind }
    }
}

impl Default for Cause {
    /// A call of the API.
    fn default() -> Self {
        Self::new(CauseKind::Api)
    }
}
