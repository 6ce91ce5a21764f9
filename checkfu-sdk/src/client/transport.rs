//! One request over HTTP. Only this file and its parts name the HTTP library.

mod connections;
mod headers;
mod http_client;
mod origin;
mod tls;

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::error::{ConfigError, Limit, TransportError, TransportErrorKind};
use crate::redaction::Redaction;
use connections::Connections;
use http_client::HttpClient;

pub(super) use connections::Place;
pub(super) use tls::TlsSettings;

/// A request before it is sent. The path is kept in segments, so that an id can never reach out of its place.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path with names in place of the ids, for spans and logs.
    pub(crate) route: &'static str,
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) answer: AnswerKind,
}

/// How long an answer stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// Until it is whole.
    Whole,
    /// For as long as somebody follows it.
    Stream,
}

impl Request {
    /// A request for `route`, in which the ids take the places of the names in braces, in order.
    pub(crate) fn new(method: Method, route: &'static str, ids: &[&str]) -> Self {
        let mut ids = ids.iter();
        let segments = route
            .split('/')
            .skip(1)
            .map(|segment| match segment.strip_prefix('{') {
                Some(_) => ids.next().copied().unwrap_or_default().to_owned(),
                None => segment.to_owned(),
            });
        let path = segments.collect();
        Self {
            method,
            route,
            path,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            answer: AnswerKind::Whole,
        }
    }
}

/// The head of an answer, and its body as it arrives.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// The head of an answer, on its place.
pub(super) struct Head(reqwest::Response);

impl Head {
    pub(super) fn on(self, place: Place) -> Response {
        let Self(response) = self;
        Response {
            status: response.status(),
            headers: response.headers().clone(),
            body: Body {
                bytes: Box::pin(response.bytes_stream()),
                _place: place,
            },
        }
    }
}

/// The bytes of an answer. Dropping it cancels the request (`STR-6`).
pub(crate) struct Body {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    /// Given back after the bytes are dropped.
    _place: Place,
}

impl Stream for Body {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.bytes.as_mut().poll_next(context).map_err(|error| {
            TransportError::new(TransportErrorKind::Interrupted).caused_by(error.without_url())
        })
    }
}

/// What a transport is made from.
pub(crate) struct Setup<'s> {
    pub(crate) base_url: &'s str,
    pub(crate) workspace: Option<&'s str>,
    pub(crate) user_agent: Option<&'s str>,
    pub(crate) headers: &'s [(String, String)],
    pub(crate) proxy: Option<&'s str>,
    pub(crate) tls: TlsSettings<'s>,
    pub(crate) connect: Duration,
}

/// The HTTP client, bound to one origin.
pub(crate) struct Transport {
    calls: Connections,
    streams: Connections,
    base: reqwest::Url,
    redaction: Redaction,
    connect: Duration,
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Transport")
            .field("base_url", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Transport {
    pub(crate) fn new(setup: Setup<'_>) -> Result<Self, ConfigError> {
        let base = origin::base_url(setup.base_url)?;
        let headers = headers::every_request(setup.workspace, setup.user_agent, setup.headers)?;
        let redaction = Redaction::new(setup.headers.iter().map(|(_, value)| value.as_str()));
        let http_client = HttpClient {
            headers,
            proxy: setup.proxy.map(origin::proxy).transpose()?,
            may_use_a_proxy: !origin::is_loopback(&base),
            tls: tls::Tls::read(setup.tls)?,
            scheme: base.scheme().to_owned(),
            connect: setup.connect,
        };
        let may_share = base.scheme() == "https";
        let connections = || {
            let first = http_client.make().map_err(|error| {
                let source: Box<dyn StdError + Send + Sync> = Box::new(error.without_url());
                match may_share {
                    true => ConfigError::Tls { source },
                    false => ConfigError::HttpClient { source },
                }
            })?;
            let further = http_client.clone();
            Ok::<_, ConfigError>(Connections::new(first, may_share, move || further.make().ok()))
        };
        let calls = connections()?;
        // A server that allows few answers at once would let calls wait behind streams, which have no end.
        let streams = if may_share { connections()? } else { calls.clone() };
        Ok(Self {
            calls,
            streams,
            base,
            redaction,
            connect: setup.connect,
        })
    }

    /// What takes the client's secrets out of a text.
    pub(crate) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// The place of a request, to be had before it is sent.
    pub(super) fn place(&self, request: &Request) -> Place {
        match request.answer {
            AnswerKind::Whole => self.calls.place(),
            AnswerKind::Stream => self.streams.place(),
        }
    }

    /// Sends one request and waits for the head of its answer. Whatever it answers, no other request follows.
    pub(super) async fn send(
        &self,
        mut request: Request,
        authorization: HeaderValue,
        place: &mut Place,
    ) -> Result<Head, TransportError> {
        request.headers.insert(AUTHORIZATION, authorization);
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&request.path);
        }
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let mut builder = place.http().request(request.method, url).headers(request.headers);
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| self.classify(error))?;
        place.answered(response.version());
        Ok(Head(response))
    }

    fn classify(&self, error: reqwest::Error) -> TransportError {
        let failure = if error.is_connect() && error.is_timeout() {
            TransportError::timed_out(Limit::Connect, self.connect)
        } else if error.is_connect() {
            TransportError::new(TransportErrorKind::Connect)
        } else {
            TransportError::new(TransportErrorKind::Interrupted)
        };
        failure.caused_by(error.without_url())
    }
}
