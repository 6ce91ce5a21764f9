use std::{collections::VecDeque, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{
    exchange::{Exchange, Received, Sent},
    sse::{Frame, Item, Reader},
};
use crate::{secret::Secret, wire::header::visible};

/// What came in time may be looked at for so much longer.
const GRACE: Duration = Duration::from_secs(1);

/// A response whose body is being read, byte for byte.
pub(crate) struct Reading {
    number: usize,
    sent: Sent,
    status: u16,
    headers: Vec<(String, String)>,
    response: reqwest::Response,
    key: Secret,
    largest: usize,
    body: Vec<u8>,
    chunk_ends: Vec<usize>,
    end: Option<End>,
    reader: Reader,
    first: Option<Item>,
    frames: VecDeque<Frame>,
}

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server ended the body properly.
    Closed,
    /// The connection broke inside the body.
    Broken,
    /// The deadline passed with the body still open.
    Deadline,
    /// More bytes came than any answer of this interface needs.
    TooLarge,
}

impl Reading {
    pub(super) fn new(
        number: usize,
        sent: Sent,
        response: reqwest::Response,
        key: Secret,
        largest: usize,
    ) -> Self {
        Self {
            number,
            sent,
            status: response.status().as_u16(),
            headers: visible(response.headers()),
            response,
            key,
            largest,
            body: Vec::new(),
            chunk_ends: Vec::new(),
            end: None,
            reader: Reader::default(),
            first: None,
            frames: VecDeque::new(),
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// The first response header of this name, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The next frame with data, or why there is none.
    pub(crate) async fn next_frame(&mut self, deadline: Instant) -> Result<Frame, End> {
        loop {
            if !self.frames.is_empty() {
                // Frames that are there are no reason to forget the time, or all else that has to be done.
                tokio::task::consume_budget().await;
                if Instant::now() >= deadline + GRACE {
                    return Err(End::Deadline);
                }
            }
            if let Some(frame) = self.frames.pop_front() {
                return Ok(frame);
            }
            self.read(deadline).await?;
        }
    }

    /// The first thing of the body, be it a frame or a comment.
    pub(crate) async fn first_item(&mut self, deadline: Instant) -> Result<Item, End> {
        loop {
            if let Some(item) = &self.first {
                return Ok(item.clone());
            }
            self.read(deadline).await?;
        }
    }

    /// What was read so far, as an exchange to show.
    pub(crate) fn snapshot(&self) -> Exchange {
        let response = Received {
            status: self.status,
            headers: self.headers.clone(),
            body: self.body.clone(),
            chunk_ends: self.chunk_ends.clone(),
            complete: self.end == Some(End::Closed),
        };
        Exchange::new(self.number, self.sent.clone(), response, &self.key)
    }

    /// Whether the bytes so far end inside a frame.
    pub(crate) fn is_mid_frame(&self) -> bool {
        self.reader.is_mid_block()
    }

    pub(super) async fn read_to_end(&mut self, deadline: Instant) -> End {
        loop {
            if let Err(end) = self.read(deadline).await {
                return end;
            }
            // Whoever reads to the end wants the bytes.
            self.frames.clear();
        }
    }

    pub(super) fn into_exchange(self) -> Exchange {
        self.snapshot()
    }

    async fn read(&mut self, deadline: Instant) -> Result<(), End> {
        if let Some(end) = self.end {
            return Err(end);
        }
        let chunk = match timeout_at(deadline, self.response.chunk()).await {
            Err(_) => return Err(End::Deadline),
            Ok(Err(_)) => return self.stop(End::Broken),
            Ok(Ok(None)) => return self.stop(End::Closed),
            Ok(Ok(Some(chunk))) => chunk,
        };
        self.body.extend_from_slice(&chunk);
        self.chunk_ends.push(self.body.len());
        for item in self.reader.push(&chunk) {
            self.first.get_or_insert_with(|| item.clone());
            if let Item::Frame(frame) = item {
                self.frames.push_back(frame);
            }
        }
        if self.body.len() > self.largest {
            return self.stop(End::TooLarge);
        }
        Ok(())
    }

    fn stop(&mut self, end: End) -> Result<(), End> {
        self.end = Some(end);
        Err(end)
    }
}
