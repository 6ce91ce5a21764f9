use http::Method;

use crate::client::{Client, Request, segment};
use crate::error::Error;
use crate::model::SessionId;
use crate::sessions::Sessions;

/// One Session.
pub(crate) const SESSION: &str = "/v1/sessions/{session_id}";

/// The log of one Session.
pub(crate) const EVENTS: &str = "/v1/sessions/{session_id}/events";

/// The calls on the events of one Session.
#[derive(Debug, Clone)]
pub struct SessionEvents {
    client: Client,
    session_id: SessionId,
}

impl Sessions<'_> {
    /// The calls on the events of one Session.
    pub fn events(&self, session_id: impl Into<SessionId>) -> SessionEvents {
        SessionEvents {
            client: self.client().clone(),
            session_id: session_id.into(),
        }
    }
}

impl SessionEvents {
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The Session.
    pub fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// A request for a route whose one name is the Session's id.
    pub(crate) fn request(&self, method: Method, route: &'static str) -> Result<Request, Error> {
        let id = segment("session id", self.session_id.as_str())?;
        Ok(Request::new(method, route, &[id]))
    }
}
