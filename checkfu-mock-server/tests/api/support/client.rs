//! A plain HTTP/1.1 client on its own connections; it shares nothing with the SDK.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use super::judge::judge_answer;

/// Speaks to one server with one key.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) authority: String,
    pub(crate) key: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
}

/// An answer that the judge has accepted.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
    pub(crate) json: Value,
}

impl Answer {
    /// The error's code; the test fails if this is none.
    pub(crate) fn code(&self) -> &str {
        self.json["error"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("not an error: {self:?}"))
    }

    /// The error's parameter, or nothing.
    pub(crate) fn param(&self) -> Option<&str> {
        self.json["error"]["param"].as_str()
    }

    /// Checks status and code at once.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.json);
        self
    }

    /// Checks the status and gives the JSON.
    #[track_caller]
    pub(crate) fn ok(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.json);
        self.json
    }
}

impl Client {
    pub(crate) fn new(url: &str, key: &str) -> Self {
        let authority = url.strip_prefix("http://").unwrap().to_owned();
        Self {
            authority,
            key: Some(key.to_owned()),
            headers: Vec::new(),
        }
    }

    /// The same client with one more header.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// The same client without a key.
    pub(crate) fn without_key(&self) -> Self {
        Self {
            key: None,
            ..self.clone()
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, body.to_string()).await
    }

    /// Sends anything; the answer is judged.
    pub(crate) async fn call(&self, method: &str, path: &str, body: impl Into<Bytes>) -> Answer {
        self.try_call(method, path, body.into())
            .await
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// Sends anything; an error is a broken connection, and an answer is judged.
    pub(crate) async fn try_call(&self, method: &str, path: &str, body: Bytes) -> Result<Answer, String> {
        let response = self.open(method, path, body).await?;
        let (parts, body) = response.into_parts();
        let bytes = body
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        let status = parts.status.as_u16();
        assert!(
            parts.headers.contains_key("request-id"),
            "{method} {path} answered without a request-id"
        );
        let json = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap()
        };
        if path != "/healthz" {
            judge_answer(method, path, status, &json);
        }
        if status >= 400 {
            assert_eq!(json["request_id"], parts.headers["request-id"].to_str().unwrap());
        }
        Ok(Answer {
            status,
            headers: parts.headers,
            bytes,
            json,
        })
    }

    /// Sends a request and gives the response with its body unread.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>, String> {
        let socket = TcpStream::connect(&self.authority)
            .await
            .map_err(|error| error.to_string())?;
        socket.set_nodelay(true).map_err(|error| error.to_string())?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(socket))
            .await
            .map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", &self.authority);
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body)).unwrap();
        sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())
    }
}
