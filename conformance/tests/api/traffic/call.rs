use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    response::Response,
};
use serde_json::Value;

use super::number;

/// A request on its way to the server.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// An answer on its way to the suite.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Call {
    pub(crate) async fn read(request: Request) -> Self {
        let (head, body) = request.into_parts();
        let url = reqwest::Url::parse(&format!("http://relay{}", head.uri)).unwrap();
        Self {
            method: head.method.to_string(),
            path: url.path().to_owned(),
            query: url.query_pairs().into_owned().collect(),
            headers: head.headers,
            body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
        }
    }

    /// A post of an event.
    pub(crate) fn is_append(&self) -> bool {
        self.method == "POST" && self.path.ends_with("/events")
    }

    /// A read of the event list.
    pub(crate) fn is_list(&self) -> bool {
        self.method == "GET" && self.path.ends_with("/events")
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.path.ends_with("/events/stream")
    }

    pub(crate) fn is_creation(&self) -> bool {
        self.method == "POST" && self.path == "/v1/sessions"
    }

    /// A read of one Session.
    pub(crate) fn is_retrieval(&self) -> bool {
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

    pub(crate) fn is_fork(&self) -> bool {
        self.path.ends_with("/fork")
    }

    /// The thread that the path names.
    pub(crate) fn thread(&self) -> Option<&str> {
        let (_, rest) = self.path.split_once("/threads/")?;
        rest.split('/').next()
    }

    /// The Session that the path names.
    pub(crate) fn session(&self) -> Option<&str> {
        self.path.strip_prefix("/v1/sessions/")?.split('/').next()
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
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

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn set_header(&mut self, name: &'static str, value: impl ToString) {
        self.headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_str(&value.to_string()).unwrap(),
        );
    }

    /// The resume cursor, if it is a number.
    pub(crate) fn cursor(&self) -> Option<u64> {
        self.header("last-event-id")?.parse().ok()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn set_json(&mut self, body: &Value) {
        self.body = body.to_string().into_bytes();
    }
}

impl Answer {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_str(content_type).unwrap());
        headers.insert("request-id", HeaderValue::from_static("req_relay"));
        Self {
            status,
            headers,
            body: body.into(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_str(&number::hide(&text)).unwrap_or_default()
    }

    /// Changes the JSON of a body.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let mut body = self.json();
        change(&mut body);
        self.body = number::show(&body.to_string()).into_bytes();
    }

    /// Changes the events of a page.
    pub(crate) fn edit_events(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        self.edit(|page| {
            if let Some(events) = page.get_mut("data").and_then(Value::as_array_mut) {
                change(events);
            }
        });
    }

    pub(crate) fn is_stream(response: &reqwest::Response) -> bool {
        let content_type = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok());
        content_type.is_some_and(|value| value.starts_with("text/event-stream"))
    }

    pub(crate) fn head(response: &reqwest::Response) -> Self {
        let mut headers = response.headers().clone();
        for name in ["content-length", "transfer-encoding", "connection"] {
            headers.remove(name);
        }
        Self {
            status: response.status().as_u16(),
            headers,
            body: Vec::new(),
        }
    }

    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let head = Self::head(&response);
        Self {
            body: response.bytes().await.unwrap().to_vec(),
            ..head
        }
    }

    pub(crate) fn into_response(self) -> Response {
        let body = Body::from(self.body.clone());
        self.with_body(body)
    }

    pub(crate) fn with_body(self, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        *response.headers_mut() = self.headers;
        response
    }
}
