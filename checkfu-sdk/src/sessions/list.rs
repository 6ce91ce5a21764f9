use http::Method;

use crate::client::{Client, Request};
use crate::model::{AgentDeploymentId, Session, SessionStatus};
use crate::paging::{Items, Pages, by_token};

/// A list of Sessions.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until the pages or items are polled"]
pub struct ListSessions {
    client: Client,
    query: Vec<(&'static str, String)>,
    page: Option<String>,
}

impl ListSessions {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            query: Vec::new(),
            page: None,
        }
    }

    /// The most Sessions on one page; the server has a default and a cap.
    pub fn limit(mut self, limit: u32) -> Self {
        self.query.push(("limit", limit.to_string()));
        self
    }

    /// Only Sessions of this status.
    pub fn status(mut self, status: &SessionStatus) -> Self {
        self.query.push(("status", status.to_string()));
        self
    }

    /// Only Sessions of this deployed Agent.
    pub fn agent_deployment_id(mut self, id: &AgentDeploymentId) -> Self {
        self.query.push(("agent_deployment_id", id.to_string()));
        self
    }

    /// Begins at the page of this token, a `next_page` from before.
    pub fn page(mut self, token: impl Into<String>) -> Self {
        self.page = Some(token.into());
        self
    }

    /// The pages.
    pub fn pages(self) -> Pages<Session> {
        let mut list = Request::new(Method::GET, "/v1/sessions", &[]);
        list.query = self.query;
        by_token(self.client, list, self.page)
    }

    /// The Sessions, page after page.
    pub fn items(self) -> Items<Session> {
        self.pages().items()
    }
}
