//! The pure core on its storage: commands become durable events, and readers are woken by commits.

pub(crate) mod activation;
mod append;
pub(crate) mod entropy;
pub(crate) mod folds;
pub(crate) mod handle;
pub(crate) mod mutation;
pub(crate) mod registry;
pub(crate) mod reply;
mod step;
mod task;

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::agent::Assignment;
use crate::clock::Clock;
use crate::core::command::Step;
use crate::core::id::{RunId, SessionId, WorkspaceId};
use crate::core::moment::Moment;
use crate::storage::error::StorageError;
use crate::storage::reader::Reader;
use crate::storage::sessions;
use crate::storage::writer::Writer;
use crate::wire::error::ApiError;
use activation::Activation;
use folds::Folds;
use handle::SessionHandle;
use mutation::Mutation;
use registry::Registry;
use reply::Reply;
use step::StepTaken;
use task::Task;

/// The log of every Session. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    writer: Writer<Folds>,
    reader: Reader,
    registry: Arc<Registry>,
    activations: mpsc::UnboundedSender<Activation>,
    clock: Arc<dyn Clock>,
}

impl Ledger {
    pub(crate) fn new(
        writer: Writer<Folds>,
        reader: Reader,
        activations: mpsc::UnboundedSender<Activation>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            writer,
            reader,
            registry: Arc::default(),
            activations,
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
        let activations = self.activations.clone();
        self.writer.submit(Task::new(
            move |connection, folds| mutation.carry_out(connection, folds, now),
            move |done| {
                let result = match done {
                    Ok(done) => {
                        done.publish(&activations);
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
        let activations = self.activations.clone();
        self.writer.submit(Task::new(
            move |connection, folds| StepTaken::take(connection, folds, now, &session, run, step),
            move |done| {
                let next = done.map(|done| {
                    done.publish(&activations);
                    done.next
                });
                let _ = answer.send(next);
            },
        ));
        answered
            .await
            .unwrap_or_else(|_| Err(Arc::new(StorageError::Closed)))
    }

    /// Hands every Run that a stop or crash left unfinished to the Runner again; their logs go on where they end.
    pub(crate) async fn resume(&self) -> Result<usize, StorageError> {
        let rows = self.reader.read(sessions::unfinished).await?;
        let count = rows.len();
        for row in rows {
            let Some(session) = self.registry.at(&self.reader, row).await? else {
                continue;
            };
            let activations = self.activations.clone();
            self.writer.submit(Task::new(
                move |connection, folds| {
                    let fold = folds.load(connection, session.row)?;
                    Ok(fold.active_run().map(|run| Activation {
                        session: Arc::clone(&session),
                        run: run.id.clone(),
                        assignment: append::assignment(fold, run),
                    }))
                },
                move |active| {
                    // The writer has told what it could not read; that Session's Runs stay where they are.
                    if let Ok(Some(active)) = active {
                        let _ = activations.send(active);
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
