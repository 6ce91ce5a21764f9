use std::{
    collections::BTreeMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::time::Instant;

use super::retry::Retry;
use crate::{
    budget::Budget,
    capability::Claim,
    clean_up_end::CleanUpEnd,
    expect,
    limits::Limits,
    schema::Contract,
    stimulus::Stimulus,
    stop::Stop,
    target::Target,
    wire::{
        client::{Attempt, Attempted, Client, Fault},
        exchange::Exchange,
        gate::Gate,
        reading::Reading,
        request::{Key, Request},
    },
};

/// A target, the means to talk to it and the bounds of patience.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) client: Client,
    pub(crate) contract: Contract,
    pub(crate) target: Arc<Target>,
    pub(crate) limits: Limits,
    pub(crate) clean_up_end: CleanUpEnd,
    /// What the run may make the server do.
    pub(crate) stimulus: Stimulus,
    claims: BTreeMap<&'static str, Claim>,
    /// Names this run in everything it creates.
    pub(crate) run_id: String,
    counter: AtomicUsize,
    retry: Retry,
    misconfiguration: OnceLock<String>,
}

/// What a bench is made from.
pub(crate) struct Bounds {
    pub(crate) target: Target,
    pub(crate) limits: Limits,
    pub(crate) budget: Budget,
    pub(crate) stimulus: Stimulus,
    pub(crate) claims: BTreeMap<&'static str, Claim>,
    pub(crate) clean_up_end: CleanUpEnd,
}

/// What opening a stream led to.
pub(crate) enum Opened {
    /// 200 with an event stream, its body still to be read.
    Stream(Box<Reading>),
    /// Anything else, read to its end.
    Answer(Arc<Exchange>),
}

impl Bench {
    pub(crate) fn new(bounds: Bounds) -> Result<Self, Stop> {
        let (target, limits) = (Arc::new(bounds.target), bounds.limits);
        let gate = Gate::new(pace(bounds.budget, &target), bounds.stimulus);
        let contract = Contract::load().map_err(|error| Stop::Error(error.to_string()))?;
        let client = Client::new(Arc::clone(&target), limits.connect, limits.answer, gate)?;
        Ok(Self {
            client,
            contract,
            target,
            limits,
            clean_up_end: bounds.clean_up_end,
            stimulus: bounds.stimulus,
            claims: bounds.claims,
            run_id: random_hex()?,
            counter: AtomicUsize::new(0),
            retry: Retry::default(),
            misconfiguration: OnceLock::new(),
        })
    }

    /// What the operator says of a capability.
    pub(crate) fn claim(&self, id: &str) -> Claim {
        self.claims.get(id).copied().unwrap_or_default()
    }

    /// Keeps why the server cannot be judged with what the operator gave; the first reason stays.
    pub(crate) fn note_misconfiguration(&self, why: String) {
        self.misconfiguration.get_or_init(|| why);
    }

    /// Why the server cannot be judged with what the operator gave, if that came to light.
    pub(crate) fn misconfiguration(&self) -> Option<&str> {
        self.misconfiguration.get().map(String::as_str)
    }

    /// Sends a request, again where it is not taken for now, and reads its whole answer.
    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, Stop> {
        Ok(self.ask(request, |_| false).await?)
    }

    /// The same, where an answer that `ends` is the last one in any case.
    pub(crate) async fn send_until(
        &self,
        request: Request,
        ends: impl Fn(&Exchange) -> bool,
    ) -> Result<Arc<Exchange>, Stop> {
        Ok(self.ask(request, ends).await?)
    }

    pub(crate) async fn ask(
        &self,
        request: Request,
        ends: impl Fn(&Exchange) -> bool,
    ) -> Result<Arc<Exchange>, Fault> {
        let mut tries = self.retry.tries(&request, self.limits.answer);
        loop {
            let attempt = self.client.attempt(request.clone()).await;
            let ended = attempt.as_ref().is_ok_and(|attempt| ends(&attempt.exchange));
            if ended || !tries.again(attempt.as_ref()).await {
                return Ok(self.client.keep(attempt?.exchange));
            }
            self.set_aside(attempt);
        }
    }

