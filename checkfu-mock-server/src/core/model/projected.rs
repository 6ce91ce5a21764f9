//! What HTTP shows of a Session, in roles: Runs by number, threads by place, events by `seq`, moments in milliseconds.

pub(super) mod expected;
pub(super) mod stored;

use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};
use crate::core::wait::ApprovalStatus;

/// The projections of one log (SES-5).
#[derive(Debug, PartialEq)]
pub(super) struct Projected {
    pub(super) session: SessionSeen,
    pub(super) pending: Vec<PendingSeen>,
    pub(super) threads: Vec<ThreadSeen>,
    pub(super) clock: ClockSeen,
    pub(super) runs: Vec<RunSeen>,
    pub(super) approvals: Vec<ApprovalSeen>,
}

/// The Session resource, and whether a restarted server has to go on with it.
#[derive(Debug, PartialEq)]
pub(super) struct SessionSeen {
    status: SessionStatus,
    stop_reason: Option<String>,
    seqs: (u64, u64),
    forked_at: Option<u64>,
    usage: Option<[u64; 4]>,
    created: i64,
    updated: i64,
    unfinished: bool,
}

/// Something that somebody has to answer.
#[derive(Debug, PartialEq)]
pub(super) struct PendingSeen {
    thread: usize,
    run: usize,
    wait: String,
    blocker: u64,
}

/// The SessionThread resource, but for what changes with the time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ThreadSeen {
    agent: String,
    parent: Option<usize>,
    status: ThreadStatus,
    stop_reason: Option<String>,
    created: i64,
    updated: i64,
    archived: Option<i64>,
    startup: Option<i64>,
    usage: Option<[u64; 4]>,
}

/// What changes with the time, of one thread: how long it has been running, and how long it has been there.
#[derive(Debug, PartialEq)]
pub(super) struct ClockSeen {
    place: usize,
    active: i64,
    duration: i64,
}

/// The Run resource.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunSeen {
    run: usize,
    thread: usize,
    status: RunStatus,
    trigger: (String, u64),
    attempt: u32,
    continuation: u32,
    deadline: Option<i64>,
    resolved: bool,
    usage: Option<[u64; 4]>,
    cost: Option<(String, String)>,
    error: Option<String>,
    created: i64,
    started: Option<i64>,
    settled: Option<i64>,
}

/// The ActionApproval resource.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ApprovalSeen {
    thread: usize,
    run: usize,
    tool: String,
    generation: u32,
    name: String,
    input: String,
    status: ApprovalStatus,
    decided_by: Option<u8>,
    deny_message: Option<String>,
    expires: Option<i64>,
    created: i64,
    decided: Option<i64>,
}

/// The thread whose clock is looked at after an event: one of them each time, for each costs time to read.
fn watched(last_seq: u64, threads: usize) -> usize {
    usize::try_from(last_seq).unwrap() % threads
}

impl Projected {
    /// The first projection that is not as expected.
    pub(super) fn differs(&self, expected: &Self) -> Option<String> {
        let told = |what: &str, expected: String, got: String| {
            format!("{what} differs\nexpected {expected}\ngot      {got}")
        };
        if self.session != expected.session {
            let (expected, got) = (format!("{:?}", expected.session), format!("{:?}", self.session));
            return Some(told("the Session", expected, got));
        }
        if self.clock != expected.clock {
            let (expected, got) = (format!("{:?}", expected.clock), format!("{:?}", self.clock));
            return Some(told("a thread's clock", expected, got));
        }
        first(&self.threads, &expected.threads)
            .map(|(expected, got)| told("a thread", expected, got))
            .or_else(|| first(&self.runs, &expected.runs).map(|(expected, got)| told("a Run", expected, got)))
            .or_else(|| {
                let found = first(&self.approvals, &expected.approvals);
                found.map(|(expected, got)| told("an ActionApproval", expected, got))
            })
            .or_else(|| {
                let found = first(&self.pending, &expected.pending);
                found.map(|(expected, got)| told("what is pending", expected, got))
            })
    }
}

fn first<T: PartialEq + std::fmt::Debug>(got: &[T], expected: &[T]) -> Option<(String, String)> {
    (0..got.len().max(expected.len()))
        .map(|place| (expected.get(place), got.get(place)))
        .find(|(expected, got)| expected != got)
        .map(|(expected, got)| (format!("{expected:?}"), format!("{got:?}")))
}
