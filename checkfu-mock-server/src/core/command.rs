//! Commands: what can want to change a Session.

use super::id::{PrincipalId, RunId, ThreadId};
use super::payload::{
    Cause, Rubric, SessionForked, UserCustomToolResult, UserInterrupt, UserMessage, UserQuestionAnswer,
    UserToolConfirmation,
};
use super::prompt_integrity::Inspection;
use super::step::Step;

/// Something that wants to change a Session.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// Writes the first event.
    Admit,
    /// Ends the copied prefix of a fork (FRK-2).
    BeginFork(SessionForked),
    /// A person's message (SES-3).
    Message {
        message: UserMessage,
        /// What was found in it, if anything was (PIN-1).
        check: Option<PromptCheck>,
    },
    /// Ends the current turn (SES-10).
    Interrupt(UserInterrupt),
    /// Answers a wait (WAIT-3).
    Respond(Response),
    /// Sets an Outcome to work for (A-OUT).
    DefineOutcome(OutcomeDefinition),
    /// Archives a child (THR-4).
    Archive(ThreadId),
    /// The explicit successful end (SES-8).
    Complete,
    /// The explicit cancellation (SES-8).
    Cancel,
    /// The Runner's next step of one Run.
    Step { run: RunId, step: Step },
    /// Time went by: whatever is due happens (DLN-1, DLN-2).
    Tick,
}

/// A message with findings, and whether its author's decision stands.
#[derive(Debug, Clone)]
pub(crate) struct PromptCheck {
    pub(crate) inspection: Inspection,
    /// The challenge was made for this Session, author and content, and lives.
    pub(crate) challenge_is_valid: bool,
    /// What the author decides under if the message is refused.
    pub(crate) fresh_challenge: String,
}

/// The answer to a wait.
#[derive(Debug, Clone)]
pub(crate) enum Response {
    Result(UserCustomToolResult),
    /// `authorized`: whether the author may decide now (WAIT-5).
    Confirmation {
        confirmation: UserToolConfirmation,
        authorized: bool,
    },
    Answer(UserQuestionAnswer),
}

/// What `user.define_outcome` says, before the Outcome has an identifier.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeDefinition {
    pub(crate) description: String,
    pub(crate) rubric: Rubric,
    pub(crate) max_iterations: u32,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}
