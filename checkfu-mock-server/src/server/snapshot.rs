//! Copies of the whole log, to be put back as a restored backup would.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::store::Place;
use crate::control::restart::{Restart, RestartError};
use crate::storage::error::StorageError;

/// How many copies are kept; the oldest goes first.
const CAPACITY: usize = 8;

/// The copies, by number.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    kept: Vec<(u64, Arc<Mutex<Connection>>)>,
    made: u64,
}

impl Snapshots {
    /// Copies the log as it is committed now; gives the copy's name.
    pub(super) async fn take(&mut self, place: &Place) -> Result<String, RestartError> {
        let copy = Arc::new(Mutex::new(
            Connection::open_in_memory().map_err(StorageError::from)?,
        ));
        let target = Arc::clone(&copy);
        blocking(place, move |log| transfer(log, &mut lock(&target))).await?;
        self.made += 1;
        if self.kept.len() == CAPACITY {
            self.kept.remove(0);
        }
        self.kept.push((self.made, copy));
        Ok(name(self.made))
    }

    /// Puts a copy back. Nobody may use the log.
    pub(super) async fn restore(&self, wanted: &str, place: &Place) -> Result<(), RestartError> {
        let found = self.kept.iter().find(|(number, _)| name(*number) == wanted);
        let copy = found.map(|(_, copy)| Arc::clone(copy));
        let copy = copy.ok_or_else(|| RestartError::Snapshot {
            id: wanted.to_owned(),
        })?;
        Ok(blocking(place, move |log| transfer(&lock(&copy), log)).await?)
    }

    /// That the copy is there which a restart wants.
    pub(super) fn check(&self, restart: &Restart) -> Result<(), RestartError> {
        match &restart.restore {
            Some(wanted) if !self.kept.iter().any(|(number, _)| name(*number) == *wanted) => {
                Err(RestartError::Snapshot { id: wanted.clone() })
            }
            _ => Ok(()),
        }
    }
}

fn name(number: u64) -> String {
    format!("snapshot_{number}")
}

/// Gives the log's database to `work`, off the threads that serve.
async fn blocking(
    place: &Place,
    work: impl FnOnce(&mut Connection) -> Result<(), StorageError> + Send + 'static,
) -> Result<(), StorageError> {
    let place = place.clone();
    let done = tokio::task::spawn_blocking(move || match place {
        Place::Memory(memory) => work(&mut lock(&memory)),
        Place::File(path) => work(&mut Connection::open(path)?),
    });
    done.await.unwrap_or(Err(StorageError::Closed))
}

fn transfer(from: &Connection, to: &mut Connection) -> Result<(), StorageError> {
    let backup = Backup::new(from, to)?;
    // All pages in one step: whoever else wants the database waits.
    while backup.step(-1)? != rusqlite::backup::StepResult::Done {}
    Ok(())
}

fn lock(connection: &Mutex<Connection>) -> std::sync::MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
