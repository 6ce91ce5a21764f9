use http::Method;
use serde::Deserialize;

use super::goal::run_outcome;
use crate::client::{Request, segment};
use crate::error::{DecodeError, Error};
use crate::events::Log;
use crate::model::{ForkPlace, RunId, Seq, Session, SessionThread};
use crate::settlement::Outcome;
use crate::stream::is_the_end;

/// How a Run ended, if it did.
pub(super) async fn read_run(log: &Log, run_id: &RunId) -> Result<Option<Outcome>, Error> {
    #[derive(Deserialize)]
    struct Run {
        status: String,
    }
    let ids = [
        segment("session id", log.id().session_id.as_str())?,
        segment("run id", run_id.as_str())?,
    ];
    let request = Request::new(Method::GET, "/v1/sessions/{session_id}/runs/{run_id}", &ids);
    let answer = log.client().call(request, None).await?;
    Ok(run_outcome(&answer.decode::<Run>("the run")?.status))
}

/// The child whose log it is, if it is one's, with the client's retries. The primary's log is the Session's (`A-VIEW`).
pub(super) async fn read_child(log: &Log) -> Result<Option<SessionThread>, Error> {
    let Some(request) = log.thread() else {
        return Ok(None);
    };
    let answer = log.client().call(request?, None).await?;
    let thread: SessionThread = answer.decode("the thread")?;
    Ok(Some(thread).filter(|thread| thread.is_primary() != Some(true)))
}

/// The Session, with the client's retries. A fork has to tell its place: without it, a copied end of the source would
/// pass for the end of the work (`A-FORK`).
pub(super) async fn read_session(log: &Log) -> Result<Session, Error> {
    let answer = log.client().call(log.session()?, None).await?;
    let session: Session = answer.decode("the session")?;
    if session.fork() == ForkPlace::Unreadable {
        let what = "the place where the session was forked";
        let reason = "forked_from holds no seq; follow it once the server tells one";
        return Err(DecodeError::new(what, answer.request_id().cloned(), reason.into()).into());
    }
    Ok(session)
}

/// Whether the log has nothing after the cursor, with the client's retries.
pub(super) async fn is_read(log: &Log, cursor: Option<Seq>) -> Result<bool, Error> {
    let request = log.first_after(cursor.unwrap_or_default())?;
    is_the_end(log.client().call(request, None).await)
}
