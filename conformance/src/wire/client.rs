use std::{sync::Arc, time::Duration};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::{Instant, timeout_at};

use super::{
    exchange::{Exchange, Sent},
    gate::{Gate, Held, appends},
    header::visible,
    reading::{End, Reading},
    request::{Key, Request, Version},
    transcript::Transcript,
};
use crate::target::Target;

/// The version the published pages name.
const PUBLISHED_VERSION: &str = "2026-08-31";
/// A version that no page names.
const UNKNOWN_VERSION: &str = "1999-12-31";
/// A key that no server gave out.
const WRONG_KEY: &str = "ck_conformance_this_key_was_never_issued";
/// The largest body kept, in bytes. No documented answer comes near it.
const LARGEST_BODY: usize = 32 << 20;

/// Sends requests and records every exchange.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    target: Arc<Target>,
    answer_within: Duration,
    gate: Arc<Gate>,
    transcript: Arc<Transcript>,
}

/// Why no exchange came about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// No connection: the target is not there.
    #[error("no connection to the target: {0}")]
    Unreachable(String),
    /// Connected, but no answer in time.
    #[error("{0}")]
    NoAnswer(String),
    /// Connected, but the connection ended before the head of an answer.
    #[error("{0}")]
    Cut(String),
    /// The suite built a request that cannot be sent.
    #[error("the suite's own request is malformed: {0}")]
    Malformed(String),
    /// The budget of the run is spent; nothing was sent.
    #[error("{0}")]
    Spent(String),
}

impl From<Held> for Fault {
    fn from(held: Held) -> Self {
        match held {
            Held::Spent(why) => Self::Spent(why),
            Held::Forbidden(what) => Self::Malformed(what),
        }
    }
}

/// An answer that is not in the transcript yet.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) exchange: Exchange,
    /// Whether the connection broke inside the body.
    pub(crate) is_cut: bool,
}

/// What opening a stream led to.
pub(crate) enum Attempted {
    /// 200 with an event stream, its body still to be read.
    Stream(Box<Reading>),
    /// Anything else, read to its end.
    Answer(Attempt),
}

impl Client {
    pub(crate) fn new(
        target: Arc<Target>,
        connect_within: Duration,
        answer_within: Duration,
        gate: Gate,
    ) -> Result<Self, Fault> {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(connect_within)
            .user_agent(concat!("checkfu-conformance/", env!("CARGO_PKG_VERSION")));
        let http = match target.url.starts_with("http://") {
            // To read the roots of the system takes longer than many a check.
            true => http.tls_certs_only([]),
            false => http,
        };
        let http = http
            .build()
            .map_err(|error| Fault::Malformed(error.to_string()))?;
        let gate = Arc::new(gate);
        Ok(Self {
            http,
            target,
            answer_within,
            transcript: Arc::new(Transcript::new(Arc::clone(&gate))),
            gate,
        })
    }

    /// The same client with a transcript of its own, which goes when it goes.
    pub(crate) fn with_own_transcript(&self) -> Self {
        Self {
            transcript: Arc::new(Transcript::new(Arc::clone(&self.gate))),
            ..self.clone()
        }
    }

    /// Sends a request once, reads the whole answer and keeps it.
    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, Fault> {
        Ok(self.keep(self.attempt(request).await?.exchange))
    }

    /// Sends a request once and reads the whole answer.
    pub(crate) async fn attempt(&self, request: Request) -> Result<Attempt, Fault> {
        self.gate.pass(&request).await?;
        let deadline = Instant::now() + self.answer_within;
        let mut reading = self.begin(request, deadline).await?;
        let is_cut = reading.read_to_end(deadline).await == End::Broken;
        let exchange = reading.into_exchange();
        Ok(Attempt { exchange, is_cut })
    }

    /// Sends a request once and, if it is answered by an event stream, leaves that open.
    pub(crate) async fn attempt_stream(&self, request: Request) -> Result<Attempted, Fault> {
        self.gate.pass(&request).await?;
        let deadline = Instant::now() + self.answer_within;
        let mut reading = self.begin(request, deadline).await?;
        let content_type = reading.header("content-type").unwrap_or_default();
        if reading.status() == 200
            && content_type
                .split(';')
                .next()
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
        {
            return Ok(Attempted::Stream(Box::new(reading)));
        }
        let is_cut = reading.read_to_end(deadline).await == End::Broken;
        let exchange = reading.into_exchange();
        Ok(Attempted::Answer(Attempt { exchange, is_cut }))
    }

