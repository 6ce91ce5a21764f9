//! Drives Runs: one task for each active Run asks its agent for the next step and reports it to the log.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::agent;
use crate::clock::Clock;
use crate::core::moment::Moment;
use crate::ledger::Ledger;
use crate::ledger::activation::{Activation, Notice};
use crate::ledger::entropy::SystemEntropy;
use crate::stop::Stopping;
use crate::timekeeper::Timekeeper;

/// What to wait before a step is tried again after the storage refused it. Over a damaged log it is not: nothing mends
/// it while the server runs.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Takes Runs as they become active.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    step_delay: Duration,
    stopping: Stopping,
}

impl Runner {
    pub(crate) fn new(ledger: Ledger, step_delay: Duration, stopping: Stopping) -> Self {
        let clock = Arc::clone(ledger.clock());
        Self {
            ledger,
            clock,
            step_delay,
            stopping,
        }
    }

    /// Drives every Run that comes, and lets happen what is due, until the server stops. A Run that is cut off goes on at
    /// the next start.
    pub(crate) async fn run(self, mut notices: mpsc::UnboundedReceiver<Notice>) {
        let mut driving = JoinSet::new();
        let mut timekeeper = Timekeeper::default();
        let mut alarm = self.alarm(None);
        loop {
            tokio::select! {
                Some(notice) = notices.recv() => match notice {
                    Notice::Drive(activation) => {
                        let runner = self.clone();
                        driving.spawn(async move { runner.drive(activation).await });
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
                Some(_) = driving.join_next() => {}
                () = self.stopping.requested() => break,
            }
        }
        while driving.join_next().await.is_some() {}
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
            mut assignment,
        } = activation;
        while let Some(step) = agent::next_step(&assignment, &mut SystemEntropy) {
            if !self.pause(self.step_delay).await {
                return;
            }
            match self.ledger.step(Arc::clone(&session), run.clone(), step).await {
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
