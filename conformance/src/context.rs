use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::{
    agent::AgentKind,
    expect,
    stimulus::{
        bench::Bench,
        log::Log,
        session::{self, Session},
        settled::Settled,
        turn::{self, Turn},
        wait::Parked,
        watch,
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

    /// A turn that stands still because the Agent asked for something. Set-up: blocks on failure; inconclusive where the
    /// Agent asks for nothing.
    pub(crate) async fn parked(&self, session: &Session) -> Result<Parked, Stop> {
        Parked::reach(self.bench, &session.id, 1).await
    }

    /// Posts an event that the contract allows, whatever the answer. A server that has this disabled has nothing to
    /// judge.
    pub(crate) async fn post(&self, session: &Session, body: &Value) -> Result<Arc<Exchange>, Stop> {
        let answer = self.bench.mutate(Request::post(session.events(), body)).await?;
        let disabled = expect::error(&answer, 403, "capability.disabled").is_ok();
        if disabled {
            return Err(Stop::NotApplicable("the server has this disabled".to_owned()));
        }
        Ok(answer)
    }

    /// Posts an event that the contract allows, which has to be accepted.
    pub(crate) async fn accepted(&self, session: &Session, body: &Value) -> Result<Arc<Exchange>, Stop> {
        let answer = self.post(session, body).await?;
        expect::success(&answer)?;
        Ok(answer)
    }

    /// Looks at the list until above `seq` the Session stands still.
    pub(crate) async fn still(&self, session: &Session, seq: u64) -> Result<Log, Stop> {
        watch::still(self.bench, &session.id, seq).await
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
