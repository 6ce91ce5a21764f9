//! One life of the server, from its opening of the log to its letting go of it.

use std::sync::Arc;
use std::thread;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::error::StartError;
use super::front::Front;
use super::settings::Settings;
use super::store::{Place, Store};
use crate::catalog::Catalog;
use crate::control::life::{Current, Life};
use crate::core::id::{PrincipalId, WorkspaceId};
use crate::core::moment::Moment;
use crate::fault::Faults;
use crate::http::challenge::Challenges;
use crate::http::idempotency::InFlight;
use crate::http::key_ring::KeyRing;
use crate::http::page_token::PageTokens;
use crate::http::router::router;
use crate::http::state::{Shared, State};
use crate::journal::Journal;
use crate::ledger::Ledger;
use crate::ledger::entropy::SystemEntropy;
use crate::ledger::folds::Folds;
use crate::mutant::Mutants;
use crate::runner::Runner;
use crate::stop::Stopping;
use crate::storage::error::StorageError;
use crate::storage::writer::Writer;

/// What outlives a restart.
#[derive(Debug, Clone)]
pub(super) struct Lasting {
    pub(super) settings: Arc<Settings>,
    pub(super) api_key: String,
    pub(super) faults: Faults,
    pub(super) journal: Journal,
    pub(super) mutants: Mutants,
    pub(super) current: Current,
}

/// The ids that a caller starts with.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) workspace_id: String,
    pub(super) principal_id: String,
    pub(super) deployment_id: String,
}

/// A server that answers.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) front: Front,
    pub(super) known: Known,
    current: Current,
    runner: JoinHandle<()>,
    writer: thread::JoinHandle<()>,
}

impl Instance {
    /// Goes on with Runs that had not settled.
    pub(super) async fn start(
        lasting: &Lasting,
        store: Store,
        stopping: Stopping,
    ) -> Result<Self, StartError> {
        let settings = &lasting.settings;
        let clock = settings.clock.shared();
        let (activations, activated) = mpsc::unbounded_channel();
        let workspace = WorkspaceId::from_number(1);
        let principal = PrincipalId::from_number(1);
        let mut principals = settings.principals.clone();
        principals.push(principal.clone());
        let catalog = Catalog::open(&store.connection, &workspace, &principals)?;
        for yaml in &settings.scenarios {
            catalog.keep(yaml, Moment::from(clock.now()), &mut SystemEntropy)?;
        }
        let (writer, thread) = Writer::start(
            store.connection,
            Folds::default(),
            store.directory,
            lasting.mutants.clone(),
        )
        .map_err(StartError::System)?;
        let ledger = Ledger::new(writer, store.reader, activations, Arc::clone(&clock));
        let resumed = ledger.resume().await?;
        let known = Known {
            workspace_id: workspace.to_string(),
            principal_id: principal.to_string(),
            deployment_id: catalog
                .deployments()
                .first()
                .map(|plain| plain.id.to_string())
                .unwrap_or_default(),
        };
        lasting.current.begin(Life {
            catalog: catalog.clone(),
            ledger: ledger.clone(),
            workspace: workspace.clone(),
        });
        let runner = Runner::new(
            ledger.clone(),
            catalog.clone(),
            settings.step_delay,
            stopping.clone(),
        );
        let shared = Shared(Arc::new(State {
            ledger,
            catalog,
            capabilities: settings.capabilities.clone(),
            keys: KeyRing::new(&lasting.api_key, workspace),
            tokens: PageTokens::new(store.page_secret),
            challenges: Challenges::new(store.challenge_secret),
            in_flight: InFlight::default(),
            clock: Arc::clone(&clock),
            keep_alive: settings.keep_alive,
            body_limit: settings.body_limit,
            stopping: stopping.clone(),
        }));
        tracing::info!(resumed, "the log is open");
        Ok(Self {
            front: Front {
                router: router(shared),
                faults: lasting.faults.clone(),
                journal: lasting.journal.clone(),
                mutants: lasting.mutants.clone(),
                clock,
                stopping,
            },
            known,
            current: lasting.current.clone(),
            runner: tokio::spawn(lasting.mutants.clone().enter(runner.run(activated))),
            writer: thread,
        })
    }

    /// Lets go of the log, by the deadline at the latest. Whoever served for it has to have stopped.
    pub(super) async fn end(self, deadline: Instant) {
        let Self {
            front,
            current,
            runner,
            writer,
            ..
        } = self;
        drop(front);
        current.end();
        let stop = runner.abort_handle();
        if tokio::time::timeout_at(deadline, runner).await.is_err() {
            stop.abort();
            tracing::warn!("the agents did not stop in time");
        }
        // The writer ends when the last request has let go of it.
        let ended = tokio::task::spawn_blocking(move || writer.join().is_ok());
        if tokio::time::timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("the writer did not stop in time");
        }
    }
}

/// Opens the log: where it is already, or else where the settings say. Gives the key too.
pub(super) async fn open(
    settings: &Arc<Settings>,
    place: Option<&Place>,
) -> Result<(Store, String), StartError> {
    let settings = Arc::clone(settings);
    let memory = match place {
        Some(Place::Memory(memory)) => Some(Arc::clone(memory)),
        Some(Place::File(_)) | None => None,
    };
    let opened = tokio::task::spawn_blocking(move || {
        Store::open(settings.data_dir.as_deref(), memory, settings.api_key.clone())
    });
    opened.await.map_err(|_| StorageError::Closed)?
}
