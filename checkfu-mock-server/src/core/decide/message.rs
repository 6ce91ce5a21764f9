//! Input that starts a Run: a message, an Outcome.

use crate::core::batch::Batch;
use crate::core::command::{OutcomeDefinition, PromptCheck};
use crate::core::event::EventData;
use crate::core::id::{EventId, RunId};
use crate::core::payload::{
    PromptDecision, RunCreated, Trigger, TriggerKind, UserDefineOutcome, UserMessage,
};
use crate::core::refusal::Refusal;
use crate::core::status::SessionStatus;
use crate::mutant::{self, Mutant};

/// A-TURN, A-HEAD, A-OVERLAP: the message, its Run, and the status it causes at once.
pub(super) fn accept(
    batch: &mut Batch<'_>,
    mut message: UserMessage,
    check: Option<PromptCheck>,
) -> Result<(), Refusal> {
    let ended = batch.session().head.status.is_terminal();
    if !mutant::active(Mutant::EndTakesMessages) {
        refuse_terminal(batch)?;
    }
    settle_prompt(batch, &mut message, check)?;
    let run = batch.fresh();
    let thread = batch.session().primary().clone();
    let busy = is_busy(batch);
    let event = batch.on_thread(&thread, Some(&run), EventData::UserMessage(message));
    if ended || busy && mutant::active(Mutant::BusyDropsMessage) {
        return Ok(());
    }
    start_run(batch, run, TriggerKind::Message, event, busy)
}

/// A-OUT: one Outcome at a time.
pub(super) fn define_outcome(batch: &mut Batch<'_>, definition: OutcomeDefinition) -> Result<(), Refusal> {
    refuse_terminal(batch)?;
    if batch.session().unfinished.iter().any(|run| run.outcome.is_some()) {
        return Err(Refusal::OutcomeActive);
    }
    let run = batch.fresh();
    let thread = batch.session().primary().clone();
    let busy = is_busy(batch);
    let defined = EventData::UserDefineOutcome(UserDefineOutcome {
        outcome_id: batch.fresh(),
        description: definition.description,
        rubric: definition.rubric,
        max_iterations: definition.max_iterations,
        authored_by: definition.authored_by,
        caused_by: definition.caused_by,
    });
    let event = batch.on_thread(&thread, Some(&run), defined);
    start_run(batch, run, TriggerKind::Outcome, event, busy)
}

/// MUL-1: a child's report wakes the primary thread or queues work on it.
pub(super) fn start_run_of_report(
    batch: &mut Batch<'_>,
    run: RunId,
    event: EventId,
    busy: bool,
) -> Result<(), Refusal> {
    start_run(batch, run, TriggerKind::ChildReport, event, busy)
}

/// Whether the primary thread has something unfinished: then nothing changes its status but that.
pub(super) fn is_busy(batch: &Batch<'_>) -> bool {
    let session = batch.session();
    session.runs_of(session.primary()).next().is_some()
}

fn start_run(
    batch: &mut Batch<'_>,
    run: RunId,
    kind: TriggerKind,
    event_id: EventId,
    busy: bool,
) -> Result<(), Refusal> {
    let thread = batch.session().primary().clone();
    let created = RunCreated {
        trigger: Trigger { kind, event_id },
        continues_run_id: None,
    };
    batch.on_thread(&thread, Some(&run), EventData::RunCreated(created));
    if busy { Ok(()) } else { batch.become_pending(&run) }
}

fn refuse_terminal(batch: &Batch<'_>) -> Result<(), Refusal> {
    let from = batch.session().head.status;
    if from.is_terminal() {
        let to = SessionStatus::Pending;
        return Err(Refusal::InvalidTransition { from, to });
    }
    Ok(())
}

/// A-PIN: with a finding the author's decision is needed; its challenge is used once.
fn settle_prompt(
    batch: &Batch<'_>,
    message: &mut UserMessage,
    check: Option<PromptCheck>,
) -> Result<(), Refusal> {
    let Some(check) = check else {
        message.prompt_integrity = None;
        return Ok(());
    };
    let decided = message.prompt_integrity.as_ref().filter(|decided| {
        let used = &batch.session().used_challenges;
        check.challenge_is_valid && !used.iter().any(|(challenge, _)| *challenge == decided.challenge)
    });
    match decided.map(|decided| decided.decision) {
        Some(PromptDecision::UseCorrected) => {
            if !mutant::active(Mutant::CorrectionUnused) {
                message.content = check.inspection.corrected;
            }
            Ok(())
        }
        Some(PromptDecision::PreserveOriginal) => Ok(()),
        None => Err(Refusal::DecisionRequired {
            inspection: Box::new(check.inspection),
            challenge: check.fresh_challenge,
        }),
    }
}
