//! Calls on the Runs of one Session.

use http::Method;

use crate::client::{Client, Request};
use crate::error::Error;
use crate::model::{Run, RunId, SessionId};
use crate::paging::List;
use crate::sessions::Sessions;

// The contract's routes (`A-EP`).
const RUNS: &str = "/v1/sessions/{session_id}/runs";
const RUN: &str = "/v1/sessions/{session_id}/runs/{run_id}";

/// The calls on the Runs of one Session. A Run is started by what a client appends, and never by itself (`SES-3`).
#[derive(Debug, Clone)]
pub struct SessionRuns {
    client: Client,
    session_id: SessionId,
}

impl Sessions<'_> {
    /// The calls on the Runs of one Session (`RUN-1`).
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let mut runs = client.sessions().runs("sess_1").list().items();
    /// while let Some(run) = runs.try_next().await? {
    ///     println!("{} {:?} {:?}", run.id(), run.status(), run.cost());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn runs(&self, session_id: impl Into<SessionId>) -> SessionRuns {
        SessionRuns {
            client: self.client().clone(),
            session_id: session_id.into(),
        }
    }
}

impl SessionRuns {
    /// Lists the Runs. Those that a fork's source had are not among its own (`A-FORK`).
    pub fn list(&self) -> List<Run> {
        let ids = [("session id", self.session_id.as_str())];
        let request = Request::to(Method::GET, RUNS, &ids).map_err(Error::from);
        List::new(self.client.clone(), request)
    }

    /// Reads one Run.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if the Session has no such Run.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn retrieve(&self, run_id: &RunId) -> Result<Run, Error> {
        let ids = [
            ("session id", self.session_id.as_str()),
            ("run id", run_id.as_str()),
        ];
        let request = Request::to(Method::GET, RUN, &ids)?;
        self.client.call(request, None).await?.decode("the Run")
    }
}
