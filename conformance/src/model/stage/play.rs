use futures::future::join_all;

use super::{birth::Barren, list::Walking, setting::Stage};
use crate::{
    model::{
        history::{FORMAT, Header, History},
        script::{Script, Sending, Step},
    },
    stimulus::bench::Bench,
};

/// Why a history did not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotPlayed {
    /// The target is not there.
    #[error("{0}")]
    Unreachable(String),
    /// No Session could be made.
    #[error("no Session could be created: {0}")]
    NoSession(String),
    /// The suite's own fault.
    #[error("the history that was written down is none: {0}")]
    Malformed(String),
}

/// Plays a script against a server. The processes run at once, then everything is drained.
pub(crate) async fn play(
    bench: &Bench,
    deployment: &str,
    script: &Script,
    seed: u64,
    history: u64,
) -> Result<History, NotPlayed> {
    let stage = Stage::new(bench, history);
    stage.create(deployment).await.map_err(|barren| match barren {
        Barren::Unreachable(why) => NotPlayed::Unreachable(why),
        Barren::Refused(why) => NotPlayed::NoSession(why),
    })?;
    let processes = script.processes.iter().zip(0..);
    join_all(processes.map(|(steps, process)| stage.process(process, steps))).await;
    stage.drain(&script.finale).await;
    let header = Header {
        format: FORMAT,
        suite: env!("CARGO_PKG_VERSION").to_owned(),
        url: bench.target.url.clone(),
        run: bench.run_id.clone(),
        seed,
        history,
    };
    let history = stage.recorder.into_history(header);
    history.map_err(|error| NotPlayed::Malformed(error.to_string()))
}

impl Stage<'_> {
    async fn process(&self, process: u32, steps: &[Step]) {
        for step in steps {
            // Streams are large futures, and few steps are.
            Box::pin(self.step(process, step)).await;
        }
    }

    async fn step(&self, process: u32, step: &Step) {
        match step {
            Step::Say { session, sending } => {
                self.say(process, &self.sessions.pick(*session), *sending).await
            }
            Step::Turn { session } => {
                let session = self.sessions.pick(*session);
                self.say(process, &session, Sending::Once).await;
                self.until_rest(process, &session).await;
            }
            Step::Interrupt { session } => self.interrupt(process, &self.sessions.pick(*session)).await,
            Step::Answer { session } => self.answer(process, &self.sessions.pick(*session)).await,
            Step::Fork { session, place } => self.fork(process, &self.sessions.pick(*session), *place).await,
            Step::Wrong { session, what } => self.wrong(process, &self.sessions.pick(*session), *what).await,
            Step::List {
                session,
                place,
                limit,
                by_number,
                pages,
            } => {
                let session = self.sessions.pick(*session);
                let walking = Walking {
                    after: self.cursor(&session, *place),
                    limit: *limit,
                    by_number: *by_number,
                    pages: *pages,
                };
                self.list(process, &session, walking).await;
            }
            Step::Stream { session, readers } => {
                let session = self.sessions.pick(*session);
                join_all(readers.iter().map(|reader| self.read(process, &session, *reader))).await;
            }
        }
    }
}
