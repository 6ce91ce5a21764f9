//! Starts what the settings describe.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::error::StartError;
use super::instance::{self, Instance, Lasting};
use super::listener;
use super::plain::Plain;
use super::running::{ControlAddress, MockServer};
use super::settings::{ControlSettings, Settings};
use super::snapshot::Snapshots;
use super::store::fresh_key;
use super::supervisor::Supervisor;
use super::terms::Terms;
use super::tls::Tls;
use crate::api_key;
use crate::control::{Control, routes};
use crate::fault::{Faults, hostile};
use crate::journal::Journal;
use crate::ledger::entropy::SystemEntropy;
use crate::mutant::Mutants;
use crate::scenario::parse::parse;
use crate::stop::{Stop, Stopping};

/// The longest drain.
const MAX_DRAIN: Duration = Duration::from_secs(600);

pub(super) async fn start(settings: Settings) -> Result<MockServer, StartError> {
    check(&settings)?;
    let settings = Arc::new(settings);
    let (store, api_key) = instance::open(&settings, None).await?;
    let place = store.place.clone();
    let listener = bind(settings.host, settings.port).await?;
    let address = listener.local_addr().map_err(StartError::System)?;
    let terms = terms(&settings).await?;
    let seed = settings
        .seed
        .unwrap_or_else(|| u64::from_le_bytes(SystemEntropy::bytes()));
    let faults = Faults::new(seed);
    settings
        .faults
        .iter()
        .cloned()
        .for_each(|fault| drop(faults.plan(fault)));
    if settings.hostile {
        hostile::plan(&faults);
    }
    let mutants = Mutants::default();
    #[cfg(feature = "mutants")]
    mutants.set(&settings.mutants);
    let journal = Journal::default();
    let (control, commands) = Control::new(
        faults.clone(),
        journal.clone(),
        settings.clock.clone(),
        mutants.clone(),
    );
    let (stop, stopping) = Stop::new();
    let mut tasks = Vec::new();
    let control_address = match &settings.control {
        Some(wanted) => {
            let (address, task) = serve_control(wanted, &control, &terms, stopping.clone()).await?;
            tasks.push(task);
            Some(address)
        }
        None => None,
    };
    let lasting = Lasting {
        settings: Arc::clone(&settings),
        api_key: api_key.clone(),
        faults,
        journal,
        mutants,
        current: control.current(),
    };
    let (first_stop, life) = Stop::new();
    let instance = Instance::start(&lasting, store, life.clone()).await?;
    let known = instance.known.clone();
    let certificate_pem = terms
        .identity
        .as_ref()
        .map(|identity| identity.certificate_pem.clone());
    let supervisor = Supervisor {
        lasting,
        terms,
        address,
        listener: Some(listener),
        place,
        commands,
        snapshots: Snapshots::default(),
    };
    tasks.push(tokio::spawn(supervisor.run(
        instance,
        (first_stop, life),
        stopping,
    )));
    tracing::info!(%address, tls = certificate_pem.is_some(), seed, "listening");
    let scheme = if certificate_pem.is_some() {
        "https"
    } else {
        "http"
    };
    Ok(MockServer {
        address,
        url: format!("{scheme}://{address}"),
        api_key,
        known,
        certificate_pem,
        control,
        control_address,
        scenarios: settings
            .scenarios
            .iter()
            .filter_map(|yaml| Some(parse(yaml).ok()?.name))
            .collect(),
        stop,
        drain: settings.drain,
        tasks,
    })
}

fn check(settings: &Settings) -> Result<(), StartError> {
    if settings.keep_alive.is_zero() {
        return Err(StartError::KeepAlive);
    }
    if settings.idle_limit.is_zero() {
        return Err(StartError::Limit {
            what: "the idle limit",
        });
    }
    if settings.max_connections == 0 {
        return Err(StartError::Limit {
            what: "the number of connections",
        });
    }
    if settings.drain > MAX_DRAIN {
        return Err(StartError::Drain);
    }
    for fault in &settings.faults {
        if let Some(problem) = fault.misfit() {
            let fault = serde_json::to_string(fault).unwrap_or_default();
            return Err(StartError::Fault { fault, problem });
        }
    }
    let token = settings
        .control
        .as_ref()
        .and_then(|control| control.token.as_deref());
    if token.is_some_and(|token| !api_key::is_valid(token)) {
        return Err(StartError::ControlToken);
    }
    Ok(())
}

async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, StartError> {
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address)
        .await
        .map_err(|source| StartError::Bind { address, source })
}

async fn terms(settings: &Arc<Settings>) -> Result<Terms, StartError> {
    let identity = match settings.tls.clone() {
        None => None,
        Some(tls) => Some(identity(tls, Arc::clone(settings)).await?),
    };
    Ok(Terms {
        identity,
        idle_limit: settings.idle_limit,
        // More than a semaphore can count is as good as no limit.
        max_connections: settings.max_connections.min(tokio::sync::Semaphore::MAX_PERMITS),
        drain: settings.drain,
    })
}

/// Making a certificate takes a while of computing, so it is done where that holds up nobody.
async fn identity(tls: Tls, settings: Arc<Settings>) -> Result<super::tls::Identity, StartError> {
    let made = tokio::task::spawn_blocking(move || tls.identity(settings.host, settings.data_dir.as_deref()));
    made.await.unwrap_or_else(|error| {
        Err(StartError::Tls {
            problem: error.to_string(),
        })
    })
}

async fn serve_control(
    wanted: &ControlSettings,
    control: &Control,
    terms: &Terms,
    stopping: Stopping,
) -> Result<(ControlAddress, JoinHandle<()>), StartError> {
    let listener = bind(wanted.host, wanted.port).await?;
    let address = listener.local_addr().map_err(StartError::System)?;
    let token = wanted.token.clone().unwrap_or_else(fresh_key);
    let router: Router = routes::router(control.clone(), &token);
    // What is not for the network needs no certificate.
    let terms = Terms {
        identity: None,
        ..terms.clone()
    };
    tracing::info!(%address, "control is listening");
    let serving = async move { listener::serve(&listener, Plain(router), &terms, stopping).await };
    let known = ControlAddress {
        url: format!("http://{address}"),
        token,
    };
    Ok((known, tokio::spawn(serving)))
}
