//! Identifiers of one log as roles, and each event as the line that the model predicts: type, thread, Run and the
//! members that matter.

use std::collections::HashMap;

use crate::core::event::{Event, EventData};
use crate::core::id::{EventId, OutcomeId, PrincipalId, QuestionId, RunId, ThreadId, ToolUseId};
use crate::core::moment::Moment;
use crate::core::payload::{Block, Cost, Usage, Wait};

/// The number of the primary thread's identifier; children follow by their place.
const FIRST_THREAD: u128 = 1_000;

/// The identifier of the thread at a place.
pub(super) fn thread_id(place: usize) -> ThreadId {
    ThreadId::from_number(FIRST_THREAD + place as u128)
}

/// The identifier of a Question.
pub(super) fn question_id(number: u8) -> QuestionId {
    QuestionId::from_number(u128::from(number))
}

/// Who is who in one log: Runs and Outcomes by their first appearance, events by their `seq`.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    runs: Vec<RunId>,
    outcomes: Vec<OutcomeId>,
    events: HashMap<EventId, u64>,
}

impl Names {
    /// The identifier of a Run, or one that nothing has.
    pub(super) fn run_id(&self, number: usize) -> RunId {
        self.runs
            .get(number)
            .cloned()
            .unwrap_or_else(|| RunId::from_number(u128::MAX))
    }

    /// The event as a line; events come in log order.
    pub(super) fn line(&mut self, event: &Event) -> String {
        self.events.insert(event.id.clone(), event.seq);
        let thread = event.session_thread_id.as_ref().map_or("-".to_owned(), thread);
        let run = event.run_id.as_ref().map_or("-".to_owned(), |id| self.run(id));
        let members = self.members(&event.data);
        format!("{} {thread} {run} {members}", event.data.type_name())
            .trim_end()
            .to_owned()
    }

