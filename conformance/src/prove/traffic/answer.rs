use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode},
    response::Response,
};
use serde_json::Value;

use super::number;

/// An answer on its way to the suite.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; empty where a stream follows.
    pub body: Vec<u8>,
}

impl Answer {
    /// One with this body.
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static(content_type));
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
    pub fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let mut body = self.json();
        if body.is_null() {
            return;
        }
        change(&mut body);
        self.body = number::show(&body.to_string()).into_bytes();
    }

    /// Changes a body that is text.
    pub(crate) fn edit_text(&mut self, change: impl FnOnce(&str) -> String) {
        if let Ok(text) = std::str::from_utf8(&self.body) {
            self.body = change(text).into_bytes();
        }
    }

    /// Changes the events of a page.
    pub fn edit_events(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
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

    /// Reads an answer to its end; `None` if it breaks off.
    pub(crate) async fn read(response: reqwest::Response) -> Option<Self> {
        let head = Self::head(&response);
        Some(Self {
            body: response.bytes().await.ok()?.to_vec(),
            ..head
        })
    }

    pub(crate) fn into_response(self) -> Response {
        let body = Body::from(self.body.clone());
        self.with_body(body)
    }

    pub(crate) fn with_body(self, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        *response.headers_mut() = self.headers;
        response
    }
}
