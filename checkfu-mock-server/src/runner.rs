//! Drives Runs: one task for each driven Run asks its Agent for the next step, shows its previews and reports it to the
//! log. It also lets happen what time brings.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::agent;
use crate::agent::next::{Next, Preview};
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::ledger::Ledger;
use crate::ledger::activation::{Activation, Notice};
use crate::ledger::entropy::SystemEntropy;
use crate::ledger::handle::SessionHandle;
use crate::ledger::preview::PreviewFrame;
use crate::mutant::{self, Mutant};
use crate::stop::Stopping;
use crate::timekeeper::Timekeeper;

/// What to wait before a step is tried again after the storage refused it. Over a damaged log it is not: nothing mends
/// it while the server runs.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Takes Runs as they become driven.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    ledger: Ledger,
    catalog: Catalog,
    clock: Arc<dyn Clock>,
    step_delay: Duration,
    stopping: Stopping,
}

impl Runner {
    pub(crate) fn new(ledger: Ledger, catalog: Catalog, step_delay: Duration, stopping: Stopping) -> Self {
        let clock = Arc::clone(ledger.clock());
        Self {
            ledger,
            catalog,
            clock,
            step_delay,
            stopping,
        }
    }

    /// Drives every Run that comes, and lets happen what is due, until the server stops. A Run that is cut off goes on at
    /// the next start.
    pub(crate) async fn run(self, mut notices: mpsc::UnboundedReceiver<Notice>) {
        let mut tasks = JoinSet::new();
        let mut drivers: HashMap<RunId, AbortHandle> = HashMap::new();
        let mut timekeeper = Timekeeper::default();
        let mut alarm = self.alarm(None);
        loop {
            tokio::select! {
                Some(notice) = notices.recv() => match notice {
                    // What it was about to do has lost its place: it shows nothing more (PRV-4).
                    Notice::Rest(run) => {
                        if let Some(driver) = drivers.remove(&run) {
                            driver.abort();
                        }
                    }
                    Notice::Drive(activation) => {
                        let (runner, run) = (self.clone(), activation.run.clone());
                        drivers.insert(run, tasks.spawn(mutant::carry(async move { runner.drive(activation).await })));
                    }
                    Notice::Due(session, at) => {
                        timekeeper.note(session, at);
                        alarm = self.alarm(timekeeper.next());
                    }
                },
                () = &mut alarm => {
                    for session in timekeeper.take_due(Moment::from(self.clock.now())) {
                        self.ledger.tick(session);
                    }
                    alarm = self.alarm(timekeeper.next());
                }
                Some(_) = tasks.join_next() => {}
                () = self.stopping.requested() => break,
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Ends when this moment has come by the server's clock; never without one.
    fn alarm(&self, at: Option<Moment>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        match at {
            None => Box::pin(std::future::pending()),
            Some(at) => {
                let left = at.since(Moment::from(self.clock.now()));
                self.clock.sleep(Duration::from_millis(left.unsigned_abs()))
            }
        }
    }

    async fn drive(self, activation: Activation) {
        let Activation {
            session,
            run,
            place,
            mut assignment,
        } = activation;
        let deployment = assignment.deployment.clone();
        let revision = if mutant::active(Mutant::RevisionFollows) {
            self.catalog.latest(&deployment).unwrap_or_default()
        } else {
            assignment.revision
        };
        let Some(scenario) = self.catalog.scenario(&deployment, revision) else {
            tracing::error!(run = run.as_str(), %deployment, revision, "the revision is gone");
            return;
        };
        while let Next::Step(planned) = agent::next(&scenario, &run, &assignment, &mut SystemEntropy) {
            if !self.pause(self.step_delay.saturating_add(planned.after)).await {
                return;
            }
            if let Some(preview) = &planned.preview
                && !self.show(&session, place, preview).await
            {
                return;
            }
            let step = self.ledger.step(Arc::clone(&session), run.clone(), planned.step);
            match step.await {
                Ok(Some(next)) => assignment = next,
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, run = run.as_str(), "step");
                    if error.is_damage() || !self.pause(RETRY_DELAY).await {
                        return;
                    }
                }
            }
        }
    }

    /// PRV-2: the start, the pieces, and a last pause before the event itself; false when the server stops meanwhile.
    async fn show(&self, session: &SessionHandle, place: usize, preview: &Preview) -> bool {
        session.show(|| PreviewFrame::start(place, preview.event_type, &preview.event_id));
        for piece in &preview.pieces {
            if !self.pause(preview.every).await {
                return false;
            }
            session.show(|| PreviewFrame::delta(place, &preview.event_id, piece));
        }
        self.pause(preview.every).await
    }

    /// Waits by the server's clock; false when the server stops meanwhile.
    async fn pause(&self, duration: Duration) -> bool {
        let mut sleep = self.clock.sleep(duration);
        tokio::select! {
            biased;
            () = self.stopping.requested() => false,
            () = &mut sleep => true,
        }
    }
}
