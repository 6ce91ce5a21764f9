//! The SessionThread resource (THR-10, THR-12, THR-13).

use serde::Serialize;

use crate::core::admission::{Admission, ThreadAgent};
use crate::core::id::{SessionId, ThreadId};
use crate::core::moment::Moment;
use crate::core::payload::{ThreadStopReason, Usage};
use crate::core::status::ThreadStatus;
use crate::core::thread::Thread;

/// A thread at the moment at which it is read.
#[derive(Debug, Serialize)]
pub(crate) struct ThreadResource<'a> {
    id: &'a ThreadId,
    r#type: &'static str,
    agent: &'a ThreadAgent,
    session_id: &'a SessionId,
    parent_thread_id: Option<&'a ThreadId>,
    status: ThreadStatus,
    stop_reason: Option<ThreadStopReason>,
    created_at: Moment,
    updated_at: Moment,
    archived_at: Option<Moment>,
    stats: Stats,
    usage: Option<Usage>,
}

/// Seconds, with milliseconds as decimals.
#[derive(Debug, Serialize)]
struct Stats {
    active_seconds: Option<f64>,
    duration_seconds: Option<f64>,
    startup_seconds: Option<f64>,
}

impl<'a> ThreadResource<'a> {
    pub(crate) fn new(admission: &'a Admission, thread: &'a Thread, now: Moment) -> Self {
        let agent = match thread.parent {
            None => &admission.thread_agent,
            Some(_) => admission
                .roster
                .get(&thread.agent_name)
                .unwrap_or(&admission.thread_agent),
        };
        Self {
            id: &thread.id,
            r#type: "session_thread",
            agent,
            session_id: &admission.id,
            parent_thread_id: thread.parent.as_ref(),
            status: thread.status,
            stop_reason: thread
                .stop_reason
                .clone()
                .map(|r#type| ThreadStopReason { r#type }),
            created_at: thread.created_at,
            updated_at: thread.updated_at,
            archived_at: thread.archived_at,
            stats: Stats::of(thread, now),
            usage: thread.usage,
        }
    }
}

impl Stats {
    fn of(thread: &Thread, now: Moment) -> Self {
        let timing = &thread.timing;
        let running = timing.running_since.map_or(0, |since| now.since(since));
        let until = timing.ended_at.unwrap_or(now);
        Self {
            active_seconds: Some(seconds(timing.active + running)),
            duration_seconds: Some(seconds(until.since(thread.created_at))),
            startup_seconds: timing.startup.map(seconds),
        }
    }
}

#[allow(clippy::cast_precision_loss)]
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
