//! What every log promises by itself, whatever was done: read from the log alone, without the model.

use std::collections::{HashMap, HashSet};

use super::random::Random;
use crate::core::admission::Overlap;
use crate::core::event::{Event, EventData};
use crate::core::id::{ApprovalId, RunId, ThreadId};
use crate::core::payload::Wait;
use crate::core::session::Session;
use crate::core::snapshot::Snapshot;
use crate::core::status::SessionStatus;
use crate::core::touched::Touched;
use crate::core::transition;

/// What one log has promised so far.
#[derive(Debug)]
pub(super) struct Promises {
    /// SES-5: the fold of the log.
    fold: Session,
    /// A-GAP: the fold of the log's rest over a Snapshot that was taken at some event of it, and of which.
    resumed: Session,
    resumed_at: u64,
    last: u64,
    status: Option<SessionStatus>,
    /// Each Run and its thread.
    created: HashMap<RunId, ThreadId>,
    settled: HashSet<RunId>,
    /// What is pending: thread, Run and subject, in the order in which it opened.
    open: Vec<(ThreadId, RunId, String)>,
    approvals: HashMap<ApprovalId, String>,
}

impl Promises {
    /// Of a log that begins with this state.
    pub(super) fn of(session: &Session) -> Self {
        Self {
            fold: session.clone(),
            resumed: session.clone(),
            resumed_at: 0,
            last: 0,
            status: None,
            created: HashMap::new(),
            settled: HashSet::new(),
            open: Vec::new(),
            approvals: HashMap::new(),
        }
    }

    /// Takes the next event; says which promise it breaks.
    pub(super) fn take(&mut self, event: &Event, random: &mut Random) -> Option<String> {
        self.fold.apply(event, &mut Touched::default());
        self.resumed.apply(event, &mut Touched::default());
        if random.one_in(12) {
            let text = serde_json::to_string(&Snapshot::of(&self.fold)).unwrap();
            let kept: Snapshot = serde_json::from_str(&text).unwrap();
            self.resumed = kept.restore(self.fold.admission.clone());
            self.resumed_at = event.seq;
        }
        self.order(event)
            .or_else(|| self.settles(event))
            .or_else(|| view(&self.fold, event))
            .map(|what| format!("{what}: {} at {}", event.data.type_name(), event.seq))
    }

    /// What has to hold whenever a command is done.
    pub(super) fn broken(&self, session: &Session) -> Option<String> {
        if self.fold != *session {
            return Some("the state is not the fold of the log".to_owned());
        }
        if self.resumed != *session {
            return Some(format!(
                "the state is not the fold over a Snapshot after {}",
                self.resumed_at
            ));
        }
        let idle = self.status == Some(SessionStatus::Idle)
            && session.head.stop_reason.as_deref() != Some("requires_action")
            && session.admission.behaviour.overlap == Overlap::Queue;
        let unfinished = |(run, thread)| session.is_primary(thread) && !self.settled.contains(run);
        if idle && self.created.iter().any(unfinished) {
            return Some("idle while a Run of the primary is unfinished".to_owned());
        }
        let pending: Vec<_> = session
            .pending_actions()
            .map(|record| (record.thread.clone(), record.run.clone(), subject(&record.wait)))
            .collect();
        (self.open != pending).then(|| format!("the log leaves open {:?}, the state {pending:?}", self.open))
    }

    /// SES-5, SES-8, A-TRANS, A-END.
    fn order(&mut self, event: &Event) -> Option<String> {
        if event.seq <= self.last {
            return Some("seq does not rise".to_owned());
        }
        if event.session_id != self.fold.admission.id {
            return Some("another Session's event".to_owned());
        }
        self.last = event.seq;
        if matches!(event.data, EventData::SessionForked(_)) {
            // What the source was in the middle of is not carried over; where it stood does not bind its fork.
            (self.status, self.created, self.settled) = (None, HashMap::new(), HashSet::new());
            self.open.clear();
        }
        if self.status.is_some_and(SessionStatus::is_terminal) {
            return Some("after a terminal status".to_owned());
        }
        let to = event.data.session_status()?;
        let from = self.status.replace(to);
        // The Run that settles last is still one whose turn ends.
        let unfinished = self.created.len() > self.settled.len() || from == Some(to);
        from.filter(|from| !transition::is_legal(*from, to, unfinished))
            .map(|from| format!("from {}", from.as_str()))
    }

    /// RUN-1, RUN-3, A-PARK: each Run settles once; what is pending follows from the log alone.
    fn settles(&mut self, event: &Event) -> Option<String> {
        let thread = event.session_thread_id.clone()?;
        let run = event.run_id.clone()?;
        let mut close = |subject: &str| {
            self.open
                .retain(|(of, _, open)| !(*of == thread && open == subject));
        };
        match &event.data {
            EventData::RunCreated(_) => {
                // A report of a child stands on its thread; the Run that it wakes is the primary's.
                return self
                    .created
                    .insert(run, thread)
                    .map(|_| "a Run created twice".to_owned());
            }
            EventData::RunCompleted(_) | EventData::RunFailed(_) | EventData::RunCanceled(_) => {
                self.open.retain(|(_, of, _)| *of != run);
                let known = self.created.contains_key(&run);
                return (!known || !self.settled.insert(run))
                    .then(|| "a Run settled that was not there".to_owned());
            }
            EventData::RunWaiting(waiting) => self.open.push((thread, run.clone(), subject(&waiting.wait))),
            EventData::ApprovalRequested(asked) => {
                self.approvals
                    .insert(asked.approval_id.clone(), asked.tool_use_id.as_str().to_owned());
            }
            EventData::ApprovalExpired(expired) => {
                let subject = self.approvals.get(&expired.approval_id)?;
                close(subject);
            }
            EventData::UserCustomToolResult(given) => close(given.tool_use_id.as_str()),
            EventData::UserToolConfirmation(given) => close(given.tool_use_id.as_str()),
            EventData::UserQuestionAnswer(given) => close(given.question_id.as_str()),
            EventData::Evaluated(evaluated) => close(evaluated.outcome_id.as_str()),
            _ => {}
        }
        let acts = matches!(
            event.data,
            EventData::RunStarted(_)
                | EventData::RunWaiting(_)
                | EventData::RunResumed(_)
                | EventData::RunRequeued(_)
        );
        (acts && self.settled.contains(&run)).then(|| "a settled Run moves".to_owned())
    }
}

/// A-VIEW: what is a child's own stands in its view; blocking calls, answers, messages and lifecycle in both.
fn view(session: &Session, event: &Event) -> Option<String> {
    let thread = event.session_thread_id.as_ref()?;
    if session.is_primary(thread) {
        return None;
    }
    let name = event.data.type_name();
    let shared = match &event.data {
        EventData::AgentToolUse(call) => call.is_blocking(),
        EventData::AgentQuestion(_) => true,
        _ => [
            "user.",
            "action_approval.",
            "session.thread_",
            "agent.thread_message_",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix)),
    };
    if name.starts_with("session.status_") {
        return Some("a child's, and of the whole Session".to_owned());
    }
    (shared != event.data.is_shared()).then(|| "in the wrong views (A-VIEW)".to_owned())
}

fn subject(wait: &Wait) -> String {
    match wait {
        Wait::ActionApproval { tool_use_id, .. } | Wait::CustomTool { tool_use_id, .. } => {
            tool_use_id.as_str().to_owned()
        }
        Wait::Question { question_id, .. } => question_id.as_str().to_owned(),
        Wait::Outcome { outcome_id, .. } => outcome_id.as_str().to_owned(),
    }
}
