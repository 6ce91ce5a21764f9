use super::approval::Approval;
use super::context::{ContextChange, ContextEntry};
use super::limits::ViewLimits;
use super::message::Message;
use super::shelf::Shelf;
use super::thread::Thread;
use super::tool_call::ToolCall;
use crate::model::payload::Resolved;
use crate::model::{ActionApprovalId, RunId, Seq, SessionThreadId, ToolUseId};

/// What a call is known by: it is unique in its thread only.
type CallKey = (Option<SessionThreadId>, ToolUseId);

/// The views of one log, that of a Session or of a thread: a fold over its events in order (`SDK-3`, `SES-5`).
///
/// An event at or below the last one changes nothing, so events that come twice do no harm; nor does an event of a type
/// that this version does not know, or whose payload cannot be read. A fork begins with what its source's events made; what
/// was under way there is given up where the `session.forked` stands, because no wait and no child lives on in a fork
/// (`A-FORK`).
///
/// Each view holds at most what its [`ViewLimits`] say, and lets go of its oldest entries beyond that.
///
/// ```
/// use checkfu_sdk::views::Views;
///
/// let mut views = Views::new();
/// let event = r#"{"id": "evt_1", "seq": 8, "type": "agent.message", "payload": {"content": "Hello"}}"#;
/// views.apply(&serde_json::from_str(event)?);
/// let texts: Vec<_> = views.messages().map(|message| message.content.to_text()).collect();
/// assert_eq!(texts, ["Hello"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Views {
    pub(super) last_seq: Option<Seq>,
    pub(super) messages: Shelf<Seq, Message>,
    pub(super) tool_calls: Shelf<CallKey, ToolCall>,
    pub(super) approvals: Shelf<ActionApprovalId, Approval>,
    pub(super) threads: Shelf<SessionThreadId, Thread>,
    pub(super) context: Shelf<Seq, ContextEntry>,
}

impl Default for Views {
    fn default() -> Self {
        Self::new()
    }
}

impl Views {
    /// Views of a log without events, with the default limits.
    pub fn new() -> Self {
        Self::with_limits(ViewLimits::default())
    }

    /// Views of a log without events, within these limits.
    pub fn with_limits(limits: ViewLimits) -> Self {
        Self {
            last_seq: None,
            messages: Shelf::new(limits),
            tool_calls: Shelf::new(limits),
            approvals: Shelf::new(limits),
            threads: Shelf::new(limits),
            context: Shelf::new(limits),
        }
    }

    /// The last event that was applied.
    pub fn last_seq(&self) -> Option<Seq> {
        self.last_seq
    }

    /// The messages of users and of the Agent, in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.messages.iter()
    }

    /// The calls of tools, in order.
    pub fn tool_calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.tool_calls.iter()
    }

    /// The latest call with this id in this thread.
    pub fn tool_call(
        &self,
        session_thread_id: Option<&SessionThreadId>,
        tool_use_id: &ToolUseId,
    ) -> Option<&ToolCall> {
        self.tool_calls
            .find(&(session_thread_id.cloned(), tool_use_id.clone()))
    }

    /// The ActionApprovals, in the order of their requests.
    pub fn approvals(&self) -> impl DoubleEndedIterator<Item = &Approval> {
        self.approvals.iter()
    }

    /// The approval with this id.
    pub fn approval(&self, approval_id: &ActionApprovalId) -> Option<&Approval> {
        self.approvals.find(approval_id)
    }

    /// The child threads, in the order in which they were spawned.
    pub fn threads(&self) -> impl DoubleEndedIterator<Item = &Thread> {
        self.threads.iter()
    }

    /// The threads that this one spawned.
    pub fn children<'v>(&'v self, of: &'v SessionThreadId) -> impl Iterator<Item = &'v Thread> {
        self.threads()
            .filter(move |thread| thread.parent_thread_id.as_ref() == Some(of))
    }

    /// The context ledger: what the Runs received and gave back, in order.
    pub fn context(&self) -> impl DoubleEndedIterator<Item = &ContextEntry> {
        self.context.iter()
    }

    /// What the latest attempt of a Run received.
    pub fn resolved(&self, run_id: &RunId) -> Option<&Resolved> {
        let mut entries = self
            .context()
            .rev()
            .filter(|entry| entry.run_id.as_ref() == Some(run_id));
        entries.find_map(|entry| match &entry.change {
            ContextChange::Started { resolved, .. } => Some(resolved.as_ref()),
            _ => None,
        })?
    }

    /// How many entries were let go because of the limits.
    pub fn let_go(&self) -> usize {
        self.messages.gone()
            + self.tool_calls.gone()
            + self.approvals.gone()
            + self.threads.gone()
            + self.context.gone()
    }
}
