//! The one writer: many jobs share one transaction and one sync to disk, and none is answered before its commit.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::error::StorageError;

/// Work inside the writer's transaction. What it returns is done after the commit, and only if that succeeds.
pub(crate) type Job<S> = Box<dyn FnOnce(&Connection, &mut S) -> Result<AfterCommit, StorageError> + Send>;

/// What to do once a job's effect is durable: answer, wake readers.
pub(crate) type AfterCommit = Box<dyn FnOnce() + Send>;

/// Memory that the writer keeps between jobs and that mirrors the database.
pub(crate) trait Mirror: Send + 'static {
    /// The transaction was rolled back: forget what it may have put here.
    fn forget(&mut self);
}

/// The most jobs that share a transaction.
const LARGEST_BATCH: usize = 256;

/// Hands jobs to the writer's thread. Clones share it; the thread ends when the last one is gone and the queue is empty.
#[derive(Debug)]
pub(crate) struct Writer<S> {
    jobs: mpsc::Sender<Job<S>>,
}

impl<S> Clone for Writer<S> {
    fn clone(&self) -> Self {
        Self {
            jobs: self.jobs.clone(),
        }
    }
}

impl<S: Mirror> Writer<S> {
    /// Starts the thread, which keeps `held` until its end.
    pub(crate) fn start(
        connection: Arc<Mutex<Connection>>,
        mirror: S,
        held: impl Send + 'static,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("checkfu-writer".to_owned())
            .spawn(move || {
                run(&connection, mirror, &queue);
                drop(held);
            })?;
        Ok((Self { jobs }, thread))
    }

    /// Queues a job. If the thread is gone the job is dropped, and with it whatever channel it would have answered on.
    pub(crate) fn submit(&self, job: Job<S>) {
        if self.jobs.send(job).is_err() {
            tracing::error!("the writer is gone");
        }
    }
}

fn run<S: Mirror>(connection: &Mutex<Connection>, mut mirror: S, queue: &mpsc::Receiver<Job<S>>) {
    while let Ok(first) = queue.recv() {
        let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        match commit(&connection, &mut mirror, first, queue) {
            Ok(done) => {
                drop(connection);
                done.into_iter().for_each(|after| after());
            }
            Err(error) => {
                // Dropping the batch's channels tells every caller that nothing was changed.
                if !connection.is_autocommit()
                    && let Err(error) = connection.execute_batch("ROLLBACK")
                {
                    tracing::error!(%error, "rollback");
                }
                mirror.forget();
                tracing::error!(%error, "commit");
            }
        }
    }
}

fn commit<S>(
    connection: &Connection,
    mirror: &mut S,
    first: Job<S>,
    queue: &mpsc::Receiver<Job<S>>,
) -> Result<Vec<AfterCommit>, StorageError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut done = vec![first(connection, mirror)?];
    while done.len() < LARGEST_BATCH
        && let Ok(job) = queue.try_recv()
    {
        done.push(job(connection, mirror)?);
    }
    connection.execute_batch("COMMIT")?;
    Ok(done)
}
