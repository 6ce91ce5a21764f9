use std::sync::Arc;

use serde_json::Value;
use tokio::{
    sync::OnceCell,
    time::{Instant, sleep},
};

use crate::{
    agent::AgentKind,
    capability::Probe,
    expect,
    stimulus::{
        Stimulus,
        bench::{Bench, Opened},
        capability::{self, Listed, Survey},
        family::Family,
        given::Given,
        log::{LARGEST_PAGE, Log},
        long, look,
        operations::{self, Asked, Place},
        session::{self, Session},
        settled::Settled,
        thread::{Thread, Threads, UNKNOWN_THREAD},
        turn::{self, Turn},
        wait::Parked,
    },
    stop::Stop,
    wire::{exchange::Exchange, reading::Reading, request::Request},
    witness::{Book, Pass},
};

/// How a check ends.
pub(crate) type Judgement = Result<Pass, Stop>;

/// What several checks of one run share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    listed: OnceCell<Arc<Listed>>,
    survey: OnceCell<Result<Arc<Survey>, Stop>>,
    given: OnceCell<Result<Arc<Given>, Stop>>,
    given_family: OnceCell<Result<Arc<Family>, Stop>>,
    settled: OnceCell<Result<Arc<Settled>, Stop>>,
    family: OnceCell<Result<Arc<Family>, Stop>>,
    long: OnceCell<Result<Arc<Session>, Stop>>,
}

impl Shared {
    /// Whether the server lists this capability as enabled, if it was asked.
    pub(crate) fn listed(&self, id: &str) -> Option<bool> {
        self.listed.get()?.says(id)
    }

    /// How it answered requests for it, if there were any.
    pub(crate) fn probe(&self, id: &str) -> Probe {
        match self.survey.get() {
            Some(Ok(survey)) => survey.outcome(id),
            _ => Probe::NotProbed,
        }
    }
}

/// What one check has at hand.
#[derive(Debug)]
pub(crate) struct Context<'run> {
    pub(crate) bench: &'run Bench,
    shared: &'run Shared,
    stimulus: Stimulus,
    book: Book,
}

