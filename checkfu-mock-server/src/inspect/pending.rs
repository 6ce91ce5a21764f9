//! What a Session waits for.

use std::fmt;

use super::event::LoggedEvent;
use crate::core::payload::Wait;
use crate::core::wait::WaitRecord;

/// An open wait: a Run goes on when somebody answers, or a grader does.
///
/// ```
/// use checkfu_mock_server::{Inspected, PendingWait};
///
/// fn asked_tools(session: &Inspected) -> Vec<&str> {
///     let is_call = |wait: &&PendingWait| wait.kind == "custom_tool";
///     let calls = session.pending().iter().filter(is_call);
///     calls.filter_map(|wait| wait.request.as_ref()?.payload["name"].as_str()).collect()
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingWait {
    /// `action_approval`, `custom_tool`, `question` or `outcome`.
    pub kind: &'static str,
    /// The id that an answer names: `tool_use_id`, `question_id`, `outcome_id`.
    pub id: String,
    /// How often a wait has opened under this id, from 1 on.
    pub generation: u32,
    /// The thread whose Run waits.
    pub thread: String,
    /// The Run that waits.
    pub run: String,
    /// The call, Question or Outcome that is waited for, if its event is retained.
    pub request: Option<LoggedEvent>,
}

impl PendingWait {
    pub(super) fn read(record: &WaitRecord, events: &[LoggedEvent]) -> Self {
        let (kind, id) = match &record.wait {
            Wait::ActionApproval { tool_use_id, .. } => ("action_approval", tool_use_id.as_str().to_owned()),
            Wait::CustomTool { tool_use_id, .. } => ("custom_tool", tool_use_id.as_str().to_owned()),
            Wait::Question { question_id, .. } => ("question", question_id.to_string()),
            Wait::Outcome { outcome_id, .. } => ("outcome", outcome_id.to_string()),
        };
        let blocker = record.blocker.as_str();
        Self {
            kind,
            id,
            generation: record.wait.generation(),
            thread: record.thread.to_string(),
            run: record.run.to_string(),
            request: events.iter().find(|event| event.id == blocker).cloned(),
        }
    }
}

/// Such as `custom_tool toolu_1`.
impl fmt::Display for PendingWait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.kind, self.id)
    }
}
