//! What commands do to a Session: events, or a refusal that changes nothing.

mod act;
mod archive;
mod due;
mod end;
mod interrupt;
mod message;
mod respond;
mod rest;
mod resume;
mod step;
mod step_end;

use super::batch::{Batch, Outcome};
use super::command::Command;
use super::event::EventData;
use super::id::Entropy;
use super::moment::Moment;
use super::payload::{CancelReason, Empty, SessionForked, StatusIdle};
use super::refusal::Refusal;
use super::session::Session;

pub(crate) use due::next_due;

/// A refusal, and whether the fold that was passed in is still the fold of the log.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    pub(crate) untouched: bool,
}

/// Answers a command with events that are already folded into `session`.
///
/// On a refusal that came before the first event the Session is as it was; `Err` carries whether that is so.
pub(crate) fn decide(
    session: &mut Session,
    command: Command,
    now: Moment,
    entropy: &mut dyn Entropy,
) -> Result<Outcome, Refused> {
    let mut batch = Batch::new(session, now, entropy);
    let mut replay_of = None;
    let result = match command {
        Command::Admit => batch.become_status(None, EventData::StatusPending(Empty {})),
        Command::BeginFork(forked) => {
            begin_fork(&mut batch, forked);
            Ok(())
        }
        Command::Message { message, check } => message::accept(&mut batch, message, check),
        Command::Interrupt(interrupt) => interrupt::accept(&mut batch, interrupt),
        Command::Respond(response) => {
            respond::accept(&mut batch, response).map(|original| replay_of = original)
        }
        Command::DefineOutcome(definition) => message::define_outcome(&mut batch, definition),
        Command::Archive(thread) => archive::accept(&mut batch, &thread),
        Command::Complete => end::end(
            &mut batch,
            EventData::StatusCompleted(Empty {}),
            CancelReason::SessionCompleted,
        ),
        Command::Cancel => end::end(
            &mut batch,
            EventData::StatusCanceled(Empty {}),
            CancelReason::SessionCanceled,
        ),
        Command::Step { run, step } => step::take(&mut batch, &run, step),
        Command::Tick => due::tick(&mut batch),
    };
    match result {
        Ok(()) => Ok(batch.finish(replay_of)),
        Err(refusal) => Err(Refused {
            refusal,
            untouched: batch.is_empty(),
        }),
    }
}

/// A-FORK: whatever the prefix ended with, the fork begins idle.
fn begin_fork(batch: &mut Batch<'_>, forked: SessionForked) {
    batch.on_session(None, EventData::SessionForked(forked));
    batch.on_session(
        None,
        EventData::StatusIdle(StatusIdle {
            stop_reason: "end_turn".to_owned(),
            event_ids: None,
        }),
    );
}
