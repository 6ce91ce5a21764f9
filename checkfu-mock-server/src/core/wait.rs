//! Every wait that a Session's log opened, and what became of it (A-GEN). What is pending follows from the log alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id::{ApprovalId, EventId, PrincipalId, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Subject, Wait};

/// The waits of one Session, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Waits {
    records: Vec<WaitRecord>,
}

/// One generation of one wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WaitRecord {
    pub(crate) thread: ThreadId,
    pub(crate) wait: Wait,
    pub(crate) run: RunId,
    /// The call or Question that blocks.
    pub(crate) blocker: EventId,
    pub(crate) approval: Option<Approval>,
    pub(crate) state: WaitState,
}

/// What became of a wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitState {
    Open,
    /// By the event with this `seq`; the digest tells a repetition from another answer.
    Answered {
        seq: u64,
        digest: Vec<u8>,
    },
    /// Without an answer: interrupted, expired, graded, ended, or copied by a fork.
    Closed,
}

/// An ActionApproval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Approval {
    pub(crate) id: ApprovalId,
    /// Its place among the approvals of its Session.
    pub(crate) created_seq: u64,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) status: ApprovalStatus,
    pub(crate) decided_by: Option<PrincipalId>,
    pub(crate) deny_message: Option<String>,
    pub(crate) expires_at: Option<Moment>,
    pub(crate) created_at: Moment,
    pub(crate) decided_at: Option<Moment>,
}

/// Where an ActionApproval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ApprovalStatus {
    Pending,
    Allowed,
    Denied,
    Expired,
    Canceled,
}

impl WaitRecord {
    pub(crate) fn is_open(&self) -> bool {
        self.state == WaitState::Open
    }

    /// Closes it without an answer; an approval that nobody decided is canceled with it, also where a fork copied the
    /// answer and not the decision.
    pub(crate) fn close(&mut self) {
        if self.is_open() {
            self.state = WaitState::Closed;
        }
        if let Some(approval) = &mut self.approval
            && approval.status == ApprovalStatus::Pending
        {
            approval.status = ApprovalStatus::Canceled;
            approval.deny_message = None;
        }
    }
}

impl Waits {
    pub(crate) fn push(&mut self, record: WaitRecord) {
        self.records.push(record);
    }

    pub(crate) fn all(&self) -> &[WaitRecord] {
        &self.records
    }

    pub(crate) fn all_mut(&mut self) -> &mut [WaitRecord] {
        &mut self.records
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = &WaitRecord> {
        self.records.iter().filter(|record| record.is_open())
    }

    /// What one Run waits for.
    pub(crate) fn open_of<'a>(&'a self, run: &'a RunId) -> impl Iterator<Item = &'a WaitRecord> {
        self.open().filter(move |record| record.run == *run)
    }

    /// The generations of one key, oldest first.
    pub(crate) fn of_key<'a>(
        &'a self,
        thread: &'a ThreadId,
        subject: &'a Subject,
    ) -> impl DoubleEndedIterator<Item = &'a WaitRecord> {
        self.records
            .iter()
            .filter(move |record| record.thread == *thread && record.wait.subject() == *subject)
    }

    /// The generation that a wait gets which opens under the key now.
    pub(crate) fn next_generation(&self, thread: &ThreadId, subject: &Subject) -> u32 {
        self.of_key(thread, subject)
            .next_back()
            .map_or(1, |latest| latest.wait.generation().saturating_add(1))
    }

    /// The latest generation of a wait of this Run.
    pub(crate) fn latest_of_run_mut(&mut self, run: &RunId, subject: &Subject) -> Option<&mut WaitRecord> {
        self.records
            .iter_mut()
            .rev()
            .find(|record| record.run == *run && record.wait.subject() == *subject)
    }

    pub(crate) fn with_approval_mut(&mut self, id: &ApprovalId) -> Option<&mut WaitRecord> {
        self.records.iter_mut().rev().find(|record| {
            record
                .approval
                .as_ref()
                .is_some_and(|approval| approval.id == *id)
        })
    }
}
