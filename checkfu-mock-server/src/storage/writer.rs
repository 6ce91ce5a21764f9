//! The one writer: many jobs share one transaction and one sync to disk, and none is answered before its commit.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::error::StorageError;
use crate::mutant::Mutants;

/// Work for the writer's transaction, and what follows from it.
pub(crate) trait Job<S>: Send {
    /// Runs inside the transaction. What an error leaves behind is undone, in the database and in the mirror, and
    /// concerns no other job.
    fn carry_out(&mut self, connection: &Connection, mirror: &mut S) -> Result<(), StorageError>;

    /// Answers and wakes readers, once the effect is durable or once it is certain that there is none.
    fn settle(self: Box<Self>, result: Result<(), Arc<StorageError>>);
}

/// Memory that the writer keeps between jobs and that mirrors the database.
pub(crate) trait Mirror: Send + 'static {
    /// Another job begins.
    fn begin(&mut self);

    /// The job that began last was undone: forget what it may have put here.
    fn undo(&mut self);

    /// The transaction was rolled back: forget everything.
    fn forget(&mut self);
}

/// The most jobs that share a transaction.
const LARGEST_BATCH: usize = 256;

/// Hands jobs to the writer's thread. Clones share it; the thread ends when the last one is gone and the queue is empty.
#[derive(Debug)]
pub(crate) struct Writer<S> {
    jobs: mpsc::Sender<Box<dyn Job<S>>>,
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
        mutants: Mutants,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("checkfu-writer".to_owned())
            .spawn(move || {
                mutants.within(|| run(&connection, mirror, &queue));
                drop(held);
            })?;
        Ok((Self { jobs }, thread))
    }

    /// Queues a job. If the thread is gone the job is dropped, and with it whatever channel it would have answered on.
    pub(crate) fn submit(&self, job: impl Job<S> + 'static) {
        if self.jobs.send(Box::new(job)).is_err() {
            tracing::error!("the writer is gone");
        }
    }
}

/// A job of a batch, with the error that undid it if there was one.
type Tried<S> = (Box<dyn Job<S>>, Result<(), Arc<StorageError>>);

fn run<S: Mirror>(connection: &Mutex<Connection>, mut mirror: S, queue: &mpsc::Receiver<Box<dyn Job<S>>>) {
    while let Ok(first) = queue.recv() {
        let mut batch = Vec::new();
        let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        let committed = commit(&connection, &mut mirror, &mut batch, first, queue);
        if let Err(error) = committed {
            if !connection.is_autocommit()
                && let Err(error) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "rollback");
            }
            mirror.forget();
            tracing::error!(%error, "commit");
            let error = Arc::new(error);
            for (_, result) in &mut batch {
                *result = Err(Arc::clone(&error));
            }
        }
        drop(connection);
        for (job, result) in batch {
            job.settle(result);
        }
    }
}

