use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::json;

use super::{
    bench::Bench,
    log::{LARGEST_PAGE, Log},
    session::{self, Session},
    turn,
};
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

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

/// Appends so many interrupts to a Session that has none, and finds them in its log; inconclusive if the server takes
/// none.
pub(crate) async fn fill(bench: &Bench, session: &Session, count: usize) -> Result<(), Stop> {
    Written::by(bench, session, count).await?;
    // How a list shows them is the matter of whoever needs a long one.
    let Ok(log) = Log::read(bench, &session.id).await else {
        return Ok(());
    };
    let there = interrupts(&log);
    let lost = expect::that(
        there >= count,
        &log.evidence,
        format!("the {count} acknowledged interrupts in the list"),
        format!("{there} of them"),
    );
    lost.map_err(|stop| stop.blocking("srv.append.concurrent-kept"))
}

/// Interrupts that were acknowledged, several at a time.
pub(crate) struct Written {
    pub(crate) answers: Vec<Arc<Exchange>>,
    /// How many requests that took; one that was not answered may have been taken all the same.
    sent: u64,
}

impl Written {
    pub(crate) async fn by(bench: &Bench, session: &Session, count: usize) -> Result<Self, Stop> {
        // Where a Session cannot even be read, that is what has to be told.
        let log = Log::read(bench, &session.id).await;
        log.map_err(|stop| stop.blocking("srv.session.create"))?;
        let requests = || bench.client.gate().spending().requests;
        let before = requests();
        let interrupt = turn::input(bench, "user.interrupt", json!({}));
        let send = |_| bench.mutate(Request::post(session.events(), &interrupt));
        let answers = stream::iter((0..count).map(send))
            .buffer_unordered(AT_A_TIME)
            .and_then(async |answer| match answer.status() {
                200..300 => Ok(answer),
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
            .try_collect()
            .await?;
        Ok(Self {
            answers,
            sent: requests() - before,
        })
    }

    /// Each that was acknowledged stands in the log, and none that was not sent.
    pub(crate) fn expect_kept(&self, log: &Log) -> Result<(), Stop> {
        let acknowledged = self.answers.len();
        let there = interrupts(log);
        let most = usize::try_from(self.sent).unwrap_or(usize::MAX);
        expect::that(
            (acknowledged..=most).contains(&there),
            &log.evidence,
            format!("the {acknowledged} acknowledged interrupts in the list, each once"),
            format!("{there} of them"),
        )
    }
}

fn interrupts(log: &Log) -> usize {
    log.events
        .iter()
        .filter(|event| event.kind == "user.interrupt")
        .count()
}
