//! The server from behind: faults, time, restarts, and what was asked of it.

pub(crate) mod clock;
mod input;
pub(crate) mod life;
pub(crate) mod restart;
pub(crate) mod retention;
mod retention_routes;
pub(crate) mod routes;
pub(crate) mod workspace;
mod workspace_routes;

use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

use crate::fault::Faults;
use crate::journal::{Journal, JournalEntry};
#[cfg(feature = "mutants")]
use crate::mutant::Mutant;
use crate::mutant::Mutants;
use clock::ServerClock;
use life::Current;
use restart::{Command, Restart, RestartError};
use workspace::Workspace;

/// The server from behind. Clones control the same server; the control listener does the same over HTTP.
#[derive(Debug, Clone)]
pub struct Control {
    faults: Faults,
    journal: Journal,
    clock: ServerClock,
    #[cfg_attr(
        not(feature = "mutants"),
        allow(dead_code, reason = "it is asked for mutants alone")
    )]
    mutants: Mutants,
    commands: mpsc::Sender<Command>,
    current: Current,
}

/// The clock cannot be moved: it was given to the builder, and only its owner moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this clock was given to the server and is moved by its owner alone; give a ManualClock or none")]
pub struct FixedClock;

impl Control {
    pub(crate) fn new(
        faults: Faults,
        journal: Journal,
        clock: ServerClock,
        mutants: Mutants,
    ) -> (Self, mpsc::Receiver<Command>) {
        let (commands, commanded) = mpsc::channel(16);
        let control = Self {
            faults,
            journal,
            clock,
            mutants,
            commands,
            current: Current::default(),
        };
        (control, commanded)
    }

    /// The faults that are planned.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The latest requests in the order of arrival, at most 1000; no keys, no bodies.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.journal.entries()
    }

    /// Principals and AgentDeployments.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            current: self.current.clone(),
            clock: self.clock.shared(),
        }
    }

    /// The server's time.
    pub fn now(&self) -> Timestamp {
        self.clock.shared().now()
    }

    /// Moves the server's time forward: deadlines, expiries, keep-alive comments and the steps of agents that are due by
    /// then happen, and what follows from them waits for its own time: a Run moves by one step, however far this goes. Gives
    /// the new time at once. Time never goes back.
    ///
    /// # Errors
    ///
    /// [`FixedClock`] if the server was given a clock that is no [`ManualClock`](crate::ManualClock).
    pub fn advance(&self, by: Duration) -> Result<Timestamp, FixedClock> {
        if self.clock.advance(by) {
            Ok(self.now())
        } else {
            Err(FixedClock)
        }
    }

    /// Copies the whole log as it is committed now; gives the copy's name. At most 8 are kept, in memory.
    ///
    /// # Errors
    ///
    /// [`RestartError`] if the log cannot be copied, or the server does not run.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the name, not the copy.
    pub async fn snapshot(&self) -> Result<String, RestartError> {
        let (answer, answered) = oneshot::channel();
        self.command(Command::Snapshot(answer)).await?;
        answered.await.unwrap_or(Err(RestartError::Stopped))
    }

    /// Restarts the server; when this returns it answers again.
    ///
    /// # Errors
    ///
    /// [`RestartError`] says why it did not come back, or that it was not stopped at all.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not keep the server from restarting.
    pub async fn restart(&self, restart: Restart) -> Result<(), RestartError> {
        let (answer, answered) = oneshot::channel();
        self.command(Command::Restart(restart, answer)).await?;
        answered.await.unwrap_or(Err(RestartError::Stopped))
    }

    /// The promises that are being broken.
    #[cfg(feature = "mutants")]
    pub fn mutants(&self) -> Vec<Mutant> {
        self.mutants.active()
    }

    /// Breaks these promises and no others, from the next request on.
    #[cfg(feature = "mutants")]
    pub fn set_mutants(&self, mutants: &[Mutant]) {
        self.mutants.set(mutants);
    }

    /// Where each life puts its catalog.
    pub(crate) fn current(&self) -> Current {
        self.current.clone()
    }

    pub(crate) fn clock(&self) -> &ServerClock {
        &self.clock
    }

    async fn command(&self, command: Command) -> Result<(), RestartError> {
        self.commands
            .send(command)
            .await
            .map_err(|_| RestartError::Stopped)
    }
}
