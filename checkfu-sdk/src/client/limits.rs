use std::time::Duration;

/// How long the parts of a call may take, and how much an answer may hold.
///
/// ```
/// use std::time::Duration;
/// use checkfu_sdk::Limits;
///
/// let limits = Limits::default().idle(Duration::from_secs(30));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    pub(crate) connect: Duration,
    pub(crate) first_byte: Duration,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    pub(crate) body_bytes: usize,
    pub(crate) frame_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(120),
            body_bytes: 64 * 1024 * 1024,
            frame_bytes: crate::sse::DEFAULT_LIMIT,
        }
    }
}

impl Limits {
    /// The time to reach the server, always in real time. Default: 10 s.
    pub fn connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// The time from a request to the head of its answer, the connection included, and the time that a key provider has to
    /// give a key. Default: 30 s.
    ///
    /// Over HTTP/2 a request may wait for others to end, where the server limits how many are open; this limit ends such a
    /// wait, as [`TransportErrorKind::NoFreeStream`](crate::error::TransportErrorKind::NoFreeStream).
    pub fn first_byte(mut self, limit: Duration) -> Self {
        self.first_byte = limit;
        self
    }

    /// The time without any byte, comments included, after which a stream or a body counts as broken.
    /// Default: 60 s.
    pub fn idle(mut self, limit: Duration) -> Self {
        self.idle = limit;
        self
    }

    /// The time for one call, its attempts and waits included. It does not apply to streams. Default: 120 s.
    ///
    /// The body of a refusal has a quarter of it, and at most 10 s; after that the refusal is told by its status.
    pub fn total(mut self, limit: Duration) -> Self {
        self.total = limit;
        self
    }

    /// The most bytes that the answer to a call may hold. Default: 64 MiB.
    pub fn body_bytes(mut self, limit: usize) -> Self {
        self.body_bytes = limit;
        self
    }

    /// The most bytes that one frame of a stream may hold. Default: 16 MiB.
    pub fn frame_bytes(mut self, limit: usize) -> Self {
        self.frame_bytes = limit;
        self
    }
}
