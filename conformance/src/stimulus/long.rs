use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::json;

use super::{
    bench::Bench,
    log::{LARGEST_PAGE, Log},
    session::{self, Session},
    turn,
};
use crate::{stop::Stop, wire::request::Request};

/// How many requests are under way at a time.
const AT_A_TIME: usize = 8;

/// A Session with more events than the largest page holds. Interrupts of a Session that does nothing fill it: they start
/// no Run, and so cost next to nothing.
pub(crate) async fn build(bench: &Bench) -> Result<Session, Stop> {
    let session = session::create(bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    fill(bench, &session, LARGEST_PAGE + 1).await?;
    Ok(session)
}

/// Appends so many interrupts; inconclusive if the server takes none.
pub(crate) async fn fill(bench: &Bench, session: &Session, count: usize) -> Result<(), Stop> {
    // Where a Session cannot even be read, that is what has to be told.
    let log = Log::read(bench, &session.id).await;
    log.map_err(|stop| stop.blocking("srv.session.create"))?;
    let interrupt = turn::input(bench, "user.interrupt", json!({}));
    let send = |_| bench.mutate(Request::post(session.events(), &interrupt));
    stream::iter((0..count).map(send))
        .buffer_unordered(AT_A_TIME)
        .try_for_each(async |answer| match answer.status() {
            200..300 => Ok(()),
            500.. => {
                let failed = Stop::fail(
                    "no failure of the server",
                    format!("status {}", answer.status()),
                    &answer,
                );
                Err(failed.blocking("srv.interrupt.idle"))
            }
            status => Err(Stop::Inconclusive(format!(
                "it takes a long log, and an interrupt with nothing to end answered {status}"
            ))),
        })
        .await
}