    fn members(&mut self, data: &EventData) -> String {
        match data {
            EventData::UserMessage(message) => text(&message.content),
            EventData::UserInterrupt(interrupt) => interrupt
                .session_thread_id
                .as_ref()
                .map_or("all".to_owned(), thread),
            EventData::UserCustomToolResult(result) => {
                format!(
                    "{} {} error={}",
                    tool(&result.tool_use_id),
                    result.result,
                    result.is_error.unwrap_or(false)
                )
            }
            EventData::UserToolConfirmation(given) => format!(
                "{} {:?} message={}",
                tool(&given.tool_use_id),
                given.result,
                given.deny_message.is_some()
            ),
            EventData::UserQuestionAnswer(given) => {
                format!("{} {}", question(&given.question_id), given.answer)
            }
            EventData::UserDefineOutcome(outcome) => {
                format!(
                    "{} max={}",
                    self.outcome(&outcome.outcome_id),
                    outcome.max_iterations
                )
            }
            EventData::AgentToolUse(call) => tool(&call.tool_use_id),
            EventData::AgentToolResult(result) => tool(&result.tool_use_id),
            EventData::AgentQuestion(asked) => question(&asked.question_id),
            EventData::ThreadMessageSent(sent) => format!("to={}", thread(&sent.to_session_thread_id)),
            EventData::ThreadMessageReceived(received) => {
                format!("from={}", thread(&received.from_session_thread_id))
            }
            EventData::RunCreated(created) => {
                assert!(
                    created.continues_run_id.is_none(),
                    "a Run keeps its identifier (A-CONT)"
                );
                format!(
                    "{:?} by={}",
                    created.trigger.kind,
                    self.seq(&created.trigger.event_id)
                )
            }
            EventData::RunStarted(started) => {
                format!(
                    "attempt={} deadline={}",
                    started.attempt,
                    started.deadline_at.milliseconds()
                )
            }
            EventData::RunRequeued(requeued) => format!("attempt={} {:?}", requeued.attempt, requeued.reason),
            EventData::RunWaiting(waiting) => {
                format!(
                    "{} continuation={}",
                    self.wait(&waiting.wait),
                    waiting.continuation
                )
            }
            EventData::RunResumed(resumed) => format!(
                "{} continuation={} deadline={:?}",
                self.wait(&resumed.wait),
                resumed.continuation,
                resumed.deadline_at.map(Moment::milliseconds)
            ),
            EventData::RunCompleted(completed) => {
                format!("{} {}", tokens(completed.usage), money(&completed.cost))
            }
            EventData::RunFailed(failed) => format!(
                "{} {} {}",
                failed.error.code,
                failed.usage.map_or("-".to_owned(), tokens),
                failed.cost.as_ref().map_or("-".to_owned(), money)
            ),
            EventData::SessionUsage(total) => tokens(total.usage),
            EventData::RunCanceled(canceled) => format!("{:?}", canceled.reason),
            EventData::ApprovalRequested(requested) => format!(
                "{} {} expires={:?}",
                thread(&requested.session_thread_id),
                tool(&requested.tool_use_id),
                requested.expires_at.map(Moment::milliseconds)
            ),
            EventData::ApprovalDecided(decided) => {
                format!("{:?} by={}", decided.decision, principal(&decided.by))
            }
            EventData::EvaluationStarted(started) => {
                format!(
                    "{} iteration={}",
                    self.outcome(&started.outcome_id),
                    started.iteration
                )
            }
            EventData::Evaluated(evaluated) => format!(
                "{} iteration={} {:?}",
                self.outcome(&evaluated.outcome_id),
                evaluated.iteration,
                evaluated.result
            ),
            EventData::ThreadCreated(created) => {
                format!(
                    "{} parent={}",
                    thread(&created.session_thread_id),
                    thread(&created.parent_thread_id)
                )
            }
            EventData::ThreadRunning(change) | EventData::ThreadRescheduled(change) => {
                thread(&change.session_thread_id)
            }
            EventData::ThreadIdle(idle) => {
                format!("{} {}", thread(&idle.session_thread_id), idle.stop_reason.r#type)
            }
            EventData::ThreadTerminated(terminated) => format!(
                "{} error={}",
                thread(&terminated.session_thread_id),
                terminated.error.is_some()
            ),
            EventData::SessionForked(forked) => format!("at={}", forked.source_seq),
            EventData::StatusIdle(idle) => {
                let blockers = idle
                    .event_ids
                    .as_ref()
                    .map(|ids| ids.iter().map(|id| self.seq(id)).collect::<Vec<_>>());
                format!("{} {blockers:?}", idle.stop_reason)
            }
            EventData::StatusFailed(failed) => failed.error.code.clone(),
            _ => String::new(),
        }
    }

    /// A wait by kind, subject and generation. Its Outcome was named before.
    pub(super) fn wait(&self, wait: &Wait) -> String {
        let (kind, subject) = match wait {
            Wait::ActionApproval { tool_use_id, .. } => ("approval", tool(tool_use_id)),
            Wait::CustomTool { tool_use_id, .. } => ("custom", tool(tool_use_id)),
            Wait::Question { question_id, .. } => ("question", question(question_id)),
            Wait::Outcome { outcome_id, .. } => {
                let number = self.outcomes.iter().position(|known| known == outcome_id);
                ("outcome", format!("o{}", number.unwrap_or(usize::MAX)))
            }
        };
        format!("{kind} {subject} generation={}", wait.generation())
    }

    /// The number of a Run that the log names.
    pub(super) fn run_number(&self, id: &RunId) -> Option<usize> {
        self.runs.iter().position(|known| known == id)
    }

    fn run(&mut self, id: &RunId) -> String {
        format!("r{}", place(&mut self.runs, id))
    }

    fn outcome(&mut self, id: &OutcomeId) -> String {
        format!("o{}", place(&mut self.outcomes, id))
    }

    /// The `seq` of an event, or 0.
    pub(super) fn seq(&self, id: &EventId) -> u64 {
        self.events.get(id).copied().unwrap_or(0)
    }
}

fn place<T: Clone + PartialEq>(known: &mut Vec<T>, id: &T) -> usize {
    known.iter().position(|other| other == id).unwrap_or_else(|| {
        known.push(id.clone());
        known.len() - 1
    })
}

fn thread(id: &ThreadId) -> String {
    number(id.as_str()).map_or("t?".to_owned(), |number| {
        format!("t{}", number.wrapping_sub(FIRST_THREAD))
    })
}

fn question(id: &QuestionId) -> String {
    format!("q{}", number(id.as_str()).unwrap_or(0))
}

fn tool(id: &ToolUseId) -> String {
    id.as_str().to_owned()
}

/// The number of a Principal.
pub(super) fn principal(id: &PrincipalId) -> u8 {
    number(id.as_str())
        .and_then(|number| number.try_into().ok())
        .unwrap_or(0)
}

/// Input, output, cache reads and cache creation.
pub(super) fn counts(usage: Usage) -> [u64; 4] {
    [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
    ]
}

fn tokens(usage: Usage) -> String {
    format!("{:?}", counts(usage))
}

fn money(cost: &Cost) -> String {
    format!("{} {}", cost.amount, cost.currency)
}

fn number(id: &str) -> Option<u128> {
    u128::from_str_radix(id.rsplit('_').next()?, 16).ok()
}

fn text(content: &[Block]) -> String {
    match content {
        [Block::Text { text }] => text.clone(),
        other => format!("{other:?}"),
    }
}
