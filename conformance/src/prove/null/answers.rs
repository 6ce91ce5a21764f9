use super::{
    files::Files,
    message::{body_of, response},
};
use crate::prove::traffic::Answer;

/// A server that gives every request the same kind of answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    pub(super) name: &'static str,
    pub(super) by: By,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    /// This, whatever was asked.
    Always(Plain),
    /// The body of the request.
    Echo,
    /// Nothing, on a connection that stays open.
    Silence,
    /// The files of a directory.
    Files,
}

/// A status, a media type and a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    status: u16,
    content_type: &'static str,
    body: &'static str,
}

pub(super) const ALL: [Answers; 10] = [
    always("200 and {} to all", 200, JSON, "{}"),
    always("200 and nothing to all", 200, JSON, ""),
    always("204 to all", 204, JSON, ""),
    always("404 to all", 404, JSON, NOT_FOUND),
    always("500 to all", 500, JSON, "{}"),
    always("503 to all", 503, JSON, UNAVAILABLE),
    always(
        "an HTML page to all",
        200,
        "text/html",
        "<html><body>Welcome</body></html>",
    ),
    Answers {
        name: "an echo",
        by: By::Echo,
    },
    Answers {
        name: "no answer at all",
        by: By::Silence,
    },
    Answers {
        name: "a server of static files",
        by: By::Files,
    },
];

/// What a server answers that only creates Sessions.
pub(super) const BEHIND_CREATIONS: [(&str, Plain); 4] = [
    ("creates Sessions, else 200 and {}", plain(200, JSON, "{}")),
    ("creates Sessions, else 404", plain(404, JSON, NOT_FOUND)),
    ("creates Sessions, else 500", plain(500, JSON, "{}")),
    (
        "creates Sessions, else streams of nothing",
        plain(200, "text/event-stream", ": nothing\n\n"),
    ),
];

const JSON: &str = "application/json";
const NOT_FOUND: &str =
    r#"{"type":"error","error":{"type":"not_found_error","code":"resource.not_found","message":"no"}}"#;
const UNAVAILABLE: &str = r#"{"type":"error","error":{"type":"api_error","code":"unavailable","message":"later","retryable":true}}"#;

const fn plain(status: u16, content_type: &'static str, body: &'static str) -> Plain {
    Plain {
        status,
        content_type,
        body,
    }
}

const fn always(name: &'static str, status: u16, content_type: &'static str, body: &'static str) -> Answers {
    Answers {
        name,
        by: By::Always(plain(status, content_type, body)),
    }
}

impl Plain {
    pub(super) fn answer(self) -> Answer {
        Answer::new(self.status, self.content_type, self.body)
    }
}

impl By {
    /// The bytes of the answer to a request; `None` where none comes.
    pub(super) fn answer(self, request: &[u8], files: &Files) -> Option<Vec<u8>> {
        match self {
            Self::Always(plain) => Some(response(plain.status, plain.content_type, plain.body.as_bytes())),
            Self::Echo => Some(response(200, JSON, body_of(request))),
            Self::Silence => None,
            Self::Files => Some(files.answer(request)),
        }
    }
}
