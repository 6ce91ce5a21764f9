//! One mutation inside the writer's transaction: idempotency record, decision, events, projections, response.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::Notice;
use super::append::{Accepted, Appended, append, persist};
use super::entropy::SystemEntropy;
use super::folds::Folds;
use super::fork::{ForkPoint, fork};
use super::handle::SessionHandle;
use super::refused::refusal_error;
use super::reply::Reply;
use crate::core::admission::Admission;
use crate::core::command::Command;
use crate::core::decide::decide;
use crate::core::id::ThreadId;
use crate::core::moment::Moment;
use crate::core::refusal::Refusal;
use crate::core::session::Session;
use crate::mutant::{self, Mutant};
use crate::storage::error::StorageError;
use crate::storage::idempotency::{self, RecordKey};
use crate::storage::{events, sessions, threads};
use crate::wire::error::{ApiError, Code};
use crate::wire::session::SessionResource;
use crate::wire::thread::ThreadResource;

/// A-IDEM: how long a record lives.
const RECORD_LIFE: Duration = Duration::from_hours(24);

/// How often expired records are dropped.
const PURGE_EVERY: Duration = Duration::from_hours(1);

/// A call that wants to change something, with its idempotency key if it has one.
#[derive(Debug)]
pub(crate) struct Mutation {
    pub(crate) record: Option<RecordKey>,
    pub(crate) effect: Effect,
}

/// What a call asks for.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Its body was refused, which counts only after its idempotency record was looked up (A-ORDER).
    Refuse(Box<ApiError>),
    /// A new Session.
    Create(Box<Admission>),
    /// Input to a Session; answers with the accepted event (A-POST).
    Post(Arc<SessionHandle>, Command),
    /// An act on a Session; answers with the Session.
    Act(Arc<SessionHandle>, Command),
    /// An independent copy of a Session's beginning; answers with the new Session (FRK-1).
    Fork(Arc<SessionHandle>, ForkPoint),
    /// The end of a child; answers with the thread (THR-4).
    Archive(Arc<SessionHandle>, ThreadId),
}

/// A mutation that was carried out, waiting for its commit.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) result: Result<Reply, ApiError>,
    appended: Option<Appended>,
}

impl Done {
    /// Wakes the readers, and the Runner if a Run became active.
    pub(crate) fn publish(&self, notices: &mpsc::UnboundedSender<Notice>) {
        if let Some(appended) = &self.appended {
            appended.publish(notices);
        }
    }
}

impl Mutation {
    /// A-ORDER from the idempotency record on. `Err` is a storage failure and rolls everything back.
    pub(crate) fn carry_out(
        self,
        connection: &Connection,
        folds: &mut Folds,
        now: Moment,
    ) -> Result<Done, StorageError> {
        let Some(key) = self.record else {
            return self.effect.apply(connection, folds, now);
        };
        purge(connection, folds, now)?;
        if let Some(record) = idempotency::find(connection, &key, now)? {
            let result = if record.body_hash == key.body_hash || mutant::active(Mutant::KeyIgnoresBody) {
                Ok(Reply {
                    status: record.status,
                    body: record.body.into(),
                })
            } else {
                Err(key_reused())
            };
            return Ok(Done {
                result,
                appended: None,
            });
        }
        let done = self.effect.apply(connection, folds, now)?;
        if let Ok(reply) = &done.result {
            idempotency::save(connection, &key, reply.status, &reply.body, now.plus(RECORD_LIFE))?;
        }
        Ok(done)
    }
}

