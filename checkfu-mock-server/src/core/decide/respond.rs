//! Answers to waits, of children too (THR-7, THR-8, THR-9, WAIT-3, WAIT-5, A-GEN).

use super::rest;
use super::resume::proceed;
use crate::core::batch::Batch;
use crate::core::command::Response;
use crate::core::digest;
use crate::core::event::EventData;
use crate::core::id::{PrincipalId, ThreadId};
use crate::core::payload::{ApprovalDecided, Decision, RunWaiting, Subject, Wait};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::session::Session;
use crate::core::status::SessionStatus;
use crate::core::wait::{WaitRecord, WaitState};
use crate::mutant::{self, Mutant};

/// Accepts an answer to the exact current generation of an open wait; gives the `seq` of the original where the answer
/// only repeats one that was accepted.
pub(super) fn accept(batch: &mut Batch<'_>, response: Response) -> Result<Option<u64>, Refusal> {
    let subject = response.subject();
    let session = batch.session();
    let thread = resolve_thread(session, &response, &subject)?;
    let current = session
        .waits
        .of_key(&thread, &subject)
        .next_back()
        .cloned()
        .ok_or(Refusal::UnknownAction)?;
    if let Some(original) = replay_of(session, &thread, &subject, &response) {
        return Ok(Some(original));
    }
    check_open(session, &current, &response)?;
    if let Response::Confirmation {
        authorized: false, ..
    } = response
    {
        return Err(Refusal::InsufficientAuthority);
    }
    let run = session.run(&current.run).cloned().ok_or(Refusal::UnknownAction)?;
    let (decision, author) = (response.decision(), response.author().clone());
    batch.of_run(&run, response.into_event());
    match decision {
        None => proceed(batch, &run.id, current.wait)?,
        Some(decision) => decided(batch, &run, current, decision, author)?,
    }
    Ok(None)
}

/// WAIT-5: an allowed call that the application executes still needs its result.
fn decided(
    batch: &mut Batch<'_>,
    run: &Run,
    record: WaitRecord,
    decision: Decision,
    by: PrincipalId,
) -> Result<(), Refusal> {
    if let Some(approval) = record.approval {
        let decided = ApprovalDecided {
            approval_id: approval.id,
            decision,
            by,
        };
        batch.of_run(run, EventData::ApprovalDecided(decided));
    }
    let subject = record.wait.subject();
    let custom = run.call(&subject).is_some_and(|call| call.custom);
    let Subject::Tool(tool_use_id) = subject else {
        return proceed(batch, &run.id, record.wait);
    };
    if decision == Decision::Deny || !custom {
        return proceed(batch, &run.id, record.wait);
    }
    let waiting = EventData::RunWaiting(RunWaiting {
        wait: Wait::CustomTool {
            tool_use_id,
            generation: record.wait.generation() + 1,
        },
        continuation: run.continuation,
    });
    batch.of_run(run, waiting);
    if batch.session().is_primary(&run.thread_id) {
        rest::boundary(batch, Some(&run.id))
    } else {
        rest::child_wait_ended(batch, &run.id)
    }
}

/// A-GEN: the thread that is named; else the primary's pending call, else the only child's.
fn resolve_thread(session: &Session, response: &Response, subject: &Subject) -> Result<ThreadId, Refusal> {
    let named = response.named_thread();
    if let Some(named) = named {
        return session
            .thread(named)
            .map(|thread| thread.id.clone())
            .ok_or(Refusal::UnknownThread);
    }
    let threads = |open: bool| {
        let mut found: Vec<ThreadId> = Vec::new();
        for record in session.waits.about(subject) {
            let fits = record.is_open() || !open;
            if fits && !found.contains(&record.thread) {
                found.push(record.thread.clone());
            }
        }
        found
    };
    let mut found = threads(true);
    if found.is_empty() {
        found = threads(false);
        // THR-9: what was accepted without a thread is told again where nothing waits any more.
        let repeats = |thread: &&ThreadId| replay_of(session, thread, subject, response).is_some();
        let repeated: Vec<ThreadId> = found.iter().filter(repeats).cloned().collect();
        if repeated.len() == 1 {
            found = repeated;
        }
    }
    if found.iter().any(|thread| session.is_primary(thread)) {
        return Ok(session.primary().clone());
    }
    match found.len() {
        0 => Err(Refusal::UnknownAction),
        1 => found.pop().ok_or(Refusal::UnknownAction),
        _ if mutant::active(Mutant::ThreadGuessed) => Ok(found.swap_remove(0)),
        _ => Err(Refusal::AmbiguousThread(found)),
    }
}

