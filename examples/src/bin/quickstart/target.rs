//! The server that the quickstart talks to: the reference server in this process, or another one by address.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::ClientBuilder;

use crate::{arguments::Arguments, failure::Failure};

/// Long enough for a person to watch a turn, and for the cut to fall into it.
const STEP: Duration = Duration::from_millis(120);

/// A server, and whom a Session on it starts from and acts as.
#[derive(Debug)]
pub(crate) struct Target {
    place: Place,
    deployment: String,
    principal: String,
}

#[derive(Debug)]
enum Place {
    Here(Box<MockServer>),
    There { url: String },
}

impl Target {
    /// Starts the reference server, unless the arguments name another server.
    pub(crate) async fn start(arguments: &Arguments) -> Result<Self, Failure> {
        if let (Some(url), Some(deployment), Some(principal)) =
            (&arguments.url, &arguments.deployment, &arguments.principal)
        {
            return Ok(Self {
                place: Place::There { url: url.clone() },
                deployment: deployment.clone(),
                principal: principal.clone(),
            });
        }
        let server = MockServer::builder()
            .data_dir(arguments.dir.join("server"))
            .step_delay(STEP)
            .start()
            .await?;
        Ok(Self {
            deployment: server.deployment_id().to_owned(),
            principal: server.principal_id().to_owned(),
            place: Place::Here(Box::new(server)),
        })
    }

    /// What stays the same from run to run.
    pub(crate) fn name(&self) -> &str {
        match &self.place {
            Place::Here(_) => "the reference server in this process",
            Place::There { url } => url,
        }
    }

    pub(crate) fn description(&self) -> String {
        match &self.place {
            Place::Here(server) => format!("{} (the reference server, started here)", server.url()),
            Place::There { url } => url.clone(),
        }
    }

    pub(crate) fn deployment(&self) -> &str {
        &self.deployment
    }

    pub(crate) fn principal(&self) -> &str {
        &self.principal
    }

    /// Adds address and key; those of another server come from its address and `CHECKFU_API_KEY`.
    pub(crate) fn client(&self, builder: ClientBuilder) -> Result<ClientBuilder, Failure> {
        Ok(match &self.place {
            Place::Here(server) => builder.base_url(server.url()).api_key(server.api_key()),
            Place::There { url } => builder.environment()?.base_url(url),
        })
    }

    pub(crate) async fn stop(self) {
        if let Place::Here(server) = self.place {
            server.shutdown().await;
        }
    }
}