    /// Sends a mutation that the contract allows, under a key of its own.
    pub(crate) async fn mutate(&self, request: Request) -> Result<Arc<Exchange>, Stop> {
        if let Some(fault) = self.own_fault(&request) {
            return Err(Stop::Error(format!(
                "the suite's own request breaks the contract: {fault}"
            )));
        }
        let key = self.fresh_name("call");
        self.send(request.header("idempotency-key", key)).await
    }

    /// Opens a stream, again where that is not taken for now, whatever the answer.
    pub(crate) async fn open_any(&self, request: Request) -> Result<Opened, Stop> {
        let mut tries = self.retry.tries(&request, self.limits.answer);
        loop {
            let attempt = match self.client.attempt_stream(request.clone()).await {
                Ok(Attempted::Stream(reading)) => return Ok(Opened::Stream(reading)),
                Ok(Attempted::Answer(attempt)) => Ok(attempt),
                Err(fault) => Err(fault),
            };
            if !tries.again(attempt.as_ref()).await {
                return Ok(Opened::Answer(self.client.keep(attempt?.exchange)));
            }
            self.set_aside(attempt);
        }
    }

    /// Opens a stream, which has to succeed.
    pub(crate) async fn open(&self, request: Request) -> Result<Reading, Stop> {
        match self.open_any(request).await? {
            Opened::Stream(reading) => Ok(*reading),
            Opened::Answer(answer) => {
                expect::status(&answer, 200)?;
                let actual = answer
                    .header("content-type")
                    .unwrap_or("no content type")
                    .to_owned();
                Err(Stop::fail("content type text/event-stream", actual, &answer))
            }
        }
    }

    /// Stops reading and keeps what came.
    pub(crate) fn close(&self, reading: Reading) -> Arc<Exchange> {
        self.client.record(reading)
    }

    pub(crate) fn answer_deadline(&self) -> Instant {
        Instant::now() + self.limits.answer
    }

    /// When a stream has to have delivered a log up to this number: later for a long log, as far as a turn may take longer.
    pub(crate) fn delivery_deadline(&self, head: u64) -> Instant {
        let hundreds = u32::try_from(head / 100).unwrap_or(u32::MAX);
        let longer = self.limits.answer.saturating_mul(hundreds).min(self.limits.turn);
        self.answer_deadline() + longer
    }

    pub(crate) fn turn_deadline(&self) -> Instant {
        Instant::now() + self.limits.turn
    }

    /// A name that this run uses once.
    pub(crate) fn fresh_name(&self, what: &str) -> String {
        format!(
            "conformance-{}-{what}-{}",
            self.run_id,
            self.counter.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Keeps an answer after which the request is sent again, if it is the API that speaks in it; a page of something on
    /// the way is nobody's promise.
    fn set_aside(&self, attempt: Result<Attempt, Fault>) {
        let Ok(Attempt {
            exchange,
            is_cut: false,
        }) = attempt
        else {
            return;
        };
        let content_type = exchange.header("content-type").unwrap_or_default();
        if content_type.starts_with("application/json") {
            self.client.keep(exchange);
        }
    }

    fn own_fault(&self, request: &Request) -> Option<String> {
        debug_assert_eq!(request.key, Key::Right);
        let body = match &request.body {
            Some(body) => serde_json::from_slice(body).ok()?,
            None => serde_json::Value::Null,
        };
        self.contract.request(request.method, &request.path, &body)
    }
}

/// A server on this machine is not spared unless the operator says so.
pub(crate) fn pace(budget: Budget, target: &Target) -> Budget {
    let polite = (!target.is_local()).then_some(Budget::POLITE);
    Budget {
        rate: budget.rate.or(polite),
        kept: budget.kept.or(Some(Budget::KEPT)),
        ..budget
    }
}

fn random_hex() -> Result<String, Stop> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes).map_err(|error| Stop::Error(format!("no random bytes: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
