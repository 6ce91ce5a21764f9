//! The server that the quickstart talks to: the reference server in this process, or another one by address.

use std::{env, time::Duration};

use checkfu_mock_server::MockServer;
use checkfu_sdk::{Client, ClientBuilder};

use crate::{arguments::Arguments, failure::Failure, relay::Relay};

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
        if let Some(url) = &arguments.url {
            let missing = |variable, flag| Failure::MissingId { variable, flag };
            let deployment = arguments.deployment.clone();
            let principal = arguments.principal.clone();
            return Ok(Self {
                place: Place::There {
                    url: url.trim_end_matches('/').to_owned(),
                },
                deployment: deployment.ok_or(missing("CHECKFU_AGENT_DEPLOYMENT_ID", "--deployment"))?,
                principal: principal.ok_or(missing("CHECKFU_PRINCIPAL_ID", "--principal"))?,
            });
        }
        let path = arguments.dir.join("server");
        let server = MockServer::builder()
            .data_dir(&path)
            .step_delay(STEP)
            .start()
            .await;
        let server = server.map_err(|source| Failure::Server { path, source })?;
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

    /// A client of the server, through `relay`. Another server's key comes from `CHECKFU_API_KEY`.
    pub(crate) fn client(&self, relay: &Relay) -> Result<Client, Failure> {
        Ok(self.address(Client::builder())?.proxy(relay.url()).build()?)
    }

    fn address(&self, builder: ClientBuilder) -> Result<ClientBuilder, Failure> {
        match &self.place {
            Place::Here(server) => Ok(builder.base_url(server.url()).api_key(server.api_key())),
            Place::There { .. } if env::var_os("CHECKFU_API_KEY").is_none_or(|key| key.is_empty()) => {
                Err(Failure::MissingKey)
            }
            Place::There { url } => Ok(builder.environment()?.base_url(url)),
        }
    }

    pub(crate) async fn stop(self) {
        if let Place::Here(server) = self.place {
            server.shutdown().await;
        }
    }
}
