use tokio::time::{Instant, sleep};

use super::{
    bench::Bench,
    log::Log,
    session::{self, Session},
    turn::{self, Turn},
};
use crate::stop::Stop;

/// A Session with two settled turns that nobody writes to any more; many checks read it.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) session: Session,
    pub(crate) first: Turn,
    pub(crate) second: Turn,
}

impl Settled {
    pub(crate) async fn build(bench: &Bench) -> Result<Self, Stop> {
        let session = session::create(bench)
            .await
            .map_err(|stop| stop.blocking("srv.session.create"))?;
        let drive = async || {
            turn::drive(bench, &session.id)
                .await
                .map_err(|stop| stop.blocking("srv.turn.settles"))
        };
        let first = drive().await?;
        let mut second = drive().await?;
        // A server may write more behind the settlement; the checks need a log that has come to rest.
        let deadline = bench.turn_deadline();
        loop {
            sleep(turn::BETWEEN_LOOKS).await;
            let log = Log::read(bench, &session.id)
                .await
                .map_err(|stop| stop.blocking("srv.turn.settles"))?;
            let at_rest = log.head() == second.log.head();
            second.log = log;
            if at_rest {
                return Ok(Self {
                    session,
                    first,
                    second,
                });
            }
            if Instant::now() >= deadline {
                let why = "the log still grows after its turn settled".to_owned();
                return Err(Stop::Inconclusive(why).blocking("srv.turn.settles"));
            }
        }
    }

    /// The whole log.
    pub(crate) fn log(&self) -> &Log {
        &self.second.log
    }
}
