use std::{fmt::Write as _, ops::Range};

use crate::secret::Secret;

/// How much of a body an excerpt shows, in bytes.
const EXCERPT_BODY: usize = 700;

/// One request and what came back, with the key masked before anything is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exchange {
    number: usize,
    request: Sent,
    response: Received,
}

/// The request side of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Vec<u8>>,
}

/// The response side of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Where each network read ended in the body.
    pub(super) chunk_ends: Vec<usize>,
    /// Whether the end of the body was seen.
    pub(super) complete: bool,
}

impl Exchange {
    // Only the wire makes exchanges, so whoever holds one has an answer of the server in hand.
    pub(super) fn new(number: usize, request: Sent, response: Received, key: &Secret) -> Self {
        let mask = |headers: Vec<(String, String)>| {
            headers
                .into_iter()
                .map(|(name, value)| (name, key.redact(&value)))
                .collect()
        };
        Self {
            number,
            request: Sent {
                method: request.method,
                path: key.redact(&request.path),
                headers: mask(request.headers),
                body: request.body.map(|body| key.redact_bytes(&body)),
            },
            response: Received {
                headers: mask(response.headers),
                body: key.redact_bytes(&response.body),
                ..response
            },
        }
    }

    /// Its place in the run's transcript, from 1.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    pub(crate) fn method(&self) -> &'static str {
        self.request.method
    }

    /// Path and query.
    pub(crate) fn path(&self) -> &str {
        &self.request.path
    }

    pub(crate) fn status(&self) -> u16 {
        self.response.status
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.response.body
    }

    /// Whether the end of the body was seen.
    pub(crate) fn is_complete(&self) -> bool {
        self.response.complete
    }

    /// How many network reads the body took.
    pub(crate) fn reads(&self) -> usize {
        self.response.chunk_ends.len()
    }

    /// The first response header of this name, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response
            .headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The exchange as text, long bodies cut in the middle.
    pub(crate) fn excerpt(&self) -> String {
        self.excerpt_of(0..self.response.body.len())
    }

    /// The exchange as text with only these bytes of the response body.
    pub(crate) fn excerpt_of(&self, bytes: Range<usize>) -> String {
        let mut text = format!("> {} {}\n", self.request.method, self.request.path);
        for (name, value) in &self.request.headers {
            let _ = writeln!(text, "> {name}: {value}");
        }
        if let Some(body) = &self.request.body {
            let _ = writeln!(text, "> {}", shorten(body));
        }
        let _ = writeln!(text, "< {}", self.response.status);
        for (name, value) in &self.response.headers {
            let _ = writeln!(text, "< {name}: {value}");
        }
        let end = bytes.end.min(self.response.body.len());
        for line in shorten(&self.response.body[bytes.start.min(end)..end]).lines() {
            let _ = writeln!(text, "< {line}");
        }
        if !self.response.complete {
            text.push_str("< (the body went on or was cut off)\n");
        }
        text
    }
}

fn shorten(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.len() <= EXCERPT_BODY {
        return text.into_owned();
    }
    let mut head = EXCERPT_BODY / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - EXCERPT_BODY / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!(
        "{} … {} bytes left out … {}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}
