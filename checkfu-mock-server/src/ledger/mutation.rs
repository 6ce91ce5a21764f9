//! One mutation inside the writer's transaction: idempotency record, decision, events, projections, response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::Activation;
use super::append::{Appended, append, persist};
use super::entropy::SystemEntropy;
use super::folds::Folds;
use super::handle::SessionHandle;
use super::reply::Reply;
use crate::core::admission::Admission;
use crate::core::command::{Command, decide};
use crate::core::moment::Moment;
use crate::core::refusal::Refusal;
use crate::core::session::{Head, Session};
use crate::storage::error::StorageError;
use crate::storage::idempotency::{self, RecordKey};
use crate::storage::sessions;
use crate::wire::error::{ApiError, Code};
use crate::wire::session::SessionResource;

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
}

/// A mutation that was carried out, waiting for its commit.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) result: Result<Reply, ApiError>,
    appended: Option<Appended>,
}

impl Done {
    /// Wakes the readers, and the Runner if a Run became active.
    pub(crate) fn publish(&self, activations: &mpsc::UnboundedSender<Activation>) {
        if let Some(appended) = &self.appended {
            appended.publish(activations);
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
            let result = if record.body_hash == key.body_hash {
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
            Self::Post(session, command) => {
                respond(connection, folds, now, session, command, |_, _, first| {
                    Ok(Reply {
                        status: 202,
                        body: first,
                    })
                })
            }
            Self::Act(session, command) => {
                respond(connection, folds, now, session, command, |admission, head, _| {
                    let body = serde_json::to_vec(&SessionResource::new(admission, head))?;
                    Ok(Reply {
                        status: 200,
                        body: body.into(),
                    })
                })
            }
        }
    }
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
    reply: impl FnOnce(&Admission, &Head, Bytes) -> Result<Reply, StorageError>,
) -> Result<Done, StorageError> {
    match append(connection, folds, now, handle, command)? {
        Ok((appended, first)) => {
            let session = folds.load(connection, appended.session.row)?;
            let reply = reply(&session.admission, &session.head, first)?;
            Ok(Done {
                result: Ok(reply),
                appended: Some(appended),
            })
        }
        Err(refusal) => Ok(Done {
            result: Err(refusal_error(&refusal)),
            appended: None,
        }),
    }
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

fn refusal_error(refusal: &Refusal) -> ApiError {
    let error = ApiError::new(Code::InvalidTransition, refusal.to_string());
    match refusal {
        Refusal::InvalidTransition { from, to } => error
            .with_detail("from", from.as_str())
            .with_detail("to", to.as_str()),
        Refusal::StaleStep => error,
    }
}
