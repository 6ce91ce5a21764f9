//! ActionApprovals of a Session. They are decided with `user.tool_confirmation`.

use axum::Extension;
use axum::extract::State;
use axum::http::Uri;

use super::auth::Caller;
use super::call::Ids;
use super::resources;
use super::response::Answer;
use super::state::Shared;
use crate::storage::resources::Table;

/// `GET /v1/sessions/{session_id}/action_approvals`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(session): Ids<String>,
    uri: Uri,
) -> Answer {
    resources::list(&shared, &caller, &session, &uri, Table::ActionApprovals).await
}

/// `GET /v1/sessions/{session_id}/action_approvals/{action_approval_id}`
pub(crate) async fn retrieve(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(ids): Ids<(String, String)>,
    uri: Uri,
) -> Answer {
    resources::retrieve(
        &shared,
        &caller,
        ids,
        &uri,
        (Table::ActionApprovals, "ActionApproval"),
    )
    .await
}
