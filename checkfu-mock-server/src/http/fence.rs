//! The fence in front of everything that this server does not do (WIRE-5, A-CAP).

use axum::response::{IntoResponse, Response};

use super::response::Refused;
use crate::capability::Capability;
use crate::mutant::{self, Mutant};
use crate::wire::error::{ApiError, Code};

/// Passes if the capability is on; else refuses, with nothing done.
pub(crate) fn require(capability: Capability) -> Result<(), ApiError> {
    if capability.is_enabled() || mutant::active(Mutant::NoFence) {
        return Ok(());
    }
    let message = format!("the capability {} is not enabled on this server", capability.id());
    Err(ApiError::new(Code::CapabilityDisabled, message).with_detail("capability", capability.id()))
}

/// A handler for the endpoints of a capability that this server does not have.
pub(crate) async fn closed(capability: Capability) -> Response {
    match require(capability) {
        Err(error) => Refused::from(error).into_response(),
        // On in the table but without an endpoint: the table is wrong, and the caller must not take it for done.
        Ok(()) => Refused::from(ApiError::internal()).into_response(),
    }
}
