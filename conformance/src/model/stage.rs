mod append;
mod finale;
mod known;
mod list;
mod recorder;
mod stream;
mod wrong;

use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::join_all;
use serde_json::{Value, json};

use self::{
    known::{Known, Sessions},
    list::Walking,
    recorder::{Begun, Ending, Recorder},
};
use super::{
    history::{Call, FORMAT, Header, History, Seen},
    script::{Place, Script, Step},
};
use crate::{
    stimulus::{bench::Bench, session},
    wire::{
        client::{Client, Fault},
        exchange::Exchange,
        request::Request,
    },
};

/// Where one history is played and written down.
pub(crate) struct Stage<'run> {
    bench: &'run Bench,
    client: Client,
    recorder: Recorder,
    sessions: Sessions,
    history: u64,
    names: AtomicU64,
}

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
    let stage = Stage {
        bench,
        client: bench.client.with_own_transcript(),
        recorder: Recorder::new(),
        sessions: Sessions::default(),
        history,
        names: AtomicU64::new(0),
    };
    stage.create(deployment).await?;
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
    async fn create(&self, deployment: &str) -> Result<(), NotPlayed> {
        let body = json!({
            "agent_deployment_id": deployment,
            "principal_id": self.bench.target.principal,
            "title": format!("conformance run {} history {}", self.bench.run_id, self.history),
        });
        let agent = deployment.to_owned();
        let begun = self.recorder.begin(0, Call::Create { agent });
        let request = Request::post("/v1/sessions", &body).header("idempotency-key", self.fresh());
        let sent = self.client.send(request).await;
        if let Err(Fault::Unreachable(why)) = &sent {
            return Err(NotPlayed::Unreachable(why.clone()));
        }
        self.made(begun, sent).map_err(NotPlayed::NoSession)
    }

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
                self.say(process, &session, super::script::Sending::Once).await;
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

    async fn fork(&self, process: u32, session: &str, place: Place) {
        let at = Some(self.cursor(session, place)).filter(|at| *at > 0);
        let session_id = session.to_owned();
        let begun = self.recorder.begin(
            process,
            Call::Fork {
                session: session_id,
                at,
            },
        );
        let body = at.map_or_else(|| json!({}), |at| json!({"from": {"seq": at}}));
        let request = Request::post(format!("{}/fork", session::path(session)), &body);
        let sent = self
            .client
            .send(request.header("idempotency-key", self.fresh()))
            .await;
        // A history without this fork is as good as one with it.
        let _ = self.made(begun, sent);
    }

    /// Ends an operation that makes a Session.
    fn made(&self, begun: Begun, sent: Result<std::sync::Arc<Exchange>, Fault>) -> Result<(), String> {
        let id = sent
            .as_ref()
            .ok()
            .filter(|answer| is_success(answer))
            .and_then(|answer| {
                let body = crate::json::read(answer.body()).ok()?;
                let id = body.get("id").and_then(Value::as_str)?;
                // Ids go into paths.
                let plain = id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                (plain && !id.is_empty()).then(|| id.to_owned())
            });
        match id {
            Some(id) => {
                self.recorder
                    .end(begun, Ending::ok(Some(Seen::Session { id: id.clone() })));
                self.sessions.add(Known::new(id));
                Ok(())
            }
            None => {
                let ending = ending(&sent);
                let why = ending
                    .why
                    .clone()
                    .unwrap_or_else(|| "an answer without an id".to_owned());
                self.recorder.end(begun, ending);
                Err(why)
            }
        }
    }

    fn cursor(&self, session: &str, place: Place) -> u64 {
        match place {
            Place::Natural => 0,
            Place::Seen(number) => self.sessions.seen(session, number),
        }
    }

    /// A name that this run uses once.
    fn fresh(&self) -> String {
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        format!("{}-{}-{number}", self.bench.run_id, self.history)
    }
}

fn is_success(answer: &Exchange) -> bool {
    (200..300).contains(&answer.status())
}

/// How an operation ended of which nothing more is to be seen than its answer: refused calls have no effect, lost ones
/// may have one.
fn ending(sent: &Result<std::sync::Arc<Exchange>, Fault>) -> Ending {
    match sent {
        Ok(answer) if is_success(answer) => Ending::ok(None),
        Ok(answer) if (400..500).contains(&answer.status()) || answer.status() == 503 => {
            Ending::fail(refusal(answer))
        }
        Ok(answer) => Ending::unknown(format!("status {}", answer.status())),
        Err(fault @ (Fault::Unreachable(_) | Fault::Malformed(_) | Fault::Spent(_))) => {
            Ending::fail(fault.to_string())
        }
        Err(fault @ (Fault::NoAnswer(_) | Fault::Cut(_))) => Ending::unknown(fault.to_string()),
    }
}

fn refusal(answer: &Exchange) -> String {
    let body = crate::json::read(answer.body()).unwrap_or_default();
    let code = body
        .pointer("/error/code")
        .and_then(Value::as_str)
        .unwrap_or("no code");
    format!("status {} {code}", answer.status())
}
