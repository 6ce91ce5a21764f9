//! Messages and Outcomes: what starts a Run (SES-3, A-TURN, A-OVERLAP, A-OUT, PIN-1).

use super::Model;
use crate::core::model::moves::Finding;
use crate::core::model::state::{Outcome, Run};
use crate::core::status::{RunStatus, SessionStatus};

impl Model {
    pub(super) fn message(&mut self, text: &str, finding: Option<Finding>) -> Result<(), String> {
        self.refuse_if_terminal(SessionStatus::Pending)?;
        let mut text = text;
        if let Some(finding) = finding {
            let Some((challenge, corrected)) = finding.decision else {
                return Err("decision required".to_owned());
            };
            if !finding.challenge_is_valid || self.used_challenges.contains(&challenge) {
                return Err("decision required".to_owned());
            }
            self.used_challenges.push(challenge);
            if corrected {
                text = "corrected";
            }
        }
        let seq = self.write("user.message", Some(0), Some(self.runs.len()), text);
        self.create_primary_run("Message", seq, None);
        Ok(())
    }

    pub(super) fn define_outcome(&mut self, max_iterations: u32) -> Result<(), String> {
        self.refuse_if_terminal(SessionStatus::Pending)?;
        if self
            .runs
            .iter()
            .enumerate()
            .any(|(number, run)| run.outcome.is_some() && !self.is_settled(number))
        {
            return Err("outcome active".to_owned());
        }
        let number = self.outcomes;
        self.outcomes += 1;
        let seq = self.write(
            "user.define_outcome",
            Some(0),
            Some(self.runs.len()),
            &format!("o{number} max={max_iterations}"),
        );
        let outcome = Outcome {
            number,
            max_iterations,
            iteration: 0,
            evaluated: false,
        };
        self.create_primary_run("Outcome", seq, Some(outcome));
        Ok(())
    }

    /// `run.created` for the input at `seq`.
    pub(super) fn create_run(
        &mut self,
        thread: usize,
        kind: &'static str,
        seq: u64,
        outcome: Option<Outcome>,
    ) {
        self.runs.push(Run {
            thread,
            status: RunStatus::Queued,
            attempt: 0,
            continuation: 0,
            position: 0,
            outcome,
            deadline: None,
            claimed: None,
            fresh: true,
            lost: 0,
            timeouts: 0,
            first_seq: seq,
            trigger: kind,
            created: 0,
            started: None,
            settled: None,
            spent: None,
            error: None,
        });
        self.of_run("run.created", self.runs.len() - 1, &format!("{kind} by={seq}"));
    }

    /// A Run of the primary. The Session becomes pending for it only if nothing else of the primary is unfinished: what
    /// is, goes on and has its own status (the decisions are silent about `parallel`).
    pub(super) fn create_primary_run(&mut self, kind: &'static str, seq: u64, outcome: Option<Outcome>) {
        let busy = self.unfinished(0).next().is_some();
        self.create_run(0, kind, seq, outcome);
        if !busy {
            self.become_pending(self.runs.len() - 1);
        }
    }

    /// `session.status_pending`, unless the Session is pending already (A-TURN).
    pub(super) fn become_pending(&mut self, run: usize) {
        if self.status != SessionStatus::Pending {
            self.become_status(SessionStatus::Pending, Some(run), "");
        }
    }
}
