use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::{bench::Bench, event::Event, session};
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// The most a page may hold, by the published text.
pub(crate) const LARGEST_PAGE: usize = 1000;
/// A walk longer than this does not end.
const LONGEST_WALK: usize = 10_000;

/// A Session's events as the list shows them, from the start to the end.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    /// The last page of the walk.
    pub(crate) evidence: Arc<Exchange>,
}

/// One page of the list.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) events: Vec<Event>,
    pub(crate) next: Option<String>,
    pub(crate) answer: Arc<Exchange>,
}

impl Log {
    /// Walks the whole list by page tokens.
    pub(crate) async fn read(bench: &Bench, session_id: &str) -> Result<Self, Stop> {
        Self::walk(bench, session_id, LARGEST_PAGE).await
    }

    /// Walks the whole list by page tokens with pages of at most `limit`.
    pub(crate) async fn walk(bench: &Bench, session_id: &str, limit: usize) -> Result<Self, Stop> {
        Self::walk_at(bench, &session::events(session_id), limit).await
    }

    /// The same of the list at this path.
    pub(crate) async fn walk_at(bench: &Bench, path: &str, limit: usize) -> Result<Self, Stop> {
        let mut events = Vec::new();
        let mut seen = HashSet::new();
        let mut token: Option<String> = None;
        loop {
            let mut request = Request::get(path).query("limit", limit);
            if let Some(token) = &token {
                request = request.query("page", token);
            }
            let page = Page::read(bench.send(request).await?)?;
            let actual = format!("a page of {}", page.events.len());
            expect::that(
                page.events.len() <= limit,
                &page.answer,
                format!("at most {limit} events"),
                actual,
            )?;
            events.extend(page.events);
            let Some(next) = page.next else {
                return Ok(Self {
                    events,
                    evidence: page.answer,
                });
            };
            let fresh = seen.insert(next.clone()) && seen.len() < LONGEST_WALK;
            expect::that(
                fresh,
                &page.answer,
                "a walk that ends",
                format!("next_page {next:?} again"),
            )?;
            token = Some(next);
        }
    }

    /// Walks the list behind `after`, on by the last seq until an empty page.
    pub(crate) async fn walk_after(bench: &Bench, session_id: &str, after: u64) -> Result<Self, Stop> {
        Self::walk_after_at(bench, &session::events(session_id), after).await
    }

    /// The same of the list at this path.
    pub(crate) async fn walk_after_at(bench: &Bench, path: &str, after: u64) -> Result<Self, Stop> {
        Self::walk_after_by(bench, path, after, LARGEST_PAGE).await
    }

    /// The same with pages of at most `limit`.
    pub(crate) async fn walk_after_by(
        bench: &Bench,
        path: &str,
        after: u64,
        limit: usize,
    ) -> Result<Self, Stop> {
        let mut events: Vec<Event> = Vec::new();
        // Behind an empty page that is not the last one the next one stands, not the same again.
        let mut token: Option<String> = None;
        let mut seen = HashSet::new();
        for _ in 0..LONGEST_WALK {
            let cursor = events.last().map_or(after, |event| event.seq);
            let request = Request::get(path).query("limit", limit);
            let request = match &token {
                Some(token) => request.query("page", token),
                None => request.query("after", cursor),
            };
            let page = Page::read(bench.send(request).await?)?;
            if page.events.is_empty() {
                let Some(next) = page.next else {
                    return Ok(Self {
                        events,
                        evidence: page.answer,
                    });
                };
                let fresh = seen.insert(next.clone());
                let again = format!("next_page {next:?} again");
                expect::that(fresh, &page.answer, "a walk that ends", again)?;
                token = Some(next);
                continue;
            }
            token = None;
            if let Some(first) = page.events.first().filter(|first| first.seq <= cursor) {
                let expected = format!("events above {cursor} or an empty last page");
                return Err(Stop::fail(
                    expected,
                    format!("seq {} ({})", first.seq, first.kind),
                    &page.answer,
                ));
            }
            events.extend(page.events);
        }
        Err(Stop::Inconclusive(format!(
            "the list behind {after} has no end within {LONGEST_WALK} pages"
        )))
    }

    /// The highest number, 0 for an empty log.
    pub(crate) fn head(&self) -> u64 {
        self.events.last().map_or(0, |event| event.seq)
    }

    /// The events above `seq`.
    pub(crate) fn above(&self, seq: u64) -> &[Event] {
        let start = self
            .events
            .iter()
            .position(|event| event.seq > seq)
            .unwrap_or(self.events.len());
        &self.events[start..]
    }

    /// Whether the other log begins with this one and nobody put anything in since; a server may still write by itself.
    pub(crate) fn expect_no_input_since(&self, now: &Self, what: &str) -> Result<(), Stop> {
        let kept = &now.events[..self.events.len().min(now.events.len())];
        expect::same_events(&now.evidence, what, &self.events, kept)?;
        let put_in = |event: &&Event| event.kind.starts_with("user.") || event.kind == "run.created";
        let actual = now.above(self.head()).iter().find(put_in);
        expect::that(
            actual.is_none(),
            &now.evidence,
            format!("{what}: no input above {}", self.head()),
            actual.map_or(String::new(), |event| event.raw.to_string()),
        )
    }

    /// Whether the other log is this one, envelope by envelope.
    pub(crate) fn expect_unchanged(&self, now: &Self, what: &str) -> Result<(), Stop> {
        expect::same_events(&now.evidence, what, &self.events, &now.events)
    }
}

impl Page {
    /// Reads a page of envelopes.
    pub(crate) fn read(answer: Arc<Exchange>) -> Result<Self, Stop> {
        expect::status(&answer, 200)?;
        let body = expect::json(&answer)?;
        let data = expect::member(&answer, &body, "/data")?;
        let data = data
            .as_array()
            .ok_or_else(|| Stop::fail("an array /data", data.to_string(), &answer))?;
        let mut events = Vec::with_capacity(data.len());
        for raw in data {
            events.push(
                Event::read(raw).map_err(|fault| Stop::fail("whole envelopes in /data", fault, &answer))?,
            );
        }
        let next = match body.get("next_page") {
            None | Some(Value::Null) => None,
            Some(Value::String(token)) => Some(token.clone()),
            Some(other) => {
                return Err(Stop::fail(
                    "next_page a string or null",
                    other.to_string(),
                    &answer,
                ));
            }
        };
        Ok(Self { events, next, answer })
    }

    /// Whether this is the first page of that log; one may be shorter than was asked for, if a next one goes on.
    pub(crate) fn expect_start_of(&self, log: &Log, what: &str) -> Result<(), Stop> {
        let events = match self.next {
            Some(_) => log.events.get(..self.events.len()).unwrap_or(&log.events),
            None => &log.events,
        };
        expect::same_events(&self.answer, what, events, &self.events)
    }
}
