use http::Method;

use crate::client::{Client, Request, segment};
use crate::error::Error;
use crate::model::SessionId;
use crate::sessions::Sessions;

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

    pub(crate) fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// A request beneath the Session.
    pub(crate) fn request(&self, method: Method, beneath: &[&str]) -> Result<Request, Error> {
        let id = segment("session id", self.session_id.as_str())?;
        let mut request = Request::new(method, &["v1", "sessions", id]);
        request
            .path
            .extend(beneath.iter().map(|&segment| segment.to_owned()));
        Ok(request)
    }
}