/// THR-9: the accepted answer that this one only repeats, of the generation that it names or of any.
fn replay_of(session: &Session, thread: &ThreadId, subject: &Subject, response: &Response) -> Option<u64> {
    let generation = response.named_generation();
    let digest = digest::of_answer(&response.clone().into_event());
    session
        .waits
        .of_key(thread, subject)
        .filter(|record| generation.is_none_or(|named| named == record.wait.generation()))
        .find_map(|record| match &record.state {
            WaitState::Answered {
                seq,
                digest: accepted,
            } if *accepted == digest => Some(*seq),
            _ => None,
        })
}

fn check_open(session: &Session, current: &WaitRecord, response: &Response) -> Result<(), Refusal> {
    let from = session.head.status;
    if from.is_terminal() {
        let to = SessionStatus::Running;
        return Err(Refusal::InvalidTransition { from, to });
    }
    if !current.is_open() {
        return Err(Refusal::StaleWait("it was answered, interrupted or has expired"));
    }
    if response
        .named_generation()
        .is_some_and(|named| named != current.wait.generation())
    {
        return Err(Refusal::StaleWait("another generation of it is open"));
    }
    let fits = matches!(
        (&current.wait, response),
        (Wait::ActionApproval { .. }, Response::Confirmation { .. })
            | (Wait::CustomTool { .. }, Response::Result(_))
            | (Wait::Question { .. }, Response::Answer(_))
    );
    if fits {
        Ok(())
    } else {
        Err(Refusal::StaleWait("it takes an answer of another type"))
    }
}

impl Response {
    fn subject(&self) -> Subject {
        match self {
            Self::Result(result) => Subject::Tool(result.tool_use_id.clone()),
            Self::Confirmation { confirmation, .. } => Subject::Tool(confirmation.tool_use_id.clone()),
            Self::Answer(answer) => Subject::Question(answer.question_id.clone()),
        }
    }

    fn named_thread(&self) -> Option<&ThreadId> {
        match self {
            Self::Result(result) => result.session_thread_id.as_ref(),
            Self::Confirmation { confirmation, .. } => confirmation.session_thread_id.as_ref(),
            Self::Answer(answer) => answer.session_thread_id.as_ref(),
        }
    }

    fn named_generation(&self) -> Option<u32> {
        match self {
            Self::Result(result) => result.wait_generation,
            Self::Confirmation { confirmation, .. } => confirmation.wait_generation,
            Self::Answer(answer) => answer.wait_generation,
        }
    }

    fn decision(&self) -> Option<Decision> {
        match self {
            Self::Confirmation { confirmation, .. } => Some(confirmation.result),
            Self::Result(_) | Self::Answer(_) => None,
        }
    }

    fn author(&self) -> &PrincipalId {
        match self {
            Self::Result(result) => &result.authored_by,
            Self::Confirmation { confirmation, .. } => &confirmation.authored_by,
            Self::Answer(answer) => &answer.authored_by,
        }
    }

    fn into_event(self) -> EventData {
        match self {
            Self::Result(result) => EventData::UserCustomToolResult(result),
            Self::Confirmation { confirmation, .. } => EventData::UserToolConfirmation(confirmation),
            Self::Answer(answer) => EventData::UserQuestionAnswer(answer),
        }
    }
}
