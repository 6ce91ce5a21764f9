//! The pure core on its storage: commands become durable events, and readers are woken by commits.

pub(crate) mod activation;
mod append;
pub(crate) mod entropy;
pub(crate) mod folds;
pub(crate) mod fork;
pub(crate) mod handle;
pub(crate) mod mutation;
pub(crate) mod preview;
mod refused;
pub(crate) mod registry;
pub(crate) mod reply;
pub(crate) mod retention;
mod step;
mod task;

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::core::assignment::Assignment;
use crate::core::command::Command;
use crate::core::decide::next_due;
use crate::core::id::{RunId, SessionId, WorkspaceId};
use crate::core::moment::Moment;
use crate::core::step::Step;
use crate::storage::error::StorageError;
use crate::storage::reader::Reader;
use crate::storage::sessions;
use crate::storage::writer::Writer;
use crate::wire::error::ApiError;
use activation::Notice;
use folds::Folds;
use handle::{LogEnd, SessionHandle};
use mutation::Mutation;
use registry::Registry;
use reply::Reply;
use retention::{Erased, Trimmed};
use step::StepTaken;
use task::Task;

/// The log of every Session. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    writer: Writer<Folds>,
    reader: Reader,
    registry: Arc<Registry>,
    notices: mpsc::UnboundedSender<Notice>,
    clock: Arc<dyn Clock>,
}

impl Ledger {
    pub(crate) fn new(
        writer: Writer<Folds>,
        reader: Reader,
        notices: mpsc::UnboundedSender<Notice>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            writer,
            reader,
            registry: Arc::default(),
            notices,
            clock,
        }
    }

    /// Reads of committed data.
    pub(crate) fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// A Session of this Workspace, or the same `404` for one that never was and one of another Workspace.
    pub(crate) async fn session(
        &self,
        workspace: &WorkspaceId,
        id: &str,
    ) -> Result<Arc<SessionHandle>, ApiError> {
        let missing = || ApiError::not_found("Session");
        let id = SessionId::parse(id).ok_or_else(missing)?;
        let found = self
            .registry
            .find(&self.reader, workspace, &id)
            .await
            .map_err(unreadable)?;
        found.ok_or_else(missing)
    }

    /// SES-6: carries out a mutation; the answer comes after its commit.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the answer, not the mutation: once queued it is carried out.
    pub(crate) async fn mutate(&self, mutation: Mutation) -> Result<Reply, ApiError> {
        let (answer, answered) = oneshot::channel();
        let now = Moment::from(self.clock.now());
        let notices = self.notices.clone();
        self.writer.submit(Task::new(
            move |connection, folds| mutation.carry_out(connection, folds, now),
            move |done| {
                let result = match done {
                    Ok(done) => {
                        done.publish(&notices);
                        done.result
                    }
                    Err(error) => Err(refused(&error)),
                };
                // A caller that has gone away has no use for its answer.
                let _ = answer.send(result);
            },
        ));
        answered.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// One step of a Run's agent; gives what the Runner needs for the next one, or nothing when the Run is over for it.
    pub(crate) async fn step(
        &self,
        session: Arc<SessionHandle>,
        run: RunId,
        step: Step,
    ) -> Result<Option<Assignment>, Arc<StorageError>> {
        let (answer, answered) = oneshot::channel();
        let now = Moment::from(self.clock.now());
        let notices = self.notices.clone();
        self.writer.submit(Task::new(
            move |connection, folds| StepTaken::take(connection, folds, now, &session, run, step),
            move |done| {
                let next = done.map(|done| {
                    done.publish(&notices);
                    done.next
                });
                let _ = answer.send(next);
            },
        ));
        answered
            .await
            .unwrap_or_else(|_| Err(Arc::new(StorageError::Closed)))
    }

    /// A-GAP: removes the events of a Session before a `seq`, or all of them if none has so high a one; its state is kept.
    /// Streams that had not got that far are closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the answer, not the trim.
    pub(crate) async fn trim(
        &self,
        session: Arc<SessionHandle>,
        before_seq: u64,
    ) -> Result<Trimmed, ApiError> {
        let row = session.row;
        self.remove(
            session,
            move |connection, folds| retention::trim(connection, folds, row, before_seq),
            |trimmed| trimmed.end,
        )
        .await
    }

    /// A-GAP, A-SEQ: removes single events of a Session, which leaves holes; its state is kept.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the answer, not the erasure.
    pub(crate) async fn erase(
        &self,
        session: Arc<SessionHandle>,
        seqs: BTreeSet<u64>,
    ) -> Result<Erased, ApiError> {
        let row = session.row;
        self.remove(
            session,
            move |connection, folds| retention::erase(connection, folds, row, &seqs),
            |erased| erased.end,
        )
        .await
    }

    async fn remove<T: Send + 'static>(
        &self,
        session: Arc<SessionHandle>,
        work: impl FnOnce(&Connection, &mut Folds) -> Result<T, StorageError> + Send + 'static,
        end: impl FnOnce(&T) -> LogEnd + Send + 'static,
    ) -> Result<T, ApiError> {
        let (answer, answered) = oneshot::channel();
        self.writer.submit(Task::new(work, move |done: Result<T, _>| {
            let result = match done {
                Ok(done) => {
                    session.publish(end(&done));
                    Ok(done)
                }
                Err(error) => Err(refused(&error)),
            };
            let _ = answer.send(result);
        }));
        answered.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets happen what is due in a Session by now.
    pub(crate) fn tick(&self, session: Arc<SessionHandle>) {
        let now = Moment::from(self.clock.now());
        let notices = self.notices.clone();
        self.writer.submit(Task::new(
            move |connection, folds| Ok(append::append(connection, folds, now, session, Command::Tick)?.0),
            move |appended| {
                // The writer has told what went wrong; the next command of the Session tries again.
                if let Ok(appended) = appended {
                    appended.publish(&notices);
                }
            },
        ));
    }

    /// Hands every Run that a stop or crash left unfinished to the Runner again; their logs go on where they end.
    pub(crate) async fn resume(&self) -> Result<usize, StorageError> {
        let rows = self.reader.read(sessions::unfinished).await?;
        let count = rows.len();
        for row in rows {
            let session = match self.registry.at(&self.reader, row).await {
                Ok(Some(session)) => session,
                Ok(None) => continue,
                Err(error) if error.is_damage() => {
                    tracing::error!(row, %error, "a damaged Session is left where it is");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let notices = self.notices.clone();
            self.writer.submit(Task::new(
                move |connection, folds| {
                    let fold = folds.load(connection, session.row)?;
                    let mut notices: Vec<Notice> = fold
                        .driven()
                        .map(|run| Notice::Drive(append::activation(&session, fold, run)))
                        .collect();
                    notices.extend(next_due(fold).map(|at| Notice::Due(Arc::clone(&session), at)));
                    Ok(notices)
                },
                move |found| {
                    // The writer has told what it could not read; that Session's Runs stay where they are.
                    for notice in found.into_iter().flatten() {
                        let _ = notices.send(notice);
                    }
                },
            ));
        }
        Ok(count)
    }
}

/// Our own failure, told in the log and not to the caller.
pub(crate) fn unreadable(error: StorageError) -> ApiError {
    tracing::error!(%error, "read");
    refused(&error)
}

/// What a caller is told of a failure that the log has.
fn refused(error: &StorageError) -> ApiError {
    if error.is_damage() {
        ApiError::damaged()
    } else {
        ApiError::internal()
    }
}
