//! What a server has seen, for the tests of those who use it: Sessions read from behind, waits for what they become, and
//! comparisons whose failure is an error that a test prints.

mod error;
mod event;
mod expected;
mod mismatch;
mod pending;
mod received;
mod session;

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;

use crate::control::life::Life;
use crate::ledger::handle::LogEnd;
use crate::server::MockServer;
use crate::storage::error::StorageError;
use crate::storage::sessions::{self, Filter};
use crate::wire::error::{ApiError, Code};

pub use error::InspectError;
pub use event::LoggedEvent;
pub use expected::Expected;
pub use mismatch::Mismatch;
pub use pending::PendingWait;
pub use received::Received;
pub use session::Inspected;

/// Looking at what the server has, without a request: nothing of it is in the journal, no fault meets it.
impl MockServer {
    /// A Session as it is committed now, all of it from one commit.
    ///
    /// # Errors
    ///
    /// [`InspectError`] if there is no such Session or it cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed, so nothing is lost.
    ///
    /// ```
    /// # use checkfu_mock_server::{InspectError, MockServer};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let missing = server.session("sess_0123456789abcdef0123456789abcdef").await;
    /// assert!(matches!(missing, Err(InspectError::UnknownSession { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn session(&self, id: impl AsRef<str>) -> Result<Inspected, InspectError> {
        let life = self
            .control()
            .current()
            .life()
            .map_err(|_| InspectError::Stopped)?;
        Ok(look(&life, id.as_ref()).await?.0)
    }

    /// Every Session of the log in the order of creation, each as [`session`](Self::session) gives it, all from one commit.
    /// On a data directory those of earlier servers are among them.
    ///
    /// # Errors
    ///
    /// [`InspectError`] if they cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed, so nothing is lost.
    ///
    /// ```
    /// # use checkfu_mock_server::MockServer;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// // … the application under test has had no reason to create one …
    /// assert!(server.sessions().await?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sessions(&self) -> Result<Vec<Inspected>, InspectError> {
        let Life {
            ledger, workspace, ..
        } = self
            .control()
            .current()
            .life()
            .map_err(|_| InspectError::Stopped)?;
        let read = ledger.reader().read(move |log| {
            let rows = sessions::list(log, &workspace, &Filter::default(), 0, usize::MAX)?;
            rows.iter().map(|stored| session::read(log, stored.row)).collect()
        });
        read.await.map_err(unreadable)
    }

    /// Waits until a Session settles (SET-1) and gives it: it is terminal, or `idle` for another reason than
    /// `requires_action`. One that settled and was not driven since is given at once; a posted input that was accepted
    /// has driven it. One that was never driven, and one that waits for an answer, has not settled.
    ///
    /// `limit` is real time, whatever the server's clock does. A restart of the server in between is waited out.
    ///
    /// # Errors
    ///
    /// [`InspectError::Timeout`] tells what the Session waits for and what its log has.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed, so nothing is lost.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use checkfu_mock_server::{InspectError, MockServer};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let missing = "sess_0123456789abcdef0123456789abcdef";
    /// let missing = server.until_settled(missing, Duration::from_secs(5)).await;
    /// assert!(matches!(missing, Err(InspectError::UnknownSession { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn until_settled(
        &self,
        id: impl AsRef<str>,
        limit: Duration,
    ) -> Result<Inspected, InspectError> {
        self.wait(id.as_ref(), Inspected::is_settled, limit, "settled")
            .await
    }

    /// Waits until a Session is as `wanted` says, and gives it. It is asked about what is there now, and after every commit
    /// that wakes this wait; commits in quick succession may be seen as one.
    ///
    /// `limit` is real time, whatever the server's clock does. A restart of the server in between is waited out.
    ///
    /// # Errors
    ///
    /// [`InspectError::Timeout`] tells what the Session waits for and what its log has.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed, so nothing is lost.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use checkfu_mock_server::{InspectError, MockServer};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let id = "sess_0123456789abcdef0123456789abcdef";
    /// let asked = server.until(id, |session| !session.pending().is_empty(), Duration::from_secs(5));
    /// assert!(matches!(asked.await, Err(InspectError::UnknownSession { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn until(
        &self,
        id: impl AsRef<str>,
        wanted: impl FnMut(&Inspected) -> bool,
        limit: Duration,
    ) -> Result<Inspected, InspectError> {
        self.wait(id.as_ref(), wanted, limit, "become what was waited for")
            .await
    }

    /// The id of the AgentDeployment with this name: a built-in scenario's, or that of one that was given to
    /// [`MockServerBuilder::scenario`](crate::MockServerBuilder::scenario).
    ///
    /// # Errors
    ///
    /// [`InspectError::UnknownDeployment`] with the names that there are.
    ///
    /// ```
    /// # use checkfu_mock_server::MockServer;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// assert_eq!(server.deployment("plain")?, server.deployment_id());
    /// # Ok(())
    /// # }
    /// ```
    pub fn deployment(&self, name: &str) -> Result<String, InspectError> {
        let all = self.control().workspace().deployments();
        match all.iter().find(|deployment| deployment.name == name) {
            Some(found) => Ok(found.id.clone()),
            None => Err(InspectError::UnknownDeployment {
                name: name.to_owned(),
                known: all.into_iter().map(|deployment| deployment.name).collect(),
            }),
        }
    }

    /// The ids of the AgentDeployments of the scenarios that were given to
    /// [`MockServerBuilder::scenario`](crate::MockServerBuilder::scenario), by name.
    ///
    /// ```
    /// # use checkfu_mock_server::MockServer;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mine = "{name: mine, rules: [{input: message, steps: [{say: hello}]}]}";
    /// let server = MockServer::builder().scenario(mine)?.start().await?;
    /// assert_eq!(server.scenario_deployments()["mine"], server.deployment("mine")?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scenario_deployments(&self) -> BTreeMap<String, String> {
        let all = self.control().workspace().deployments();
        let given = all
            .into_iter()
            .filter(|deployment| self.given_scenarios().contains(&deployment.name));
        given.map(|deployment| (deployment.name, deployment.id)).collect()
    }

    /// What an application that takes its settings from the environment needs: `CHECKFU_BASE_URL`, `CHECKFU_API_KEY`,
    /// `CHECKFU_WORKSPACE_ID`, `CHECKFU_AGENT_DEPLOYMENT_ID` (of `plain`, whatever scenarios were given; see
    /// [`environment_of`](Self::environment_of)) and `CHECKFU_PRINCIPAL_ID`. The key is among the values.
    ///
    /// ```
    /// # use checkfu_mock_server::MockServer;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let mut application = std::process::Command::new("my-application");
    /// application.envs(server.environment());
    /// # Ok(())
    /// # }
    /// ```
    pub fn environment(&self) -> [(&'static str, String); 5] {
        self.environment_with(self.deployment_id().to_owned())
    }

    /// The same with the AgentDeployment of this name, as [`deployment`](Self::deployment) finds it.
    ///
    /// # Errors
    ///
    /// [`InspectError::UnknownDeployment`] with the names that there are.
    ///
    /// ```
    /// # use checkfu_mock_server::MockServer;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mine = "{name: mine, rules: [{input: message, steps: [{say: hello}]}]}";
    /// let server = MockServer::builder().scenario(mine)?.start().await?;
    /// let mut application = std::process::Command::new("my-application");
    /// application.envs(server.environment_of("mine")?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn environment_of(&self, deployment: &str) -> Result<[(&'static str, String); 5], InspectError> {
        Ok(self.environment_with(self.deployment(deployment)?))
    }

    fn environment_with(&self, deployment_id: String) -> [(&'static str, String); 5] {
        [
            ("CHECKFU_BASE_URL", self.url().to_owned()),
            ("CHECKFU_API_KEY", self.api_key().to_owned()),
            ("CHECKFU_WORKSPACE_ID", self.workspace_id().to_owned()),
            ("CHECKFU_AGENT_DEPLOYMENT_ID", deployment_id),
            ("CHECKFU_PRINCIPAL_ID", self.principal_id().to_owned()),
        ]
    }

    async fn wait(
        &self,
        id: &str,
        mut wanted: impl FnMut(&Inspected) -> bool,
        limit: Duration,
        aim: &'static str,
    ) -> Result<Inspected, InspectError> {
        let current = self.control().current();
        let mut latest = None;
        let waiting = async {
            loop {
                let life = current.next_life().await.map_err(|_| InspectError::Stopped)?;
                let (seen, mut end) = look(&life, id).await?;
                // Whoever waits must not hold the log: a restart needs it back.
                drop(life);
                if wanted(&seen) {
                    return Ok(seen);
                }
                latest = Some(seen);
                // An error says that the server restarts: the next life has the rest.
                let _ = end.changed().await;
            }
        };
        match tokio::time::timeout(limit, waiting).await {
            Ok(found) => found,
            Err(_) => {
                // With hardly any time at all it may not even have been looked at once.
                let seen = match latest {
                    Some(seen) => seen,
                    None => self.session(id).await?,
                };
                if wanted(&seen) {
                    return Ok(seen);
                }
                let stands_still = self.control().clock().stands_still();
                Err(InspectError::timeout(&seen, limit, aim, stands_still))
            }
        }
    }
}

/// Reads a Session; what commits after the read wakes the receiver.
async fn look(life: &Life, id: &str) -> Result<(Inspected, watch::Receiver<LogEnd>), InspectError> {
    let found = life.ledger.session(&life.workspace, id).await;
    let handle = found.map_err(|error| unknown(error, id))?;
    let mut end = handle.subscribe();
    end.mark_unchanged();
    let row = handle.row;
    drop(handle);
    let read = life.ledger.reader().read(move |log| session::read(log, row));
    Ok((read.await.map_err(unreadable)?, end))
}

fn unknown(error: ApiError, id: &str) -> InspectError {
    if error.code == Code::NotFound {
        InspectError::UnknownSession { id: id.to_owned() }
    } else {
        InspectError::Log {
            message: error.message,
        }
    }
}

fn unreadable(error: StorageError) -> InspectError {
    InspectError::Log {
        message: error.to_string(),
    }
}
