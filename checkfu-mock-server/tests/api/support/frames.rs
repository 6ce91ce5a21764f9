//! Reads an event stream frame by frame, strictly: anything that the server is not documented to send fails.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::Incoming;
use serde_json::Value;

use super::client::Client;
use super::judge::{judge_event, judge_preview};

/// What is long enough for anything that is bound to come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// An open event stream.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) headers: HeaderMap,
    body: Incoming,
    buffer: Vec<u8>,
}

/// One block of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    Comment(String),
    Event(Value),
    /// A frame without an `id:` line.
    Preview(Value),
}

impl Frames {
    /// Opens the stream of a Session after `cursor`.
    pub(crate) async fn open(client: &Client, session: &str, cursor: Option<u64>) -> Self {
        Self::try_open(client, session, cursor).await.unwrap()
    }

    /// The same; an error is a broken connection.
    pub(crate) async fn try_open(
        client: &Client,
        session: &str,
        cursor: Option<u64>,
    ) -> Result<Self, String> {
        Self::try_open_path(client, &format!("/v1/sessions/{session}/events/stream"), cursor).await
    }

    /// Opens any stream after `cursor`.
    pub(crate) async fn open_path(client: &Client, path: &str, cursor: Option<u64>) -> Self {
        Self::try_open_path(client, path, cursor).await.unwrap()
    }

    async fn try_open_path(client: &Client, path: &str, cursor: Option<u64>) -> Result<Self, String> {
        let client = match cursor {
            Some(cursor) => client.with("last-event-id", &cursor.to_string()),
            None => client.clone(),
        };
        let response = client.open("GET", path, Default::default()).await?;
        assert_eq!(response.status(), 200);
        let (parts, body) = response.into_parts();
        Ok(Self {
            headers: parts.headers,
            body,
            buffer: Vec::new(),
        })
    }

    /// The next block, or nothing when the server closed the stream. A stream that stays silent fails the test.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        match tokio::time::timeout(PATIENCE, self.try_next()).await {
            Ok(frame) => frame.unwrap(),
            Err(_) => panic!("the stream sent nothing for {PATIENCE:?}"),
        }
    }

    /// The next event; comments are passed over.
    pub(crate) async fn event(&mut self) -> Option<Value> {
        loop {
            match self.next().await? {
                Frame::Comment(_) => {}
                Frame::Event(event) => return Some(event),
                Frame::Preview(preview) => panic!("nobody asked for {preview}"),
            }
        }
    }

    /// Events up to and including the first of this type.
    pub(crate) async fn until(&mut self, type_name: &str) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self
                .event()
                .await
                .unwrap_or_else(|| panic!("closed before {type_name}: {events:#?}"));
            let found = event["type"] == type_name;
            events.push(event);
            if found {
                return events;
            }
        }
    }

    /// The next block; an error is a broken connection. A block that was cut off counts as broken too.
    pub(crate) async fn try_next(&mut self) -> Result<Option<Frame>, String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                return Ok(Some(parse(std::str::from_utf8(&block[..end]).unwrap())));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.buffer.extend_from_slice(frame.data_ref().unwrap()),
                Some(Err(error)) => return Err(error.to_string()),
                None if self.buffer.is_empty() => return Ok(None),
                None => return Err("cut off".to_owned()),
            }
        }
    }
}

/// STR-3, PRV-2: a comment, a preview of `event` and `data`, or exactly `id`, `event` and `data` in this order, one line each.
fn parse(block: &str) -> Frame {
    if let Some(comment) = block.strip_prefix(": ") {
        assert!(!comment.contains('\n'));
        return Frame::Comment(comment.to_owned());
    }
    let lines: Vec<&str> = block.split('\n').collect();
    if let [event, data] = lines[..] {
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(event.strip_prefix("event: "), data["type"].as_str());
        judge_preview(&data);
        return Frame::Preview(data);
    }
    let [id, event, data] = lines[..] else {
        panic!("not three lines: {block:?}")
    };
    let id = id.strip_prefix("id: ").unwrap();
    let type_name = event.strip_prefix("event: ").unwrap();
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(data["seq"].to_string(), id);
    assert_eq!(data["type"], type_name);
    judge_event(&data);
    Frame::Event(data)
}