impl<'run> Context<'run> {
    /// For a check of this class.
    pub(crate) fn new(bench: &'run Bench, shared: &'run Shared, stimulus: Stimulus) -> Self {
        Self {
            bench,
            shared,
            stimulus,
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

    /// A Session with two settled turns that is only read: one that the operator named if the check only reads, else one
    /// made once a run. Set-up: blocks on failure.
    pub(crate) async fn settled(&self) -> Result<Arc<Settled>, Stop> {
        if let Some(given) = self.given().await? {
            return given.settled();
        }
        self.made_settled().await
    }

    /// As [`Self::settled`], but one of the suite's own where the run may make one, which the flag says.
    pub(crate) async fn settled_or_own(&self) -> Result<(Arc<Settled>, bool), Stop> {
        match self.bench.stimulus {
            Stimulus::Work | Stimulus::Control => Ok((self.made_settled().await?, true)),
            Stimulus::Read | Stimulus::Create => Ok((self.settled().await?, false)),
        }
    }

    async fn made_settled(&self) -> Result<Arc<Settled>, Stop> {
        self.may(Stimulus::Work)?;
        self.shared
            .settled
            .get_or_init(|| async { Settled::build(self.bench).await.map(Arc::new) })
            .await
            .clone()
    }

    /// A Session that is only read, whatever is in it. Set-up: blocks on failure.
    pub(crate) async fn readable(&self) -> Result<Session, Stop> {
        match self.given().await? {
            Some(given) => given.readable(),
            None => self.session().await,
        }
    }

    /// A Session that is only read and has no history in common with this one. Set-up: blocks on failure.
    pub(crate) async fn stranger(&self, to: &Session) -> Result<Session, Stop> {
        match self.given().await? {
            Some(given) => given.stranger(&to.id),
            None => self.session().await,
        }
    }

    /// A Session with more events than this, if the operator named one; none if he named no Session.
    pub(crate) async fn given_longer_than(&self, events: usize) -> Result<Option<Session>, Stop> {
        let given = self.given().await?;
        given
            .map(|given| given.longer_than(events).map(|found| found.session))
            .transpose()
    }

    /// A Session of this check alone. Set-up: blocks on failure.
    pub(crate) async fn session(&self) -> Result<Session, Stop> {
        self.may(Stimulus::Create)?;
        session::create(self.bench)
            .await
            .map_err(|stop| stop.blocking("srv.session.create"))
    }

    /// A Session of this check alone whose Agent is of this kind. Set-up: blocks on failure; inconclusive without such an
    /// Agent.
    pub(crate) async fn session_of(&self, kind: AgentKind) -> Result<Session, Stop> {
        self.may(Stimulus::Create)?;
        for capability in kind.needs() {
            self.offered(capability).await?;
        }
        let created = session::create_of(self.bench, kind).await;
        created.map_err(|stop| match stop {
            Stop::Inconclusive(_) => stop,
            stop => stop.blocking("srv.session.create"),
        })
    }

    /// A Session with children at rest, made once a run and only read. Set-up: blocks on failure; inconclusive without an
    /// Agent that spawns.
    pub(crate) async fn family(&self) -> Result<Arc<Family>, Stop> {
        if let Some(given) = self.given().await? {
            self.offered("threads").await?;
            let read = async || given.family(self.bench).await.map(Arc::new);
            return self.shared.given_family.get_or_init(read).await.clone();
        }
        let build = async || self.family_of(AgentKind::Coordinator).await.map(Arc::new);
        self.shared.family.get_or_init(build).await.clone()
    }

    /// A Session of this check alone with the children of an Agent of this kind, at rest. Set-up: blocks on failure.
    pub(crate) async fn family_of(&self, kind: AgentKind) -> Result<Family, Stop> {
        self.may(Stimulus::Work)?;
        let session = self.session_of(kind).await?;
        self.offered("threads").await?;
        Family::build(self.bench, session)
            .await
            .map_err(|stop| match stop {
                Stop::Inconclusive(_) => stop,
                stop => stop.blocking("srv.thread.list"),
            })
    }

    /// A Session's primary thread. Set-up: blocks on failure.
    pub(crate) async fn primary(&self, session_id: &str) -> Result<Thread, Stop> {
        self.offered("threads").await?;
        let threads = Threads::read(self.bench, session_id).await;
        let primary = threads.and_then(|threads| threads.primary().cloned());
        primary.map_err(|stop| stop.blocking("srv.thread.list"))
    }

    /// A request for every operation of the contract that takes a key, about this Session and its primary thread, under
    /// the id `named` of a Session.
    pub(crate) async fn every_operation(&self, session: &Session, named: &str) -> Result<Vec<Asked>, Stop> {
        let primary = self.primary(&session.id).await.ok();
        let place = Place {
            session_id: named,
            thread_id: primary.as_ref().map_or(UNKNOWN_THREAD, |primary| &primary.id),
            deployment_id: operations::deployment_of(session),
        };
        operations::every(self.bench, place)
    }

    /// Sends a request that has to be refused, be it for a stream or not.
    pub(crate) async fn refused(&self, asked: &Asked, request: Request) -> Result<Arc<Exchange>, Stop> {
        match asked.streams() {
            true => self.open_refused(request).await,
            false => self.send(request).await,
        }
    }

    /// A Session whose log is longer than the largest page, made once a run and only read. Set-up: blocks on failure.
    pub(crate) async fn long(&self) -> Result<Arc<Session>, Stop> {
        if let Some(session) = self.given_longer_than(LARGEST_PAGE).await? {
            return Ok(Arc::new(session));
        }
        self.may(Stimulus::Create)?;
        self.offered("interrupts").await?;
        let build = async || long::build(self.bench).await.map(Arc::new);
        self.shared.long.get_or_init(build).await.clone()
    }

    /// Stops a check of the exact form in which the reference server sends things, where the operator says that something
    /// changes it on the way.
    pub(crate) fn undisturbed(&self) -> Result<(), Stop> {
        match self.bench.target.disturbed {
            true => Err(Stop::NotApplicable(
                "what arrives is disturbed on purpose (--disturbed), which leaves no exact form to judge"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Stops the check where the server does not have this capability, by the operator's word or its own.
    pub(crate) async fn offered(&self, id: &str) -> Result<(), Stop> {
        let listed = self.listed().await?;
        capability::offered(self.bench, &listed, id).await
    }

    /// What the server lists, read once a run.
    pub(crate) async fn listed(&self) -> Result<Arc<Listed>, Stop> {
        let read = async || Listed::read(self.bench).await.map(Arc::new);
        self.shared.listed.get_or_try_init(read).await.cloned()
    }

    /// How requests for every capability are answered, asked once a run: with reads alone on a given Session in a run that
    /// only reads, otherwise on a Session made for it. Set-up: blocks on failure.
    pub(crate) async fn survey(&self) -> Result<Arc<Survey>, Stop> {
        let own = self.bench.stimulus > Stimulus::Read;
        let take = async || {
            let session = match own {
                true => self.session().await?,
                false => self.readable().await?,
            };
            // A server whose Sessions cannot be read says nothing by what it answers to the rest.
            let log = self.log(&session.id).await;
            log.map_err(|stop| stop.blocking("srv.session.create"))?;
            Survey::take(self.bench, session, own).await.map(Arc::new)
        };
        self.shared.survey.get_or_init(take).await.clone()
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
        if let Ok(refusal) = expect::error(&answer, 403, "capability.disabled") {
            let listed = self.listed().await?;
            return Err(capability::disabled(self.bench, &listed, &refusal, &answer));
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
        look::still(self.bench, &session.id, seq).await
    }

    /// The list as it is now.
    pub(crate) async fn log(&self, session_id: &str) -> Result<Log, Stop> {
        Log::read(self.bench, session_id).await
    }

    /// The list of a Session that was just made. Set-up: blocks on failure.
    pub(crate) async fn first_log(&self, session: &Session) -> Result<Log, Stop> {
        let log = self.log(&session.id).await;
        log.map_err(|stop| stop.blocking("srv.session.create"))
    }

    /// The list once it has come to rest: a server may write more behind a settlement.
    pub(crate) async fn rested(&self, session_id: &str) -> Result<Log, Stop> {
        let deadline = self.bench.turn_deadline();
        let mut before = self.log(session_id).await?;
        while Instant::now() < deadline {
            sleep(turn::BETWEEN_LOOKS).await;
            let now = self.log(session_id).await?;
            if now.head() == before.head() {
                return Ok(now);
            }
            before = now;
        }
        let why = "the log still grows after its turn settled".to_owned();
        Err(Stop::Inconclusive(why))
    }

    /// The Sessions that the operator named, for a check that only reads.
    async fn given(&self) -> Result<Option<Arc<Given>>, Stop> {
        if self.stimulus > Stimulus::Read || self.bench.target.sessions.is_empty() {
            return Ok(None);
        }
        let read = async || Given::read(self.bench).await.map(Arc::new);
        self.shared.given.get_or_init(read).await.clone().map(Some)
    }

    /// Whether the run may do this much; a check that only reads would have to make a Session first.
    fn may(&self, needed: Stimulus) -> Result<(), Stop> {
        let allowed = self.bench.stimulus;
        if needed <= allowed {
            return Ok(());
        }
        Err(Stop::Inconclusive(match self.stimulus {
            Stimulus::Read => {
                let lacking = match (allowed, needed) {
                    (Stimulus::Create, Stimulus::Work) => {
                        "it reads what Agents did, and --stimulus create makes Sessions on which none has worked"
                    }
                    _ => "it takes a Session to read",
                };
                format!(
                    "{lacking}: name one with --session (`server --keep` makes some), or let the suite make one with --stimulus {needed}"
                )
            }
            _ => not_allowed(needed, allowed),
        }))
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

/// Why a check that does this much is not executed.
pub(crate) fn not_allowed(needed: Stimulus, allowed: Stimulus) -> String {
    format!(
        "it {}, which --stimulus {allowed} rules out: --stimulus {needed} allows it",
        needed.does()
    )
}
