use http::Method;
use serde::Deserialize;

use super::goal::run_outcome;
use crate::client::{Request, segment};
use crate::error::{DecodeError, Error};
use crate::events::SessionEvents;
use crate::model::{ForkPlace, RunId, Session};
use crate::settlement::Outcome;

/// How a Run ended, if it did.
pub(super) async fn read_run(events: &SessionEvents, run_id: &RunId) -> Result<Option<Outcome>, Error> {
    #[derive(Deserialize)]
    struct Run {
        status: String,
    }
    let ids = [
        segment("session id", events.session_id().as_str())?,
        segment("run id", run_id.as_str())?,
    ];
    let request = Request::new(Method::GET, "/v1/sessions/{session_id}/runs/{run_id}", &ids);
    let answer = events.client().call(request, None).await?;
    Ok(run_outcome(&answer.decode::<Run>("the run")?.status))
}

/// The Session, with the client's retries. A fork has to tell its place: without it, a copied end of the source would
/// pass for the end of the work (`A-FORK`).
pub(super) async fn read_session(events: &SessionEvents) -> Result<Session, Error> {
    let request = events.log().session()?;
    let answer = events.client().call(request, None).await?;
    let session: Session = answer.decode("the session")?;
    if session.fork() == ForkPlace::Unreadable {
        let what = "the place where the session was forked";
        let reason = "forked_from holds no seq; follow it once the server tells one";
        return Err(DecodeError::new(what, answer.request_id().cloned(), reason.into()).into());
    }
    Ok(session)
}
