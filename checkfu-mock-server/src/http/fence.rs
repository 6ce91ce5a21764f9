//! The fence in front of everything that this server does not do (WIRE-5, A-CAP).

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::response::Refused;
use super::state::Shared;
use crate::capability::{Capabilities, Capability};
use crate::mutant::{self, Mutant};
use crate::wire::error::{ApiError, Code};

/// Passes if the capability is on; else refuses, with nothing done.
pub(crate) fn require(capabilities: &Capabilities, capability: Capability) -> Result<(), ApiError> {
    if capabilities.has(capability) || mutant::active(Mutant::NoFence) {
        Ok(())
    } else {
        Err(refusal(capability))
    }
}

/// Stands in front of whole endpoints. A-ORDER: after the key and the version, before anything is looked up.
pub(crate) async fn guard(
    State((shared, capability)): State<(Shared, Capability)>,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    require(&shared.capabilities, capability)?;
    Ok(next.run(request).await)
}

/// A handler for the endpoints of a capability that no server of this kind has.
pub(crate) async fn closed(capability: Capability) -> Response {
    if mutant::active(Mutant::NoFence) {
        return Refused::from(ApiError::internal()).into_response();
    }
    Refused::from(refusal(capability)).into_response()
}

fn refusal(capability: Capability) -> ApiError {
    let message = format!("the capability {} is not enabled on this server", capability.id());
    ApiError::new(Code::CapabilityDisabled, message).with_detail("capability", capability.id())
}
