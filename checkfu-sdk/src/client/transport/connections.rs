use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::Version;

use crate::error::{TransportError, TransportErrorKind};

/// The most answers that are open on one HTTP/2 connection. RFC 9113 asks servers to allow no fewer than 100.
const MOST_ANSWERS: usize = 100;

/// How many bytes one answer may be ahead of its reader: what a stalled stream costs.
pub(super) const ANSWER_WINDOW: u32 = 256 * 1024;

/// The same for a whole connection: more than its answers may hold together, so that those that nobody reads never take
/// the others' share.
pub(super) const CONNECTION_WINDOW: u32 = 1 << 30;

/// The connections for requests of one kind: one where the server speaks HTTP/2, and more of them where it has no room for
/// a further answer; any number where it speaks HTTP/1.1.
///
/// A connection is a client of the HTTP library, which keeps no more than one to a server that speaks HTTP/2.
#[derive(Clone)]
pub(super) struct Connections(Arc<Shared>);

struct Shared {
    make: Make,
    state: Mutex<State>,
}

type Make = Box<dyn Fn() -> Option<reqwest::Client> + Send + Sync>;

struct State {
    connections: Vec<Connection>,
    next_id: u64,
    protocol: Protocol,
    /// The most answers that one connection gets: [`MOST_ANSWERS`], or what the server was found to allow.
    most: usize,
    /// The most answers that the server had open on one connection.
    proven: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// An answer has its connection for itself.
    Http1,
    /// Answers share a connection.
    Http2,
    /// It is agreed on with the first connection.
    NotAgreed,
}

struct Connection {
    id: u64,
    http: reqwest::Client,
    /// Requests under way, and their answers.
    places: usize,
    /// Those of them whose answer began.
    answers: usize,
    /// A request waited here in vain, so no other one gets a place.
    is_given_up: bool,
}

/// The place of one request on a connection, until its answer is dropped.
pub(in crate::client) struct Place {
    shared: Arc<Shared>,
    connection: u64,
    http: reqwest::Client,
    is_answered: bool,
}

impl Connections {
    /// Begins with the connection `first`; `make` makes further ones.
    pub(super) fn new(
        first: reqwest::Client,
        may_share: bool,
        make: impl Fn() -> Option<reqwest::Client> + Send + Sync + 'static,
    ) -> Self {
        let mut state = State {
            connections: Vec::new(),
            next_id: 0,
            protocol: if may_share {
                Protocol::NotAgreed
            } else {
                Protocol::Http1
            },
            most: MOST_ANSWERS,
            proven: 0,
        };
        state.add(first);
        let make = Box::new(make);
        let state = Mutex::new(state);
        Self(Arc::new(Shared { make, state }))
    }

    /// A place for one request.
    pub(super) fn place(&self) -> Place {
        let mut state = self.0.state();
        let index = state.free().unwrap_or_else(|| match (self.0.make)() {
            Some(http) => state.add(http),
            // The windows leave room for more answers than are counted on.
            None => state.emptiest(),
        });
        let connection = &mut state.connections[index];
        connection.places += 1;
        Place {
            shared: Arc::clone(&self.0),
            connection: connection.id,
            http: connection.http.clone(),
            is_answered: false,
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds a connection, and lets go of those that were given up and have emptied since.
    fn add(&mut self, http: reqwest::Client) -> usize {
        self.connections
            .retain(|connection| connection.places > 0 || !connection.is_given_up);
        self.connections.push(Connection {
            id: self.next_id,
            http,
            places: 0,
            answers: 0,
            is_given_up: false,
        });
        self.next_id += 1;
        self.connections.len() - 1
    }

    fn free(&self) -> Option<usize> {
        let (most, is_exclusive) = (self.most, self.protocol == Protocol::Http1);
        self.connections
            .iter()
            .position(|connection| is_exclusive || (!connection.is_given_up && connection.places < most))
    }

    fn emptiest(&self) -> usize {
        let places = self.connections.iter().map(|connection| connection.places);
        places
            .enumerate()
            .min_by_key(|(_, places)| *places)
            .map_or(0, |(index, _)| index)
    }

    fn connection(&mut self, id: u64) -> Option<&mut Connection> {
        self.connections.iter_mut().find(|connection| connection.id == id)
    }
}

impl Place {
    pub(super) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// The answer to the request began.
    pub(super) fn answered(&mut self, version: Version) {
        self.is_answered = true;
        let mut state = self.shared.state();
        state.protocol = match version {
            Version::HTTP_2 => Protocol::Http2,
            _ => Protocol::Http1,
        };
        let Some(connection) = state.connection(self.connection) else {
            return;
        };
        connection.answers += 1;
        let answers = connection.answers;
        state.proven = state.proven.max(answers);
    }

    /// No answer to the request began in this time. If its connection has as many others as the server ever allowed on one,
    /// that is taken for the server's limit, and every connection stops there. Otherwise the connection may be dead, and no
    /// further request joins it.
    pub(in crate::client) fn unanswered(&self, after: Duration) -> Option<TransportError> {
        let mut state = self.shared.state();
        let (protocol, proven) = (state.protocol, state.proven);
        if protocol != Protocol::Http2 {
            return None;
        }
        let connection = state.connection(self.connection)?;
        let open = connection.answers;
        if open == 0 || open < proven {
            connection.is_given_up = true;
            return None;
        }
        state.most = state.most.min(open);
        Some(TransportError::new(TransportErrorKind::NoFreeStream {
            open,
            after,
        }))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let id = self.connection;
        let Some(connection) = state.connection(id) else {
            return;
        };
        connection.places -= 1;
        connection.answers -= usize::from(self.is_answered);
        let is_left = connection.places == 0;
        // One idle connection is kept, for the next requests.
        let is_spare = |other: &Connection| other.id != id && other.places == 0 && !other.is_given_up;
        if is_left && state.connections.iter().any(is_spare) {
            state.connections.retain(|connection| connection.id != id);
        }
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Connections")
    }
}
