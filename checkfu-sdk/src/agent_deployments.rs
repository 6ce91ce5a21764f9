//! What a deployment of the API offers: deployed Agents and capabilities.

use http::Method;

use crate::client::{Client, Request};
use crate::error::Error;
use crate::model::{AgentDeployment, AgentDeploymentId, Capability, Page};
use crate::paging::List;

// The contract's routes (`A-EP`).
const DEPLOYMENTS: &str = "/v1/agent_deployments";
const DEPLOYMENT: &str = "/v1/agent_deployments/{agent_deployment_id}";
const CAPABILITIES: &str = "/v1/capabilities";

/// The calls on deployed Agents.
#[derive(Debug, Clone, Copy)]
pub struct AgentDeployments<'c> {
    client: &'c Client,
}

impl Client {
    /// The calls on deployed Agents, from which Sessions start (`SES-2`).
    pub fn agent_deployments(&self) -> AgentDeployments<'_> {
        AgentDeployments { client: self }
    }

    /// What this deployment of the API has enabled, and what not (`A-CAP`).
    ///
    /// ```no_run
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let capabilities = client.capabilities().await?;
    /// let can_fork = capabilities.iter().any(|capability| capability.id == "forks" && capability.enabled);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Api`] if the server refuses; [`Error::Transport`] if no answer came.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn capabilities(&self) -> Result<Vec<Capability>, Error> {
        let request = Request::to(Method::GET, CAPABILITIES, &[])?;
        let page: Page<Capability> = self.call(request, None).await?.decode("the capabilities")?;
        Ok(page.data)
    }
}

impl AgentDeployments<'_> {
    /// Lists the deployed Agents.
    pub fn list(&self) -> List<AgentDeployment> {
        let request = Request::to(Method::GET, DEPLOYMENTS, &[]).map_err(Error::from);
        List::new(self.client.clone(), request)
    }

    /// Reads one deployed Agent with its revisions.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if no such Agent is in reach.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn retrieve(&self, id: &AgentDeploymentId) -> Result<AgentDeployment, Error> {
        let request = Request::to(Method::GET, DEPLOYMENT, &[("agent deployment id", id.as_str())])?;
        self.client
            .call(request, None)
            .await?
            .decode("the deployed Agent")
    }
}
