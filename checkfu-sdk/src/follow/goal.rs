use crate::model::{Event, EventData, RunId};
use crate::settlement::{Outcome, Settlement, SettlementFold};

/// What ends a follow: the settlement of a turn, or the end of one Run.
pub(super) enum Goal {
    Turn(SettlementFold),
    Run(RunFold),
}

/// Folds events, in order, into the end of one Run (`RUN-3`, `FOL-11`). Where a Run is continued under another id, the end
/// of the last one counts (`A-CONT`).
pub(super) struct RunFold {
    run_id: RunId,
    settlement: Option<Settlement>,
}

impl RunFold {
    pub(super) fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            settlement: None,
        }
    }

    fn observe(&mut self, event: &Event) {
        if self.settlement.is_some() {
            return;
        }
        self.settlement = self.end(event);
        if let (EventData::RunCreated(created), Some(run_id)) = (event.data(), event.run_id())
            && created.continues_run_id.as_ref() == Some(&self.run_id)
        {
            self.run_id = run_id.clone();
        }
    }

    /// The end of the Run, if `event` is that.
    fn end(&self, event: &Event) -> Option<Settlement> {
        let outcome = run_outcome(event.event_type().strip_prefix("run.")?)?;
        (event.run_id() == Some(&self.run_id)).then(|| Settlement {
            outcome,
            seq: event.seq(),
            event_id: Some(event.id().clone()),
        })
    }
}

/// How a Run of this status ended, if it did.
pub(super) fn run_outcome(status: &str) -> Option<Outcome> {
    match status {
        "completed" => Some(Outcome::RunCompleted),
        "failed" => Some(Outcome::RunFailed),
        "canceled" => Some(Outcome::RunCanceled),
        _ => None,
    }
}

impl Goal {
    /// Takes the next event.
    pub(super) fn observe(&mut self, event: &Event) {
        match self {
            Self::Turn(fold) => drop(fold.observe(event)),
            Self::Run(fold) => fold.observe(event),
        }
    }

    /// What the events so far have settled.
    pub(super) fn settlement(&self) -> Option<&Settlement> {
        match self {
            Self::Turn(fold) => fold.settlement(),
            Self::Run(fold) => fold.settlement.as_ref(),
        }
    }

    /// Whether `event` would settle it.
    pub(super) fn is_met_by(&self, event: &Event) -> bool {
        match self {
            Self::Turn(fold) => fold.settled_by(event).is_some(),
            Self::Run(fold) => fold.end(event).is_some(),
        }
    }

    /// Whether a settlement that is stored beside the cursor answers.
    pub(super) fn is_answered_by(&self, stored: &Settlement) -> bool {
        matches!(self, Self::Turn(fold) if fold.is_answered_by(stored))
    }
}
