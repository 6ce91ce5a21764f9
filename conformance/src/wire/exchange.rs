use std::{fmt::Write as _, ops::Range};

use super::excerpt::excerpt;
use crate::secret::Secret;

/// How much of a path a line shows, in characters.
const LONGEST_PATH: usize = 200;

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

    /// What was asked and the status that came, in a line; a long path is cut.
    pub(crate) fn call(&self) -> String {
        let path: String = self.request.path.chars().take(LONGEST_PATH).collect();
        let rest = if path.len() < self.request.path.len() {
            "…"
        } else {
            ""
        };
        format!("{} {path}{rest} {}", self.request.method, self.response.status)
    }

    /// About how many bytes of memory it takes.
    pub(super) fn weight(&self) -> u64 {
        let headers = |headers: &[(String, String)]| -> usize {
            headers.iter().map(|(name, value)| name.len() + value.len()).sum()
        };
        let (request, response) = (&self.request, &self.response);
        let bytes = size_of::<Self>()
            + request.path.len()
            + headers(&request.headers)
            + request.body.as_ref().map_or(0, Vec::len)
            + headers(&response.headers)
            + response.body.len()
            + response.chunk_ends.len() * size_of::<usize>();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The first response header of this name, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response
            .headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The exchange as text. A long body is cut to its start, its end and the places that `about` speaks of.
    pub(crate) fn excerpt(&self, about: &str) -> String {
        self.shown(0..self.response.body.len(), about)
    }

    /// The exchange as text with only these bytes of the response body.
    pub(crate) fn excerpt_of(&self, bytes: Range<usize>) -> String {
        self.shown(bytes, "")
    }

    fn shown(&self, bytes: Range<usize>, about: &str) -> String {
        let mut text = format!("> {} {}\n", self.request.method, self.request.path);
        for (name, value) in &self.request.headers {
            let _ = writeln!(text, "> {name}: {value}");
        }
        if let Some(body) = &self.request.body {
            let _ = writeln!(text, "> {}", excerpt(body, ""));
        }
        let _ = writeln!(text, "< {}", self.response.status);
        for (name, value) in &self.response.headers {
            let _ = writeln!(text, "< {name}: {value}");
        }
        let end = bytes.end.min(self.response.body.len());
        for line in excerpt(&self.response.body[bytes.start.min(end)..end], about).lines() {
            let _ = writeln!(text, "< {line}");
        }
        if !self.response.complete {
            text.push_str("< (the body went on or was cut off)\n");
        }
        text
    }
}
