//! Calls on the ActionApprovals of one Session.

use http::Method;

use crate::client::{Client, Request};
use crate::error::Error;
use crate::model::{ActionApproval, ActionApprovalId, SessionId};
use crate::paging::List;
use crate::sessions::Sessions;

// The contract's routes (`A-EP`).
const APPROVALS: &str = "/v1/sessions/{session_id}/action_approvals";
const APPROVAL: &str = "/v1/sessions/{session_id}/action_approvals/{action_approval_id}";

/// The calls on the ActionApprovals of one Session. They are decided by a
/// [`ToolConfirmation`](crate::input::ToolConfirmation) and by no call of their own.
#[derive(Debug, Clone)]
pub struct SessionActionApprovals {
    client: Client,
    session_id: SessionId,
}

impl Sessions<'_> {
    /// The calls on the ActionApprovals of one Session (`WAIT-1`).
    ///
    /// ```no_run
    /// use checkfu_sdk::model::ActionApprovalStatus;
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let mut approvals = client.sessions().action_approvals("sess_1").list().items();
    /// while let Some(approval) = approvals.try_next().await? {
    ///     if approval.status() == Some(&ActionApprovalStatus::Pending) {
    ///         println!("{:?} asks for {:?}", approval.tool_use_id(), approval.name());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn action_approvals(&self, session_id: impl Into<SessionId>) -> SessionActionApprovals {
        SessionActionApprovals {
            client: self.client().clone(),
            session_id: session_id.into(),
        }
    }
}

impl SessionActionApprovals {
    /// Lists the ActionApprovals, decided ones too.
    pub fn list(&self) -> List<ActionApproval> {
        let ids = [("session id", self.session_id.as_str())];
        let request = Request::to(Method::GET, APPROVALS, &ids).map_err(Error::from);
        List::new(self.client.clone(), request)
    }

    /// Reads one ActionApproval.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if the Session has no such ActionApproval.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn retrieve(&self, id: &ActionApprovalId) -> Result<ActionApproval, Error> {
        let ids = [
            ("session id", self.session_id.as_str()),
            ("action approval id", id.as_str()),
        ];
        let request = Request::to(Method::GET, APPROVAL, &ids)?;
        self.client
            .call(request, None)
            .await?
            .decode("the ActionApproval")
    }
}