impl Effect {
    fn apply(self, connection: &Connection, folds: &mut Folds, now: Moment) -> Result<Done, StorageError> {
        match self {
            Self::Refuse(error) => Ok(Done {
                result: Err(*error),
                appended: None,
            }),
            Self::Create(admission) => create(connection, folds, now, *admission),
            Self::Post(session, command) => respond(
                connection,
                folds,
                now,
                session,
                command,
                |session, row, accepted| posted(connection, session, row, accepted),
            ),
            Self::Act(session, command) => {
                respond(connection, folds, now, session, command, |session, _, _| {
                    Ok(ok(serde_json::to_vec(&SessionResource::new(
                        &session.admission,
                        &session.head,
                    ))?))
                })
            }
            Self::Fork(source, point) => Ok(Done {
                result: fork(connection, folds, now, &source, &point)?,
                appended: None,
            }),
            Self::Archive(session, thread) => {
                let command = Command::Archive(thread.clone());
                respond(
                    connection,
                    folds,
                    now,
                    session,
                    command,
                    |session, _, accepted| {
                        let unchanged = matches!(&accepted, Accepted::Appended(first) if first.is_empty());
                        if unchanged && mutant::active(Mutant::ArchiveOnlyOnce) {
                            return Ok(Err(refusal_error(&Refusal::ThreadBusy("is archived"))));
                        }
                        let thread = session
                            .thread(&thread)
                            .ok_or(rusqlite::Error::QueryReturnedNoRows)?;
                        let resource = ThreadResource::new(&session.admission, thread, now);
                        Ok(ok(serde_json::to_vec(&resource)?))
                    },
                )
            }
        }
    }
}

/// A-POST: the accepted event; THR-9: the original one where the call only repeats it, if it is still retained.
fn posted(
    connection: &Connection,
    session: &Session,
    row: i64,
    accepted: Accepted,
) -> Result<Result<Reply, ApiError>, StorageError> {
    match accepted {
        Accepted::Appended(body) => Ok(Ok(Reply { status: 202, body })),
        Accepted::Replay(_) if mutant::active(Mutant::ReplayIsConflict) => {
            Ok(Err(refusal_error(&Refusal::StaleWait("it was answered"))))
        }
        Accepted::Replay(seq) => {
            let original = events::at(connection, row, seq)?;
            tracing::debug!(session = session.admission.id.as_str(), seq, "repeated answer");
            Ok(match original {
                Some(event) => Ok(Reply {
                    status: 200,
                    body: event.envelope,
                }),
                None => Err(refusal_error(&Refusal::StaleWait(
                    "it was answered, and the answer is no longer retained",
                ))),
            })
        }
    }
}

fn ok(body: Vec<u8>) -> Result<Reply, ApiError> {
    Ok(Reply {
        status: 200,
        body: body.into(),
    })
}

fn create(
    connection: &Connection,
    folds: &mut Folds,
    now: Moment,
    mut admission: Admission,
) -> Result<Done, StorageError> {
    admission.created_at = now;
    let mut session = Session::admitted(Arc::new(admission));
    let result = match decide(&mut session, Command::Admit, now, &mut SystemEntropy) {
        Ok(outcome) => {
            let row = sessions::insert(connection, &session)?;
            persist(connection, row, &session, &outcome)?;
            for (place, thread) in session.threads.iter().enumerate() {
                threads::save(connection, row, place, thread)?;
            }
            let body = serde_json::to_vec(&SessionResource::new(&session.admission, &session.head))?;
            folds.insert(row, session);
            Ok(Reply {
                status: 201,
                body: body.into(),
            })
        }
        Err(refused) => Err(refusal_error(&refused.refusal)),
    };
    Ok(Done {
        result,
        appended: None,
    })
}

fn respond(
    connection: &Connection,
    folds: &mut Folds,
    now: Moment,
    handle: Arc<SessionHandle>,
    command: Command,
    reply: impl FnOnce(&Session, i64, Accepted) -> Result<Result<Reply, ApiError>, StorageError>,
) -> Result<Done, StorageError> {
    let row = handle.row;
    let (appended, answer) = append(connection, folds, now, handle, command)?;
    let result = match answer {
        Ok(accepted) => reply(folds.load(connection, row)?, row, accepted)?,
        Err(refusal) => Err(refusal_error(&refusal)),
    };
    Ok(Done {
        result,
        appended: Some(appended),
    })
}

fn purge(connection: &Connection, folds: &mut Folds, now: Moment) -> Result<(), StorageError> {
    if folds.purged_at.is_none_or(|at| at.plus(PURGE_EVERY) <= now) {
        idempotency::purge(connection, now)?;
        folds.purged_at = Some(now);
    }
    Ok(())
}

fn key_reused() -> ApiError {
    ApiError::new(
        Code::KeyReused,
        "this idempotency key stands for a call with another body; use a new key for a new call",
    )
    .with_param("Idempotency-Key")
}
