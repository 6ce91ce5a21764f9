use axum::{
    body::to_bytes,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;

/// More than the suite ever sends.
const LARGEST_BODY: usize = 64 << 20;

/// A request on its way to the server.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The parameters of the query, in their order.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Call {
    /// Reads a request to its end; one that breaks off, or has no path, goes nowhere.
    pub(crate) async fn read(request: Request) -> Option<Self> {
        let (head, body) = request.into_parts();
        let url = reqwest::Url::parse(&format!("http://relay{}", head.uri)).ok()?;
        Some(Self {
            method: head.method.to_string(),
            path: url.path().to_owned(),
            query: url.query_pairs().into_owned().collect(),
            headers: head.headers,
            body: to_bytes(body, LARGEST_BODY).await.ok()?.to_vec(),
        })
    }

    /// A post of an event.
    pub fn is_append(&self) -> bool {
        self.method == "POST" && self.path.ends_with("/events")
    }

    /// A read of the event list.
    pub fn is_list(&self) -> bool {
        self.method == "GET" && self.path.ends_with("/events")
    }

    /// The event stream of a Session or a thread.
    pub fn is_stream(&self) -> bool {
        self.path.ends_with("/events/stream")
    }

    /// A creation of a Session.
    pub fn is_creation(&self) -> bool {
        self.method == "POST" && self.path == "/v1/sessions"
    }

    /// A read of one Session.
    pub fn is_retrieval(&self) -> bool {
        self.method == "GET" && self.path.starts_with("/v1/sessions/") && self.path.matches('/').count() == 3
    }

    /// A read of one Run.
    pub(crate) fn is_run(&self) -> bool {
        self.method == "GET" && self.path.contains("/runs/")
    }

    /// A read of the list of threads.
    pub(crate) fn is_thread_list(&self) -> bool {
        self.method == "GET" && self.path.ends_with("/threads")
    }

    /// A read of one thread.
    pub(crate) fn is_thread(&self) -> bool {
        self.method == "GET" && self.thread().is_some() && self.path.matches('/').count() == 5
    }

    /// A read of the events of one thread.
    pub(crate) fn is_thread_events(&self) -> bool {
        self.is_list() && self.thread().is_some()
    }

    pub(crate) fn is_thread_stream(&self) -> bool {
        self.path.ends_with("/stream") && self.thread().is_some()
    }

    pub(crate) fn is_archive(&self) -> bool {
        self.path.ends_with("/archive")
    }

    /// A fork of a Session.
    pub fn is_fork(&self) -> bool {
        self.path.ends_with("/fork")
    }

    /// The thread that the path names.
    pub fn thread(&self) -> Option<&str> {
        let (_, rest) = self.path.split_once("/threads/")?;
        rest.split('/').next()
    }

    /// The Session that the path names.
    pub(crate) fn session(&self) -> Option<&str> {
        self.path.strip_prefix("/v1/sessions/")?.split('/').next()
    }

    /// Asks for the events of the Session instead of those of one of its threads.
    pub(crate) fn leave_thread(&mut self) {
        if let Some((session, rest)) = self.path.split_once("/threads/")
            && let Some((_, what)) = rest.split_once('/')
        {
            let what = if what == "stream" { "events/stream" } else { what };
            self.path = format!("{session}/{what}");
        }
    }

    /// The value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn drop_parameter(&mut self, name: &str) {
        self.query.retain(|(candidate, _)| candidate != name);
    }

    pub(crate) fn set_parameter(&mut self, name: &str, value: impl ToString) {
        self.drop_parameter(name);
        self.query.push((name.to_owned(), value.to_string()));
    }

    /// The value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Sets a header; a value that no header carries is left out.
    pub fn set_header(&mut self, name: &'static str, value: impl ToString) {
        if let Ok(value) = HeaderValue::from_str(&value.to_string()) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
    }

    /// The resume cursor, if it is a number.
    pub fn cursor(&self) -> Option<u64> {
        self.header("last-event-id")?.parse().ok()
    }

    /// The JSON of its body, null where it has none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Sends this body instead.
    pub fn set_json(&mut self, body: &Value) {
        self.body = body.to_string().into_bytes();
    }
}
