use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::time::Instant;

use crate::{
    expect,
    limits::Limits,
    schema::Contract,
    stop::Stop,
    target::Target,
    wire::{
        client::{Client, Opened},
        exchange::Exchange,
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
    /// Names this run in everything it creates.
    pub(crate) run_id: String,
    counter: AtomicUsize,
}

impl Bench {
    pub(crate) fn new(target: Target, limits: Limits) -> Result<Self, Stop> {
        let target = Arc::new(target);
        let contract = Contract::load().map_err(|error| Stop::Error(error.to_string()))?;
        let client = Client::new(Arc::clone(&target), limits.connect, limits.answer)?;
        Ok(Self {
            client,
            contract,
            target,
            limits,
            run_id: random_hex()?,
            counter: AtomicUsize::new(0),
        })
    }

    /// Sends a request and reads its whole answer.
    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, Stop> {
        Ok(self.client.send(request).await?)
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

    /// Opens a stream, whatever the answer.
    pub(crate) async fn open_any(&self, request: Request) -> Result<Opened, Stop> {
        Ok(self.client.open(request).await?)
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

    fn own_fault(&self, request: &Request) -> Option<String> {
        debug_assert_eq!(request.key, Key::Right);
        let body = match &request.body {
            Some(body) => serde_json::from_slice(body).ok()?,
            None => serde_json::Value::Null,
        };
        self.contract.request(request.method, &request.path, &body)
    }
}

fn random_hex() -> Result<String, Stop> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes).map_err(|error| Stop::Error(format!("no random bytes: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
