//! Commands and what they do to a Session.

use std::time::Duration;

use super::batch::{Batch, Outcome};
use super::event::EventData;
use super::id::{Entropy, RunId};
use super::moment::Moment;
use super::payload::{
    AgentMessage, Block, Cost, Empty, Resolved, RunCanceled, RunCompleted, RunCreated, RunStarted,
    SessionUsage, Trigger, TriggerKind, Usage, UserMessage,
};
use super::refusal::Refusal;
use super::session::Session;
use super::status::{RunStatus, SessionStatus};
use super::transition;

/// What a Runner has to make the harness ready.
const STARTUP_ALLOWANCE: Duration = Duration::from_secs(60);

/// Something that wants to change a Session.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// Writes the first event.
    Admit,
    /// A person's message (SES-3).
    Message(UserMessage),
    /// The explicit successful end (SES-8).
    Complete,
    /// The explicit cancellation (SES-8).
    Cancel,
    /// The Runner's next step of one Run.
    Step { run: RunId, step: Step },
}

/// What a Runner reports about a Run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// It took the Run.
    Claim,
    /// The harness is ready.
    Start,
    /// The agent's observation number `ordinal`, counted from 0 in its Run.
    Say { ordinal: u32, content: Vec<Block> },
    /// Compute is done and nothing has to settle.
    Complete { usage: Usage, cost: Cost },
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
    let result = match command {
        Command::Admit => batch.become_status(None, EventData::StatusPending(Empty {})),
        Command::Message(message) => accept_message(&mut batch, message),
        Command::Complete => end(
            &mut batch,
            EventData::StatusCompleted(Empty {}),
            "session_completed",
        ),
        Command::Cancel => end(
            &mut batch,
            EventData::StatusCanceled(Empty {}),
            "session_canceled",
        ),
        Command::Step { run, step } => advance(&mut batch, &run, step),
    };
    match result {
        Ok(()) => Ok(batch.finish()),
        Err(refusal) => Err(Refused {
            refusal,
            untouched: batch.is_empty(),
        }),
    }
}

/// A refusal, and whether the fold that was passed in is still the fold of the log.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    pub(crate) untouched: bool,
}

/// A-TURN, A-HEAD, A-OVERLAP: the message, its Run, and the status it causes at once. While a Run is active the new
/// one queues and no status changes.
fn accept_message(batch: &mut Batch<'_>, message: UserMessage) -> Result<(), Refusal> {
    let from = batch.session().head.status;
    if from.is_terminal() {
        return Err(Refusal::InvalidTransition {
            from,
            to: SessionStatus::Pending,
        });
    }
    let busy = batch.session().active_run().is_some();
    let run = batch.fresh_run_id();
    let event_id = batch.on_primary(&run, EventData::UserMessage(message));
    let trigger = Trigger {
        kind: TriggerKind::Message,
        event_id,
    };
    batch.on_primary(
        &run,
        EventData::RunCreated(RunCreated {
            trigger,
            continues_run_id: None,
        }),
    );
    if busy { Ok(()) } else { batch.become_pending(&run) }
}

/// A-END: every unfinished Run is canceled, then comes the terminal status, and nothing after it.
fn end(batch: &mut Batch<'_>, status: EventData, reason: &str) -> Result<(), Refusal> {
    let from = batch.session().head.status;
    if let Some(to) = status.session_status()
        && !transition::is_legal(from, to, batch.session().active_run().is_some())
    {
        return Err(Refusal::InvalidTransition { from, to });
    }
    let runs: Vec<RunId> = batch
        .session()
        .unfinished
        .iter()
        .map(|run| run.id.clone())
        .collect();
    for run in runs {
        batch.on_primary(
            &run,
            EventData::RunCanceled(RunCanceled {
                reason: reason.to_owned(),
            }),
        );
    }
    batch.become_status(None, status)
}

/// A-TURN: one step of the active Run. A step that was already taken, or whose Run is gone, is refused.
fn advance(batch: &mut Batch<'_>, id: &RunId, step: Step) -> Result<(), Refusal> {
    let run = match batch.session().active_run() {
        Some(run) if run.id == *id => run,
        _ => return Err(Refusal::StaleStep),
    };
    match (run.status, step) {
        (RunStatus::Queued, Step::Claim) => {
            batch.become_status(Some(id), EventData::StatusProvisioning(Empty {}))
        }
        (RunStatus::Provisioning, Step::Start) => start(batch, id),
        (RunStatus::Running, Step::Say { ordinal, content }) if ordinal == run.observations => {
            batch.on_primary(id, EventData::AgentMessage(AgentMessage { content }));
            Ok(())
        }
        (RunStatus::Running, Step::Complete { usage, cost }) => complete_run(batch, id, usage, cost),
        _ => Err(Refusal::StaleStep),
    }
}

/// The deadline that is told, not enforced here: the claim, the startup allowance and what the sandbox profile allows.
fn start(batch: &mut Batch<'_>, id: &RunId) -> Result<(), Refusal> {
    let max_duration = Duration::from_secs(batch.session().admission.max_duration_seconds);
    let Some(run) = batch.session().active_run() else {
        return Err(Refusal::StaleStep);
    };
    let claimed_at = run.claimed_at.unwrap_or_else(|| batch.now());
    let started = RunStarted {
        attempt: run.attempt + 1,
        deadline_at: claimed_at.plus(STARTUP_ALLOWANCE).plus(max_duration),
        resolved: Resolved::default(),
    };
    batch.on_primary(id, EventData::RunStarted(started));
    batch.become_status(Some(id), EventData::StatusRunning(Empty {}))
}

/// The Run settles (RUN-3); the next one in the queue follows without an idle between (A-OVERLAP), else the turn ends.
fn complete_run(batch: &mut Batch<'_>, id: &RunId, usage: Usage, cost: Cost) -> Result<(), Refusal> {
    let total = batch.session().head.usage.unwrap_or_default().plus(usage);
    batch.on_primary(id, EventData::RunCompleted(RunCompleted { usage, cost }));
    batch.on_session(Some(id), EventData::SessionUsage(SessionUsage { usage: total }));
    match batch.session().active_run().map(|next| next.id.clone()) {
        Some(next) => batch.become_pending(&next),
        None => batch.become_idle(id, "end_turn"),
    }
}
