use http::Method;

use crate::client::{Client, Request, segment};
use crate::error::Error;
use crate::model::{LogId, Seq};
use crate::sessions::SESSION;

const EVENTS: &str = "/v1/sessions/{session_id}/events";
const STREAM: &str = "/v1/sessions/{session_id}/events/stream";
/// The route of a thread.
pub(crate) const THREAD: &str = "/v1/sessions/{session_id}/threads/{thread_id}";
const THREAD_EVENTS: &str = "/v1/sessions/{session_id}/threads/{thread_id}/events";
const THREAD_STREAM: &str = "/v1/sessions/{session_id}/threads/{thread_id}/stream";

/// A log on a server: the one place that knows under which routes it is read.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    client: Client,
    id: LogId,
}

impl Log {
    pub(crate) fn new(client: Client, id: LogId) -> Self {
        Self { client, id }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn id(&self) -> &LogId {
        &self.id
    }

    /// A request for the Session of the log.
    pub(crate) fn session(&self) -> Result<Request, Error> {
        self.of_session(Method::GET, SESSION)
    }

    /// A request for the thread of the log, if it is one's.
    pub(crate) fn thread(&self) -> Option<Result<Request, Error>> {
        let thread = self.id.session_thread_id.as_ref()?;
        Some(self.of_thread(THREAD, thread.as_str()))
    }

    /// A request for a page of the log.
    pub(crate) fn list(&self) -> Result<Request, Error> {
        match &self.id.session_thread_id {
            Some(thread) => self.of_thread(THREAD_EVENTS, thread.as_str()),
            None => self.of_session(Method::GET, EVENTS),
        }
    }

    /// A request for the first event of the log that comes after a place.
    pub(crate) fn first_after(&self, seq: Seq) -> Result<Request, Error> {
        let mut request = self.list()?;
        request.query.push(("after", seq.to_string()));
        request.query.push(("limit", "1".to_owned()));
        Ok(request)
    }

    /// A request for the stream of the log.
    pub(crate) fn stream(&self) -> Result<Request, Error> {
        match &self.id.session_thread_id {
            Some(thread) => self.of_thread(THREAD_STREAM, thread.as_str()),
            None => self.of_session(Method::GET, STREAM),
        }
    }

    /// A request that appends to the Session's log. A thread's has no such route (`THR-7`).
    pub(crate) fn append(&self) -> Result<Request, Error> {
        self.of_session(Method::POST, EVENTS)
    }

    fn of_session(&self, method: Method, route: &'static str) -> Result<Request, Error> {
        let session = segment("session id", self.id.session_id.as_str())?;
        Ok(Request::new(method, route, &[session]))
    }

    fn of_thread(&self, route: &'static str, thread: &str) -> Result<Request, Error> {
        let session = segment("session id", self.id.session_id.as_str())?;
        let thread = segment("thread id", thread)?;
        Ok(Request::new(Method::GET, route, &[session, thread]))
    }
}
