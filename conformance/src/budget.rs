use serde::Serialize;

/// What a run may spend on a server. Time is bounded by [`Limits`](crate::Limits).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Budget {
    /// How many requests it sends at most. Default no limit.
    pub requests: Option<u64>,
    /// How many events it appends at most. Default no limit.
    pub events: Option<u64>,
    /// How many requests it sends in a second at most. Default no limit on this machine, and
    /// [`Self::POLITE`] elsewhere.
    pub rate: Option<f64>,
    /// How many bytes of answers it keeps in memory at most. Default [`Self::KEPT`].
    pub kept: Option<u64>,
}

impl Budget {
    /// Bytes of answers that are kept where nothing else is said: 512 MiB.
    pub const KEPT: u64 = 512 << 20;
    /// Requests a second where the server is not on this machine and nothing else is said.
    pub const POLITE: f64 = 10.0;
}

/// What a run spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Spending {
    /// Requests sent by the checks and their set-ups.
    pub requests: u64,
    /// Events that they appended.
    pub events: u64,
    /// Bytes of requests and answers that were kept as evidence.
    pub kept: u64,
    /// Requests sent afterwards to clean up; no budget bounds them.
    pub clean_up_requests: u64,
}
