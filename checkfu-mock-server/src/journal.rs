//! What was asked and how it ended: the latest requests, without keys and bodies.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use jiff::Timestamp;
use serde::Serialize;

use crate::fault::operation::Operation;

/// How many requests are remembered.
const CAPACITY: usize = 1000;

/// A request and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JournalEntry {
    /// Its place in the order of arrival, from 1 on.
    pub number: u64,
    /// When it arrived, by the server's clock.
    pub at: Timestamp,
    /// `GET`, `POST`, …
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// What the path asks for.
    pub operation: Operation,
    /// The `request-id` that it was answered with.
    pub request_id: String,
    /// Its cursor, if it had one.
    pub last_event_id: Option<String>,
    /// Whether it had an idempotency key.
    pub idempotency_key: bool,
    /// The status; nothing while there is no answer.
    pub status: Option<u16>,
    /// How many bytes of the answer's body were handed over so far.
    pub bytes: u64,
    /// How it stands.
    pub ended: Ended,
    /// How many faults have met it.
    pub faults: u64,
}

/// How a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// It is being answered.
    Open,
    /// It was answered whole.
    Complete,
    /// The server ended it on purpose.
    Cut,
    /// Its client went away, or its connection broke.
    Dropped,
}

/// The latest requests. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    entries: VecDeque<JournalEntry>,
    made: u64,
}

impl Journal {
    /// The latest requests, in the order of arrival; at most 1000.
    pub(crate) fn entries(&self) -> Vec<JournalEntry> {
        self.lock().entries.iter().cloned().collect()
    }

    /// A request has arrived; its number is given to it here.
    pub(crate) fn begin(&self, mut entry: JournalEntry) -> Ticket {
        let mut ring = self.lock();
        ring.made += 1;
        entry.number = ring.made;
        if ring.entries.len() == CAPACITY {
            ring.entries.pop_front();
        }
        ring.entries.push_back(entry);
        Ticket {
            journal: self.clone(),
            number: ring.made,
            ended: Ended::Dropped,
        }
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut JournalEntry)) {
        let mut ring = self.lock();
        let first = ring.entries.front().map_or(0, |entry| entry.number);
        let index = number
            .checked_sub(first)
            .and_then(|index| usize::try_from(index).ok());
        if let Some(entry) = index.and_then(|index| ring.entries.get_mut(index)) {
            change(entry);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes on about one request; what nobody brings to an end was dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    journal: Journal,
    number: u64,
    ended: Ended,
}

impl Ticket {
    /// The request was ended on purpose.
    pub(crate) fn cut(mut self) {
        self.ended = Ended::Cut;
    }

    /// The answer begins; its body is counted as it goes out.
    pub(crate) fn answered(self, status: u16, body: Body) -> Body {
        self.journal
            .change(self.number, |entry| entry.status = Some(status));
        Body::new(Counted { body, ticket: self })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.journal.change(self.number, |entry| entry.ended = self.ended);
    }
}

/// A body that is counted.
struct Counted {
    body: Body,
    ticket: Ticket,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                let number = self.ticket.number;
                self.ticket.journal.change(number, |entry| entry.bytes += length);
                if self.body.is_end_stream() {
                    self.ticket.ended = Ended::Complete;
                }
            }
            Some(Err(_)) => self.ticket.ended = Ended::Cut,
            None => self.ticket.ended = Ended::Complete,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
