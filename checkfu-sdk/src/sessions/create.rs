use std::collections::BTreeMap;

use http::Method;
use serde::Serialize;

use crate::client::{Client, IdempotencyKey, Request};
use crate::error::Error;
use crate::model::{AgentDeploymentId, PrincipalId, Session};

/// A Session about to be created.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct CreateSession {
    client: Client,
    body: Body,
    idempotency_key: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Body {
    agent_deployment_id: AgentDeploymentId,
    principal_id: PrincipalId,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_deployment_revision_number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
}

impl CreateSession {
    pub(super) fn new(
        client: Client,
        agent_deployment_id: AgentDeploymentId,
        principal_id: PrincipalId,
    ) -> Self {
        let body = Body {
            agent_deployment_id,
            principal_id,
            agent_deployment_revision_number: None,
            title: None,
            metadata: BTreeMap::new(),
        };
        Self {
            client,
            body,
            idempotency_key: None,
        }
    }

    /// Pins a revision of the deployment. Default: the one that is current when the Session is admitted.
    pub fn revision(mut self, number: u64) -> Self {
        self.body.agent_deployment_revision_number = Some(number);
        self
    }

    /// Gives the Session a title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.body.title = Some(title.into());
        self
    }

    /// Adds a pair of the caller's own: at most 16, keys of at most 64 characters, values of at most 512.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.body.metadata.insert(key.into(), value.into());
        self
    }

    /// Names this logical call, so that a later call with the same key gives the same Session. Default: a new
    /// random key for each [`send`](Self::send), kept over its retries (`A-IDEM`). It has 1 to 255 visible ASCII
    /// characters; another is refused as [`Error::Config`] and nothing is sent.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Creates the Session.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] if the server refuses; [`Error::Transport`] if no answer came.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the Session may have been created. With an
    /// [`idempotency_key`](Self::idempotency_key) of the caller's own the same call finds out.
    pub async fn send(self) -> Result<Session, Error> {
        let key = IdempotencyKey::own_or_random(self.idempotency_key.as_deref())?;
        let request = Request::new(Method::POST, "/v1/sessions", &[]).json(&self.body)?;
        self.client.call(request, Some(key)).await?.decode("the session")
    }
}
