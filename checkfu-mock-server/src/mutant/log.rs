//! Mutants that show in the log: what one command appends, rewritten before it is stored; and what is stored, rewritten
//! before it is shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};

use super::chosen::active;
use super::promise::Mutant;
use crate::core::event::{Event, EventData};
use crate::core::id::{EventId, RunId, ToolUseId};
use crate::core::payload::{Empty, SessionUsage, Subject, Wait};

/// The events as they are stored: they are not what the server goes on with.
pub(crate) fn rewrite(events: &[Event]) -> Cow<'_, [Event]> {
    let mut all = Cow::Borrowed(events);
    for mutant in Mutant::ALL.iter().copied().filter(|mutant| active(*mutant)) {
        reorder(mutant, all.to_mut());
        let stored = all.iter().filter_map(|event| stored(mutant, event, events));
        all = Cow::Owned(stored.collect());
    }
    all
}

/// An envelope as lists and streams show it.
pub(crate) fn shown(envelope: Bytes) -> Bytes {
    if !active(Mutant::CauseUnlogged) {
        return envelope;
    }
    without_cause(&envelope).unwrap_or(envelope)
}

/// Everything else stays as it was written.
fn without_cause(envelope: &[u8]) -> Option<Bytes> {
    let mut event: BTreeMap<&str, &RawValue> = serde_json::from_slice(envelope).ok()?;
    let mut payload: BTreeMap<&str, &RawValue> = serde_json::from_str(event.get("payload")?.get()).ok()?;
    payload.remove("caused_by")?;
    let payload = to_raw_value(&payload).ok()?;
    event.insert("payload", &payload);
    serde_json::to_vec(&event).ok().map(Bytes::from)
}

/// What is stored of one event; nothing where it is lost.
fn stored(mutant: Mutant, event: &Event, all: &[Event]) -> Option<Event> {
    let interrupts = matches!(all.first()?.data, EventData::UserInterrupt(_));
    let mut event = event.clone();
    match (mutant, &mut event.data) {
        (Mutant::NoRunCreated, EventData::RunCreated(_))
        | (Mutant::NoRunCompleted, EventData::RunCompleted(_))
        | (Mutant::NoRunWaiting, EventData::RunWaiting(_))
        | (Mutant::ForkUnmarked, EventData::SessionForked(_)) => return None,
        (Mutant::InterruptKeepsRun, EventData::RunCanceled(_)) if interrupts => return None,
        (Mutant::CompleteKeepsRuns, EventData::RunCanceled(_)) if completes(all) => return None,
        (Mutant::WaitingWithoutIdle, EventData::StatusIdle(idle)) if idle.event_ids.is_some() => return None,
        (Mutant::BoundaryNotRewritten, EventData::StatusIdle(idle))
            if idle.event_ids.is_some() && answers(all) =>
        {
            return None;
        }
        (Mutant::BoundaryNotRewritten, EventData::StatusWaiting(_)) if answers(all) => return None,
        (Mutant::BoundaryIsEndTurn, EventData::StatusIdle(idle)) => {
            "end_turn".clone_into(&mut idle.stop_reason);
            idle.event_ids = None;
        }
        (Mutant::EventIdsRepeat, _) => event.id = EventId::from_number(event.seq.into()),
        (Mutant::PreviewOfOtherId, EventData::AgentMessage(_)) => {
            event.id = EventId::from_number(event.seq.into());
        }
        (Mutant::TriggerWithoutRun, EventData::UserMessage(_)) => event.run_id = None,
        (Mutant::ResumesAsOtherRun, EventData::RunResumed(_)) => event.run_id = Some(RunId::from_number(1)),
        (Mutant::ContinuationStays, EventData::RunResumed(resumed)) => resumed.continuation = 0,
        (Mutant::AttemptStays, EventData::RunStarted(started)) => started.attempt = 1,
        (Mutant::WaitOfOtherKind, EventData::RunWaiting(waiting)) => {
            waiting.wait = of_other_kind(&waiting.wait);
        }
        (Mutant::QuestionDoesNotPause, EventData::StatusPaused(_)) => {
            event.data = EventData::StatusWaiting(Empty {});
        }
        (Mutant::InterruptIsTerminal, EventData::StatusIdle(_)) if interrupts => {
            event.data = EventData::StatusCanceled(Empty {});
        }
        (Mutant::UsageNotSummed, EventData::SessionUsage(_)) => {
            let usage = all.iter().find_map(|event| match &event.data {
                EventData::RunCompleted(completed) => Some(completed.usage),
                _ => None,
            })?;
            event.data = EventData::SessionUsage(SessionUsage { usage });
        }
        _ => {}
    }
    Some(event)
}

fn of_other_kind(wait: &Wait) -> Wait {
    let generation = wait.generation();
    let tool_use_id = match wait.subject() {
        Subject::Tool(tool_use_id) => tool_use_id,
        Subject::Question(id) => ToolUseId::new(id.to_string()),
        Subject::Outcome(id) => ToolUseId::new(id.to_string()),
    };
    match wait {
        Wait::CustomTool { .. } => Wait::ActionApproval {
            tool_use_id,
            generation,
        },
        _ => Wait::CustomTool {
            tool_use_id,
            generation,
        },
    }
}

/// Puts an event before those that it has to follow; the places in the log stay.
fn reorder(mutant: Mutant, events: &mut [Event]) {
    let early = match mutant {
        Mutant::IdleBeforeRunCompleted => {
            let completed = events
                .iter()
                .position(|event| matches!(event.data, EventData::RunCompleted(_)));
            let idle = |event: &Event| matches!(event.data, EventData::StatusIdle(_));
            completed.zip(events.iter().position(idle))
        }
        Mutant::EndIsNotLast if completes(events) => Some((0, events.len() - 1)),
        _ => None,
    };
    let Some((from, to)) = early.filter(|(from, to)| from < to) else {
        return;
    };
    let first = events[from].seq;
    events[from..=to].rotate_right(1);
    for (event, seq) in events[from..=to].iter_mut().zip(first..) {
        event.seq = seq;
    }
}

fn completes(all: &[Event]) -> bool {
    all.iter()
        .any(|event| matches!(event.data, EventData::StatusCompleted(_)))
}

fn answers(all: &[Event]) -> bool {
    let first = all.first().map(|event| &event.data);
    matches!(
        first,
        Some(EventData::UserCustomToolResult(_) | EventData::UserToolConfirmation(_))
    )
}
