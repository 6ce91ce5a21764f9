//! What a fork begins with (FRK-2, A-FORK): the copied prefix is history, nothing of its work is carried over.

use super::event::Event;
use super::moment::Moment;
use super::session::Session;
use super::status::{SessionStatus, ThreadStatus};
use super::touched::Touched;

/// `session.forked`: no Run, no wait, no queued input; the primary thread is idle, children are terminated. What ran at
/// the last event that was copied, `left_at`, ran no longer than that.
pub(super) fn begin(session: &mut Session, event: &Event, left_at: Moment, touched: &mut Touched) {
    session.head.status = SessionStatus::Idle;
    session.unfinished.clear();
    session.latest_input = None;
    session.requested = None;
    session.used_challenges.clear();
    for record in session.waits.all() {
        if let Some(approval) = &record.approval {
            touched.approvals.push(approval.id.clone());
        }
    }
    session.waits.close_all();
    for (place, thread) in session.threads.iter_mut().enumerate() {
        let status = if place == 0 {
            ThreadStatus::Idle
        } else {
            ThreadStatus::Terminated
        };
        thread.stop_running(left_at);
        thread.come_to_rest(status, event.created_at);
        thread.stop_reason = None;
        if place == 0 {
            // The source may have ended; the fork goes on.
            thread.timing.ended_at = None;
        }
        touched.threads.push(thread.id.clone());
    }
}
