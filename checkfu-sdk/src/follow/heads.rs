use super::goal::Goal;
use super::progress::Progress;
use super::reads::{is_read, read_child, read_run, read_session};
use crate::cursor::CursorStore;
use crate::error::Error;
use crate::events::Log;
use crate::model::{RunId, Seq, Session, SessionThread};
use crate::settlement::{Outcome, Settlement};
use crate::stream::{Anchor, check_anchor};

/// What is read once, when a follow starts (`A-HEAD`).
pub(super) struct Heads {
    /// How the Run that is followed ended, if it had.
    run_ended: Option<Outcome>,
    /// The child whose log it is.
    pub(super) child: Option<SessionThread>,
    /// Read last, so that where the Run or the child had ended, the event of that is not above the Session's last one.
    pub(super) session: Session,
}

impl Heads {
    pub(super) async fn read(log: &Log, run_id: Option<&RunId>) -> Result<Self, Error> {
        let run_ended = match run_id {
            Some(run_id) => read_run(log, run_id).await?,
            None => None,
        };
        Ok(Self {
            run_ended,
            child: read_child(log).await?,
            session: read_session(log).await?,
        })
    }

    /// What they say of the work that is followed.
    pub(super) fn settlement(&self, goal: &Goal, input: Seq) -> Option<Settlement> {
        match goal {
            Goal::Turn(_) => {
                Settlement::of_work(&self.session, self.child.as_ref()).filter(|head| head.seq >= input)
            }
            Goal::Run(_) => {
                let ended = self.run_ended.clone().zip(self.session.last_seq());
                ended.map(|(outcome, seq)| Settlement {
                    outcome,
                    seq,
                    event_id: None,
                })
            }
        }
    }
}

impl<S: CursorStore> Progress<S> {
    /// Ends the follow before anything is delivered where what is stored or was read says that the work is settled
    /// (`FOL-6`). The log must then still be the one that was followed (`A-ANCHOR`).
    pub(super) async fn settle_on_open(
        &mut self,
        log: &Log,
        heads: &Heads,
        anchor: Option<&Anchor>,
    ) -> Result<(), Error> {
        let (last, seen) = (heads.session.last_seq(), self.seen);
        // A log that ends below the cursor is not the one that was followed, so nothing stored speaks for it: the
        // stream is opened and refused.
        let within = last.is_none_or(|last| Some(last) >= seen);
        let stored = self.stored.clone().filter(|_| within);
        let recorded = stored.filter(|stored| self.goal.is_answered_by(stored));
        let at_head = match &self.settled_on_open {
            None => false,
            Some(head) if Some(head.seq) == seen => true,
            // The Session's last events are seldom in a child's view.
            Some(_) => within && recorded.is_none() && self.child.is_some() && is_read(log, seen).await?,
        };
        if !at_head && recorded.is_none() {
            return Ok(());
        }
        if let Some(anchor) = anchor {
            check_anchor(log, anchor).await?;
        }
        match recorded {
            Some(recorded) => self.settlement = Some(recorded),
            None => self.rest_at_head(),
        }
        Ok(())
    }
}