    /// Ends a reading and keeps what was read of it.
    pub(crate) fn record(&self, reading: Reading) -> Arc<Exchange> {
        self.keep(reading.into_exchange())
    }

    /// Puts an exchange into the transcript.
    pub(crate) fn keep(&self, exchange: Exchange) -> Arc<Exchange> {
        self.transcript.keep(exchange)
    }

    /// Takes an exchange out of the transcript.
    pub(crate) fn forget(&self, exchange: &Arc<Exchange>) {
        self.transcript.forget(exchange);
    }

    /// What counts and bounds the requests.
    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Every exchange recorded so far.
    pub(crate) fn transcript(&self) -> Vec<Arc<Exchange>> {
        self.transcript.exchanges()
    }

    async fn begin(&self, request: Request, deadline: Instant) -> Result<Reading, Fault> {
        let mut url = reqwest::Url::parse(&format!("{}{}", self.target.url, request.path))
            .map_err(|error| Fault::Malformed(format!("{}: {error}", request.path)))?;
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let headers = self.headers(&request)?;
        let appending = appends(&request);
        let sent = Sent {
            method: request.method,
            path,
            headers: visible(&headers),
            body: request.body.clone(),
        };
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|error| Fault::Malformed(error.to_string()))?;
        let mut call = self.http.request(method, url).headers(headers);
        if let Some(body) = request.body {
            call = call.body(body);
        }
        let number = self.transcript.number();
        let what = format!("{} {}", sent.method, sent.path);
        let answered = timeout_at(deadline, call.send()).await;
        if let Ok(Ok(response)) = &answered
            && !response.status().is_success()
        {
            self.gate.refused(appending);
        }
        match answered {
            Ok(Ok(response)) => Ok(Reading::new(
                number,
                sent,
                response,
                self.target.key.clone(),
                LARGEST_BODY,
            )),
            Ok(Err(error)) if error.is_connect() => Err(Fault::Unreachable(format!(
                "{}: {}",
                self.target.url,
                cause(&error)
            ))),
            Ok(Err(error)) => Err(Fault::Cut(format!("{what}: {}", cause(&error)))),
            Err(_) => Err(Fault::NoAnswer(format!(
                "{what}: no response head within {:?}",
                self.answer_within
            ))),
        }
    }

    fn headers(&self, request: &Request) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        let mut put = |name: &str, value: &str| -> Result<(), Fault> {
            let malformed = || Fault::Malformed(format!("header {name}"));
            let mut value = HeaderValue::from_str(value).map_err(|_| malformed())?;
            value.set_sensitive(name == "authorization");
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| malformed())?,
                value,
            );
            Ok(())
        };
        match request.key {
            Key::Right => put("authorization", &format!("Bearer {}", self.target.key.expose()))?,
            Key::Wrong => put("authorization", &format!("Bearer {WRONG_KEY}"))?,
            Key::Absent => {}
        }
        // Without it any coding would be allowed, and bytes are what is judged here.
        put("accept-encoding", "identity")?;
        match request.version {
            Version::Published => put("checkfu-version", PUBLISHED_VERSION)?,
            Version::Unknown => put("checkfu-version", UNKNOWN_VERSION)?,
            Version::Absent => {}
        }
        let says = |wanted: &str| request.headers.iter().any(|(name, _)| name == wanted);
        if let Some(workspace) = self
            .target
            .workspace
            .as_ref()
            .filter(|_| !says("checkfu-workspace"))
        {
            put("checkfu-workspace", workspace)?;
        }
        if request.body.is_some() && !says("content-type") {
            put("content-type", "application/json")?;
        }
        for (name, value) in &request.headers {
            put(name, value)?;
        }
        Ok(headers)
    }
}

/// The innermost reason; the outer ones repeat the address.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
