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
        let second = drive().await?;
        Ok(Self {
            session,
            first,
            second,
        })
    }

    /// The whole log.
    pub(crate) fn log(&self) -> &Log {
        &self.second.log
    }
}
