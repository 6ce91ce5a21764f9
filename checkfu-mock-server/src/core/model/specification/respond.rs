//! Answers to waits (WAIT-3, WAIT-5, THR-8, THR-9, A-GEN, A-ORDER).

use super::waiting::Opening;
use super::{Model, Verdict};
use crate::core::model::moves::{AnswerKind, Reply, Subject};
use crate::core::model::state::{Judgement, WaitKind, WaitState};
use crate::core::status::SessionStatus;

impl Model {
    pub(super) fn respond(&mut self, reply: &Reply) -> Result<Verdict, String> {
        let place = self.addressed(reply)?;
        let keyed: Vec<usize> = (0..self.waits.len())
            .filter(|&wait| self.waits[wait].thread == place && self.waits[wait].subject == reply.subject)
            .collect();
        let Some(&latest) = keyed.last() else {
            return Err("unknown action".to_owned());
        };
        for &wait in &keyed {
            let fits = reply
                .generation
                .is_none_or(|generation| generation == self.waits[wait].generation);
            if let WaitState::Answered { seq, answer } = self.waits[wait].state
                && fits
                && answer == reply.answer
            {
                return Ok(Verdict::Replay(seq));
            }
        }
        if self.status.is_terminal() {
            return Err(super::invalid(self.status, SessionStatus::Running));
        }
        let open = &self.waits[latest];
        let kind = match reply.answer.kind {
            AnswerKind::Result => WaitKind::Custom,
            AnswerKind::Confirmation => WaitKind::Approval,
            AnswerKind::Question => WaitKind::Question,
        };
        let current = reply
            .generation
            .is_none_or(|generation| generation == open.generation);
        if open.state != WaitState::Open || !current || open.kind != kind {
            return Err("stale wait".to_owned());
        }
        if !reply.authorized {
            return Err("insufficient authority".to_owned());
        }
        self.accept(latest, reply);
        Ok(Verdict::Accepted)
    }

    /// The thread that an answer is for.
    fn addressed(&self, reply: &Reply) -> Result<usize, String> {
        if let Some(place) = reply.thread {
            return if place < self.threads.len() {
                Ok(place)
            } else {
                Err("unknown thread".to_owned())
            };
        }
        let under = |open: bool| -> Vec<usize> {
            let mut places: Vec<usize> = self
                .waits
                .iter()
                .filter(|wait| wait.subject == reply.subject && (!open || wait.state == WaitState::Open))
                .map(|wait| wait.thread)
                .collect();
            places.sort_unstable();
            places.dedup();
            places
        };
        // The pending call decides; where nothing is pending any more, whoever had it.
        let open = under(true);
        let places = if open.is_empty() {
            // An answer that one of them accepted is repeated to that one (THR-9).
            let known = under(false);
            let repeated: Vec<usize> = known
                .iter()
                .copied()
                .filter(|&place| self.has_accepted(place, reply))
                .collect();
            if repeated.len() == 1 { repeated } else { known }
        } else {
            open
        };
        match places[..] {
            [] => Err("unknown action".to_owned()),
            [0, ..] => Ok(0),
            [only] => Ok(only),
            _ => Err(format!("ambiguous {places:?}")),
        }
    }

    fn has_accepted(&self, place: usize, reply: &Reply) -> bool {
        self.waits.iter().any(|wait| {
            wait.thread == place
                && wait.subject == reply.subject
                && reply
                    .generation
                    .is_none_or(|generation| generation == wait.generation)
                && matches!(wait.state, WaitState::Answered { answer, .. } if answer == reply.answer)
        })
    }

    fn accept(&mut self, wait: usize, reply: &Reply) {
        let run = self.waits[wait].run;
        let answer = reply.answer;
        let (name, members) = match (answer.kind, reply.subject) {
            (AnswerKind::Result, Subject::Tool(tool)) => (
                "user.custom_tool_result",
                format!("{tool} {} error={}", answer.value, answer.mark),
            ),
            (AnswerKind::Confirmation, Subject::Tool(tool)) => {
                let decision = if answer.value == 0 { "Allow" } else { "Deny" };
                (
                    "user.tool_confirmation",
                    format!("{tool} {decision} message={}", answer.mark),
                )
            }
            (_, Subject::Question(number)) => ("user.question_answer", format!("q{number} {}", answer.value)),
            other => panic!("nobody can answer {other:?}"),
        };
        let seq = self.of_run(name, run, &members);
        self.waits[wait].state = WaitState::Answered { seq, answer };
        if self.waits[wait].kind == WaitKind::Approval {
            let decision = if answer.value == 0 { "Allow" } else { "Deny" };
            let members = format!("{decision} by={}", answer.author);
            let seq = self.of_run("action_approval.decided", run, &members);
            self.waits[wait].judgement = Some(Judgement::Decided { seq, answer });
            if answer.value == 0 && self.waits[wait].custom {
                self.open(Opening {
                    run,
                    subject: reply.subject,
                    kind: WaitKind::Custom,
                    blocker: self.waits[wait].blocker,
                    custom: true,
                    expires: None,
                    requested: None,
                });
            }
        }
        self.resolved(wait);
    }
}
