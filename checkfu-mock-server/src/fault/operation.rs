//! What a request asks for, as faults and the journal name it.

use axum::http::Method;
use serde::{Deserialize, Serialize};

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// A new connection, before any request on it.
    Connect,
    /// `POST /v1/sessions`
    CreateSession,
    /// `GET /v1/sessions`
    ListSessions,
    /// `GET /v1/sessions/{session_id}`
    RetrieveSession,
    /// `POST …/complete`, `…/cancel`, `…/fork`, `…/threads/{thread_id}/archive`
    ActOnSession,
    /// `POST …/events`
    PostEvent,
    /// `GET …/events`
    ListEvents,
    /// `GET …/events/stream`
    Stream,
    /// `GET …/threads/{thread_id}/events`
    ListThreadEvents,
    /// `GET …/threads/{thread_id}/stream`
    ThreadStream,
    /// Every other request.
    Other,
}

impl Operation {
    /// What this method and path ask for, and of which Session.
    pub(crate) fn of<'a>(method: &Method, path: &'a str) -> (Self, Option<&'a str>) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let get = method == Method::GET;
        let ["v1", "sessions", rest @ ..] = &parts[..] else {
            return (Self::Other, None);
        };
        let session = rest.first().copied();
        let operation = match (get, rest) {
            (true, []) => Self::ListSessions,
            (false, []) => Self::CreateSession,
            (true, [_]) => Self::RetrieveSession,
            (true, [_, "events"]) => Self::ListEvents,
            (false, [_, "events"]) => Self::PostEvent,
            (true, [_, "events", "stream"]) => Self::Stream,
            (true, [_, "threads", _, "events"]) => Self::ListThreadEvents,
            (true, [_, "threads", _, "stream"]) => Self::ThreadStream,
            (false, [_, "complete" | "cancel" | "fork"] | [_, "threads", _, "archive"]) => Self::ActOnSession,
            _ => Self::Other,
        };
        (operation, session)
    }

    pub(crate) fn is_stream(self) -> bool {
        matches!(self, Self::Stream | Self::ThreadStream)
    }

    /// Whether it may read a single resource.
    pub(crate) fn is_read(self) -> bool {
        matches!(self, Self::RetrieveSession | Self::Other)
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(
            self,
            Self::ListSessions | Self::ListEvents | Self::ListThreadEvents
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_is_asked_for_and_of_which_session() {
        for (method, path, operation, session) in [
            (Method::POST, "/v1/sessions", Operation::CreateSession, None),
            (
                Method::GET,
                "/v1/sessions/s",
                Operation::RetrieveSession,
                Some("s"),
            ),
            (
                Method::GET,
                "/v1/sessions/s/events/stream",
                Operation::Stream,
                Some("s"),
            ),
            (
                Method::GET,
                "/v1/sessions/s/threads/t/stream",
                Operation::ThreadStream,
                Some("s"),
            ),
            (
                Method::POST,
                "/v1/sessions/s/cancel",
                Operation::ActOnSession,
                Some("s"),
            ),
            (Method::GET, "/healthz", Operation::Other, None),
        ] {
            assert_eq!(Operation::of(&method, path), (operation, session), "{path}");
        }
    }
}