/// Tries the first job and all that wait, then commits what succeeded. An error undoes the whole batch.
fn commit<S: Mirror>(
    connection: &Connection,
    mirror: &mut S,
    batch: &mut Vec<Tried<S>>,
    first: Box<dyn Job<S>>,
    queue: &mpsc::Receiver<Box<dyn Job<S>>>,
) -> Result<(), StorageError> {
    batch.push((first, Ok(())));
    connection.execute_batch("BEGIN IMMEDIATE")?;
    loop {
        if let Some((job, result)) = batch.last_mut()
            && let Err(error) = attempt(connection, mirror, &mut **job)?
        {
            tracing::error!(%error, "write");
            *result = Err(Arc::new(error));
        }
        if batch.len() == LARGEST_BATCH {
            break;
        }
        match queue.try_recv() {
            Ok(job) => batch.push((job, Ok(()))),
            Err(_) => break,
        }
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// Carries out one job. The inner error is the job's own and has been undone; the outer one ends the transaction.
fn attempt<S: Mirror>(
    connection: &Connection,
    mirror: &mut S,
    job: &mut dyn Job<S>,
) -> Result<Result<(), StorageError>, StorageError> {
    mirror.begin();
    execute(connection, "SAVEPOINT job")?;
    let result = job.carry_out(connection, mirror);
    if let Err(error) = result {
        // A full disk, among others, can make SQLite roll back the whole transaction.
        if connection.is_autocommit() {
            return Err(error);
        }
        execute(connection, "ROLLBACK TO job")?;
        execute(connection, "RELEASE job")?;
        mirror.undo();
        return Ok(Err(error));
    }
    execute(connection, "RELEASE job")?;
    Ok(Ok(()))
}

fn execute(connection: &Connection, statement: &str) -> Result<(), StorageError> {
    connection.prepare_cached(statement)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the jobs before wrote, as the writer remembers it.
    #[derive(Default)]
    struct Numbers {
        all: Vec<i64>,
        begun_at: usize,
    }

    impl Mirror for Numbers {
        fn begin(&mut self) {
            self.begun_at = self.all.len();
        }

        fn undo(&mut self) {
            self.all.truncate(self.begun_at);
        }

        fn forget(&mut self) {
            self.all.clear();
        }
    }

    type Seen = (Vec<i64>, Result<(), String>);

    /// Writes a number twice; with `fails` it finds a damaged value after the first time.
    struct Number {
        number: i64,
        fails: bool,
        seen: Vec<i64>,
        answer: mpsc::Sender<Seen>,
    }

    impl Job<Numbers> for Number {
        fn carry_out(&mut self, connection: &Connection, mirror: &mut Numbers) -> Result<(), StorageError> {
            self.seen = mirror.all.clone();
            mirror.all.push(self.number);
            connection.execute("INSERT INTO numbers VALUES (?1, zeroblob(2000))", [self.number])?;
            if self.fails {
                serde_json::from_str::<u8>("{")?;
            }
            Ok(())
        }

        fn settle(self: Box<Self>, result: Result<(), Arc<StorageError>>) {
            let told = (self.seen, result.map_err(|error| error.to_string()));
            self.answer.send(told).unwrap();
        }
    }

    fn database(pages: u32) -> Arc<Mutex<Connection>> {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(&format!(
                "PRAGMA max_page_count = {pages}; CREATE TABLE numbers (number INTEGER, filling BLOB)"
            ))
            .unwrap();
        Arc::new(Mutex::new(connection))
    }

    /// Runs the jobs in one batch.
    fn batch(connection: &Arc<Mutex<Connection>>, jobs: &[(i64, bool)]) -> Vec<Seen> {
        let (answer, answers) = mpsc::channel();
        let (queue, queued) = mpsc::channel::<Box<dyn Job<Numbers>>>();
        for &(number, fails) in jobs {
            let answer = answer.clone();
            let job = Number {
                number,
                fails,
                seen: Vec::new(),
                answer,
            };
            queue.send(Box::new(job)).unwrap();
        }
        drop((queue, answer));
        run(connection, Numbers::default(), &queued);
        answers.iter().collect()
    }

    fn stored(connection: &Mutex<Connection>) -> Vec<i64> {
        let connection = connection.lock().unwrap();
        let mut query = connection.prepare("SELECT number FROM numbers").unwrap();
        query
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// A job that fails is undone alone, in the database and in the writer's memory; the rest of its batch stands.
    #[test]
    fn a_job_fails_alone() {
        let connection = database(1000);
        let told = batch(&connection, &[(1, false), (2, true), (3, false)]);
        assert_eq!(told[0], (vec![], Ok(())));
        assert!(
            told[1].1.as_ref().unwrap_err().contains("cannot be read"),
            "{told:?}"
        );
        assert_eq!(told[2], (vec![1], Ok(())));
        assert_eq!(stored(&connection), [1, 3]);
    }

    /// A full disk is told as what it is, to the jobs that it stopped, and leaves nothing half done.
    #[test]
    fn a_full_disk_is_told_as_such() {
        let connection = database(6);
        let jobs: Vec<(i64, bool)> = (0..20).map(|number| (number, false)).collect();
        let told = batch(&connection, &jobs);
        let failed: Vec<&Seen> = told.iter().filter(|(_, result)| result.is_err()).collect();
        assert!(!failed.is_empty());
        for (_, result) in failed {
            let text = result.as_ref().unwrap_err();
            assert!(text.contains("disk is full"), "{text}");
        }
        let kept = told.iter().filter(|(_, result)| result.is_ok()).count();
        assert_eq!(stored(&connection).len(), kept);
    }
}
