//! The Capability resource (A-CAP).

use serde::Serialize;

use crate::capability::Capability;

/// A part of the API and whether it is on.
#[derive(Debug, Serialize)]
pub(crate) struct CapabilityResource {
    id: &'static str,
    r#type: &'static str,
    enabled: bool,
}

impl CapabilityResource {
    pub(crate) fn new(capability: Capability, enabled: bool) -> Self {
        Self {
            id: capability.id(),
            r#type: "capability",
            enabled,
        }
    }
}
