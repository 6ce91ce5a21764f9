//! Every wait that a Session's log opened, and what became of it (A-GEN). What is pending follows from the log alone.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id::{ApprovalId, EventId, PrincipalId, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Subject, Wait};

/// The waits of one Session, oldest first. A Session may have thousands that are over; what is asked for again and again
/// is found without a look at them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Records")]
pub(crate) struct Waits {
    records: Vec<WaitRecord>,
    /// The places of those that are open.
    #[serde(skip)]
    open: BTreeSet<usize>,
    /// The places of those about one thing, of all threads, oldest first.
    #[serde(skip)]
    about: HashMap<Subject, Vec<usize>>,
    #[serde(skip)]
    by_approval: HashMap<ApprovalId, usize>,
}

/// The waits as they are kept.
#[derive(Deserialize)]
struct Records {
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

impl From<Records> for Waits {
    fn from(kept: Records) -> Self {
        let mut waits = Self::default();
        kept.records.into_iter().for_each(|record| waits.push(record));
        waits
    }
}

impl Waits {
    pub(crate) fn push(&mut self, record: WaitRecord) {
        let place = self.records.len();
        if record.is_open() {
            self.open.insert(place);
        }
        self.about.entry(record.wait.subject()).or_default().push(place);
        if let Some(approval) = &record.approval {
            self.by_approval.insert(approval.id.clone(), place);
        }
        self.records.push(record);
    }

    pub(crate) fn all(&self) -> &[WaitRecord] {
        &self.records
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = &WaitRecord> {
        self.open.iter().filter_map(|place| self.records.get(*place))
    }

    /// What one Run waits for.
    pub(crate) fn open_of<'a>(&'a self, run: &'a RunId) -> impl Iterator<Item = &'a WaitRecord> {
        self.open().filter(move |record| record.run == *run)
    }

    /// The waits for one thing, in whatever thread, oldest first.
    pub(crate) fn about(&self, subject: &Subject) -> impl DoubleEndedIterator<Item = &WaitRecord> {
        let places = self.about.get(subject).into_iter().flatten();
        places.filter_map(|place| self.records.get(*place))
    }

    /// The generations of one key, oldest first.
    pub(crate) fn of_key<'a>(
        &'a self,
        thread: &'a ThreadId,
        subject: &Subject,
    ) -> impl DoubleEndedIterator<Item = &'a WaitRecord> {
        self.about(subject).filter(move |record| record.thread == *thread)
    }

    /// The generation that a wait gets which opens under the key now.
    pub(crate) fn next_generation(&self, thread: &ThreadId, subject: &Subject) -> u32 {
        self.of_key(thread, subject)
            .next_back()
            .map_or(1, |latest| latest.wait.generation().saturating_add(1))
    }

    /// The wait that has this approval.
    pub(crate) fn with_approval(&self, id: &ApprovalId) -> Option<&WaitRecord> {
        self.records.get(*self.by_approval.get(id)?)
    }

    /// Changes the latest generation of a wait of this Run.
    pub(crate) fn change_latest_of_run<T>(
        &mut self,
        run: &RunId,
        subject: &Subject,
        change: impl FnOnce(&mut WaitRecord) -> T,
    ) -> Option<T> {
        let places = self.about.get(subject)?.iter().rev().copied();
        let of_run = |place: &usize| self.records.get(*place).is_some_and(|record| record.run == *run);
        let place = { places }.find(of_run)?;
        self.change(place, change)
    }

    /// Changes the wait that has this approval.
    pub(crate) fn change_with_approval<T>(
        &mut self,
        id: &ApprovalId,
        change: impl FnOnce(&mut WaitRecord) -> T,
    ) -> Option<T> {
        let place = *self.by_approval.get(id)?;
        self.change(place, change)
    }

    /// Closes what one Run waits for.
    pub(crate) fn close_of(&mut self, run: &RunId) {
        let records = &mut self.records;
        self.open.retain(|place| match records.get_mut(*place) {
            Some(record) if record.run == *run => {
                record.close();
                false
            }
            kept => kept.is_some(),
        });
    }

    /// Closes them all, and what is undecided of those that are closed.
    pub(crate) fn close_all(&mut self) {
        self.records.iter_mut().for_each(WaitRecord::close);
        self.open.clear();
    }

    fn change<T>(&mut self, place: usize, change: impl FnOnce(&mut WaitRecord) -> T) -> Option<T> {
        let record = self.records.get_mut(place)?;
        let changed = change(record);
        if !record.is_open() {
            self.open.remove(&place);
        }
        Some(changed)
    }
}
