use std::time::Duration;

/// How long the suite waits for things. Every bound but that of silence is an upper one; nothing is judged by being slow within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For a connection. Default 5 s.
    pub connect: Duration,
    /// For a complete answer, and for a stream to deliver what is already in the log. Default 10 s.
    pub answer: Duration,
    /// For a turn to settle. Default 60 s.
    pub turn: Duration,
    /// For a stream to show nothing before it is written to again: the one limit that is waited for. Default 2.5 s.
    pub silence: Duration,
    /// For the whole run; what is left then is inconclusive. Default none.
    pub run: Option<Duration>,
    /// For cleaning up afterwards; what is left then stays as it is. Default 120 s.
    pub clean_up: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(10),
            turn: Duration::from_secs(60),
            silence: Duration::from_millis(2_500),
            run: None,
            clean_up: Duration::from_secs(120),
        }
    }
}
