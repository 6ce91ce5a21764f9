//! Calls on Sessions.

mod create;
mod end;
mod fork;
mod list;

pub use create::CreateSession;
pub use fork::ForkSession;
pub use list::ListSessions;

use http::Method;

use crate::client::{Client, Request, segment};
use crate::error::Error;
use crate::model::{AgentDeploymentId, PrincipalId, Session, SessionId};

/// The route of a Session; like the others that the pages do not name, it is the contract's (`A-EP`).
pub(crate) const SESSION: &str = "/v1/sessions/{session_id}";

/// The calls on Sessions.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'c> {
    client: &'c Client,
}

impl Client {
    /// The calls on Sessions.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions { client: self }
    }
}

impl<'c> Sessions<'c> {
    pub(crate) fn client(&self) -> &'c Client {
        self.client
    }

    /// Starts a Session of a deployed Agent that acts as a Principal.
    ///
    /// ```no_run
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let session = client.sessions().create("adep_1", "prin_1").title("Release note").send().await?;
    /// println!("{}", session.id());
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(
        &self,
        agent_deployment_id: impl Into<AgentDeploymentId>,
        principal_id: impl Into<PrincipalId>,
    ) -> CreateSession {
        CreateSession::new(
            self.client.clone(),
            agent_deployment_id.into(),
            principal_id.into(),
        )
    }

    /// Reads one Session.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if no such Session is in reach; it needs a fix, not a retry (`WIRE-2`).
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn retrieve(&self, id: &SessionId) -> Result<Session, Error> {
        let id = segment("session id", id.as_str())?;
        let request = Request::new(Method::GET, SESSION, &[id]);
        self.client.call(request, None).await?.decode("the session")
    }

    /// Lists Sessions.
    pub fn list(&self) -> ListSessions {
        ListSessions::new(self.client.clone())
    }
}
