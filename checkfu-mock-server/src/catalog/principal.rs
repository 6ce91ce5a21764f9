//! Who acts and writes.

use std::collections::BTreeSet;

use crate::core::id::PrincipalId;

/// What a Principal needs to confirm or deny a governed call (WAIT-5). Built-in Principals have it.
pub(crate) const APPROVE: &str = "approve";

/// Every permission that there is.
pub(crate) const KNOWN: &[&str] = &[APPROVE];

/// A Principal and what it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    pub(crate) id: PrincipalId,
    pub(crate) permissions: BTreeSet<String>,
}
