use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::{
    agent::AgentKind,
    stimulus::{
        bench::Bench,
        log::Log,
        session::{self, Session},
        settled::Settled,
        turn::{self, Turn},
    },
    stop::Stop,
    wire::{client::Opened, exchange::Exchange, reading::Reading, request::Request},
    witness::{Book, Pass},
};

/// How a check ends.
pub(crate) type Judgement = Result<Pass, Stop>;

/// What several checks of one run share.
#[derive(Debug, Default)]
pub(crate) struct Shared(OnceCell<Result<Arc<Settled>, Stop>>);

/// What one check has at hand.
#[derive(Debug)]
pub(crate) struct Context<'run> {
    pub(crate) bench: &'run Bench,
    shared: &'run Shared,
    book: Book,
}

impl<'run> Context<'run> {
    pub(crate) fn new(bench: &'run Bench, shared: &'run Shared) -> Self {
        Self {
            bench,
            shared,
            book: Book::default(),
        }
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, Stop> {
        self.bench.send(request).await
    }

    pub(crate) async fn open(&self, request: Request) -> Result<Reading, Stop> {
        self.bench.open(request).await
    }

    /// Opens a stream that has to be refused.
    pub(crate) async fn open_refused(&self, request: Request) -> Result<Arc<Exchange>, Stop> {
        match self.bench.open_any(request).await? {
            Opened::Answer(answer) => Ok(answer),
            Opened::Stream(reading) => Err(Stop::fail(
                "a refusal",
                "status 200 and a stream",
                &self.bench.close(*reading),
            )),
        }
    }

    /// A Session with two settled turns, made once a run and only read. Set-up: blocks on failure.
    pub(crate) async fn settled(&self) -> Result<Arc<Settled>, Stop> {
        self.shared
            .0
            .get_or_init(|| async { Settled::build(self.bench).await.map(Arc::new) })
            .await
            .clone()
    }

    /// A Session of this check alone. Set-up: blocks on failure.
    pub(crate) async fn session(&self) -> Result<Session, Stop> {
        session::create(self.bench)
            .await
            .map_err(|stop| stop.blocking("srv.session.create"))
    }

    /// A Session of this check alone whose Agent is of this kind. Set-up: blocks on failure; inconclusive without such an
    /// Agent.
    pub(crate) async fn session_of(&self, kind: AgentKind) -> Result<Session, Stop> {
        let created = session::create_of(self.bench, kind).await;
        created.map_err(|stop| match stop {
            Stop::Inconclusive(_) => stop,
            stop => stop.blocking("srv.session.create"),
        })
    }

    /// One settled turn. Set-up: blocks on failure.
    pub(crate) async fn turn(&self, session: &Session) -> Result<Turn, Stop> {
        turn::drive(self.bench, &session.id)
            .await
            .map_err(|stop| stop.blocking("srv.turn.settles"))
    }

    /// The list as it is now.
    pub(crate) async fn log(&self, session_id: &str) -> Result<Log, Stop> {
        Log::read(self.bench, session_id).await
    }

    /// Records that an answer of the server speaks for it.
    pub(crate) fn saw(&mut self, text: impl Into<String>, evidence: &Exchange) {
        self.book.saw(text, evidence);
    }

    /// Ends the check; without a witness that is an error of the check.
    pub(crate) fn pass(&mut self) -> Judgement {
        self.book.pass()
    }
}
