//! Where a turn comes to rest, and the boundaries of waits (A-WAIT, A-PARK, A-VIEW).

use super::message::is_busy;
use crate::core::admission::WaitStyle;
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::{EventId, RunId, ThreadId};
use crate::core::payload::{Empty, StatusIdle, ThreadIdle, ThreadStopReason, Wait};
use crate::core::refusal::Refusal;
use crate::core::status::{RunStatus, SessionStatus};

/// A Run of the primary thread is over: the next one in the queue follows without an idle between (A-OVERLAP); what
/// children wait for is shown; else the turn ends.
pub(super) fn rest(batch: &mut Batch<'_>, run: &RunId, stop_reason: &str) -> Result<(), Refusal> {
    let session = batch.session();
    let primary = session.primary().clone();
    let queued = session
        .active_runs(&primary)
        .find(|next| next.status == RunStatus::Queued && next.attempt == 0)
        .map(|next| next.id.clone());
    match queued {
        Some(next) => batch.become_pending(&next),
        None if batch.session().pending_actions().next().is_some() => boundary(batch, Some(run)),
        None => batch.become_idle(Some(run), stop_reason),
    }
}

/// A child came to rest. Its Session shows what it waits for only if the primary thread has nothing unfinished.
pub(super) fn rest_child(
    batch: &mut Batch<'_>,
    thread: &ThreadId,
    run: &RunId,
    stop_reason: &str,
) -> Result<(), Refusal> {
    let idle = EventData::ThreadIdle(ThreadIdle {
        session_thread_id: thread.clone(),
        agent_name: agent_name(batch, thread),
        stop_reason: ThreadStopReason {
            r#type: stop_reason.to_owned(),
        },
    });
    batch.on_thread(thread, Some(run), idle);
    if stop_reason == "requires_action" && !is_busy(batch) {
        boundary(batch, Some(run))?;
    }
    Ok(())
}

/// A child's wait was resolved or given up: the boundary is written again with the rest, or the Session is idle.
pub(super) fn child_wait_ended(batch: &mut Batch<'_>, run: &RunId) -> Result<(), Refusal> {
    if is_busy(batch) {
        return Ok(());
    }
    if batch.session().pending_actions().next().is_some() {
        return boundary(batch, Some(run));
    }
    let head = &batch.session().head;
    let shown = head.status == SessionStatus::Waiting
        || (head.status == SessionStatus::Idle && head.stop_reason.as_deref() == Some("requires_action"));
    if shown {
        batch.become_idle(Some(run), "end_turn")?;
    }
    Ok(())
}

/// What is pending, from the log: a Question of the primary thread pauses the Session, anything else is a wait. Neither settles
/// anything: the Run goes on after it (WAIT-4).
pub(super) fn boundary(batch: &mut Batch<'_>, run: Option<&RunId>) -> Result<(), Refusal> {
    let session = batch.session();
    let asks = session
        .pending_actions()
        .any(|record| session.is_primary(&record.thread) && matches!(record.wait, Wait::Question { .. }));
    if asks {
        return match session.head.status {
            SessionStatus::Paused => Ok(()),
            _ => batch.become_status(run, EventData::StatusPaused(Empty {})),
        };
    }
    let blockers: Vec<EventId> = session
        .pending_actions()
        .map(|record| record.blocker.clone())
        .collect();
    let style = session.admission.behaviour.wait_style;
    if matches!(style, WaitStyle::Both | WaitStyle::Idle) {
        let idle = EventData::StatusIdle(StatusIdle {
            stop_reason: "requires_action".to_owned(),
            event_ids: Some(blockers),
        });
        batch.become_status(run, idle)?;
    }
    if matches!(style, WaitStyle::Both | WaitStyle::Waiting) {
        batch.become_status(run, EventData::StatusWaiting(Empty {}))?;
    }
    Ok(())
}

pub(super) fn agent_name(batch: &Batch<'_>, thread: &ThreadId) -> String {
    batch
        .session()
        .thread(thread)
        .map(|thread| thread.agent_name.clone())
        .unwrap_or_default()
}
