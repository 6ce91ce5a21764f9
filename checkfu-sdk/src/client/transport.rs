//! One request over HTTP. The only file that names the HTTP library.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use http::header::{AUTHORIZATION, HeaderName, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::redirect;

use crate::api_key::ApiKey;
use crate::error::{ConfigError, Limit, TransportError, TransportErrorKind};

const CHECKFU_VERSION: HeaderName = HeaderName::from_static("checkfu-version");
const CHECKFU_WORKSPACE: HeaderName = HeaderName::from_static("checkfu-workspace");
const API_VERSION: HeaderValue = HeaderValue::from_static("2026-08-31");
const AGENT: &str = concat!("checkfu-sdk/", env!("CARGO_PKG_VERSION"));

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
        }
    }
}

/// The head of an answer, and its body as it arrives.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// The bytes of an answer. Dropping it cancels the request (`STR-6`).
pub(crate) struct Body(Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>);

impl Stream for Body {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map_err(|error| {
            TransportError::new(TransportErrorKind::Interrupted).caused_by(error.without_url())
        })
    }
}

/// What a transport is made from.
pub(crate) struct Setup<'s> {
    pub(crate) base_url: &'s str,
    pub(crate) api_key: ApiKey,
    pub(crate) workspace: Option<&'s str>,
    pub(crate) proxy: Option<&'s str>,
    pub(crate) connect: Duration,
}

/// The HTTP client, bound to one origin and one key.
pub(crate) struct Transport {
    http: reqwest::Client,
    base: reqwest::Url,
    api_key: ApiKey,
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
        let base = base_url(setup.base_url)?;
        let mut headers = HeaderMap::new();
        headers.insert(
            AUTHORIZATION,
            setup.api_key.header().ok_or(ConfigError::InvalidApiKey)?,
        );
        headers.insert(CHECKFU_VERSION, API_VERSION);
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        if let Some(workspace) = setup.workspace {
            let workspace = HeaderValue::from_str(workspace).map_err(|_| ConfigError::InvalidValue {
                name: "workspace",
                reason: "holds bytes that a header cannot carry",
            })?;
            headers.insert(CHECKFU_WORKSPACE, workspace);
        }
        let builder = reqwest::Client::builder()
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(setup.connect);
        let builder = match setup.proxy {
            Some(url) => builder.proxy(proxy(url)?),
            None if is_loopback(&base) => builder.no_proxy(),
            None => builder,
        };
        let http = with_tls(builder, &base)?;
        Ok(Self {
            http,
            base,
            api_key: setup.api_key,
            connect: setup.connect,
        })
    }

    pub(crate) fn api_key(&self) -> &ApiKey {
        &self.api_key
    }

    /// Sends one request and waits for the head of its answer. Whatever it answers, no other request follows.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&request.path);
        }
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let mut builder = self.http.request(request.method, url).headers(request.headers);
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| self.classify(error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok(Response {
            status,
            headers,
            body: Body(Box::pin(response.bytes_stream())),
        })
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

fn base_url(text: &str) -> Result<reqwest::Url, ConfigError> {
    let invalid = |reason| ConfigError::InvalidBaseUrl { reason };
    let url = reqwest::Url::parse(text)
        .map_err(|_| invalid("it is no absolute URL; write https://api.checkfu.com, for one"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid("it must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(
            "it must hold no user name or password; the API key goes in a header",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid(
            "it must end with its path; remove what follows `?` or `#`",
        ));
    }
    if cfg!(not(any(feature = "rustls", feature = "native-tls"))) && url.scheme() == "https" {
        return Err(ConfigError::TlsNotBuilt);
    }
    Ok(url)
}

fn proxy(text: &str) -> Result<reqwest::Proxy, ConfigError> {
    let invalid = |reason| ConfigError::InvalidProxy { reason };
    let url =
        reqwest::Url::parse(text).map_err(|_| invalid("it is no absolute URL; write http://host:port"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid("it must begin with http:// or https:// and name a host"));
    }
    reqwest::Proxy::all(url).map_err(|_| invalid("it is no URL of a forward proxy"))
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Builds the client with a named TLS back end.
///
/// The platform's CA certificates are loaded only where the base URL asks for TLS: a machine without any can
/// still talk plain HTTP, and with redirects off no other scheme is ever reached.
fn with_tls(builder: reqwest::ClientBuilder, base: &reqwest::Url) -> Result<reqwest::Client, ConfigError> {
    #[cfg(feature = "rustls")]
    let builder = builder.tls_backend_rustls();
    #[cfg(any(feature = "rustls", feature = "native-tls"))]
    let builder = if base.scheme() == "http" {
        builder.tls_certs_only([])
    } else {
        builder
    };
    builder.build().map_err(|error| {
        let source: Box<dyn StdError + Send + Sync> = Box::new(error.without_url());
        match base.scheme() {
            "https" => ConfigError::Tls { source },
            _ => ConfigError::HttpClient { source },
        }
    })
}
