//! One Run of a log as a rule.

use std::time::Duration;

use super::calls::Calls;
use super::endings::{DEADLINE, exhausted};
use super::entry::Entry;
use super::inputs::input;
use super::log::{Log, RunOfLog};
use crate::core::payload::{OutcomeResult, RetryStatus};
use crate::scenario::duration::LONGEST;
use crate::scenario::model::{InputKind, Rule};
use crate::scenario::step::{ChildName, Fail, Round, Say, Spend, Step, StopReason, Trouble};
use crate::scenario::template::Template;

/// A Run as a rule that is for its very input.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) rule: Rule,
}

/// What is being put together.
#[derive(Debug)]
struct Script<'a> {
    log: &'a Log,
    run: &'a RunOfLog,
    steps: Vec<Step>,
    /// The tries at an Outcome that were judged.
    rounds: Vec<Round>,
    /// When the grader was asked.
    grading: Option<Option<i64>>,
    slow_start: u32,
    /// Whether the latest thing was a wait.
    parked: bool,
    calls: Calls<'a>,
}

pub(super) fn record(log: &Log, run: &RunOfLog, notes: &mut Vec<String>) -> Recorded {
    let (kind, contains) = input(log, run);
    let mut script = Script {
        log,
        run,
        steps: Vec::new(),
        rounds: Vec::new(),
        grading: None,
        slow_start: 0,
        parked: false,
        calls: Calls::of(log, &run.id),
    };
    for entry in log.of_run(&run.id) {
        script.take(entry, notes);
    }
    let slow_start = script.slow_start;
    Recorded {
        rule: Rule {
            input: kind,
            contains,
            slow_start,
            steps: script.finish(kind),
        },
    }
}

impl Script<'_> {
    fn take(&mut self, entry: &Entry, notes: &mut Vec<String>) {
        if let Some(step) = self.calls.take(entry) {
            self.steps.push(step);
        }
        match entry.kind.as_str() {
            "run.waiting" => self.parked = true,
            "run.resumed" => self.parked = false,
            "agent.thinking" => self.steps.push(Step::Think(Duration::ZERO)),
            "agent.message" => self.steps.push(Step::Say(Say {
                text: Template::literal(entry.words()),
                deltas: 1,
                every: Duration::ZERO,
            })),
            "agent.question" => self.steps.push(ask(entry)),
            "outcome.evaluation_started" => self.grading = Some(entry.at),
            "outcome.evaluated" => self.judge(entry),
            "agent.thread_message_sent" => self.letter(entry, notes),
            "session.error" => self.steps.push(Step::Trouble(trouble(entry))),
            "session.status_reconciling" => {
                let settled = self.log.of_run(&self.run.id).find(|later| later.seq > entry.seq);
                self.steps.push(Step::Reconcile(between(
                    entry.at,
                    settled.and_then(|entry| entry.at),
                )));
            }
            "run.requeued" => self.requeue(entry),
            "run.completed" => self.complete(entry),
            "run.failed" => self.fail(entry),
            "run.canceled" if !self.parked => self.steps.push(Step::Take(LONGEST)),
            _ => {}
        }
    }

    fn judge(&mut self, entry: &Entry) {
        let asked = self.grading.take().flatten();
        let (result, takes) = match entry.text("/result") {
            Some("satisfied") => (OutcomeResult::Satisfied, between(asked, entry.at)),
            Some("failed") => (OutcomeResult::Failed, between(asked, entry.at)),
            // An interrupt came before the grader had judged.
            Some("interrupted") => (OutcomeResult::Satisfied, LONGEST),
            _ => (OutcomeResult::NeedsRevision, between(asked, entry.at)),
        };
        self.rounds.push(Round {
            steps: std::mem::take(&mut self.steps),
            takes,
            result,
            explanation: entry
                .text("/explanation")
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
        });
    }

    /// A child reports; the primary spawns with its first message and sends with others.
    fn letter(&mut self, entry: &Entry, notes: &mut Vec<String>) {
        let message = Template::literal(entry.words());
        if self.log.child(self.run.thread.as_deref()).is_some() {
            self.steps.push(Step::Report(message));
            return;
        }
        let thread = entry.text("/to_session_thread_id");
        let Some(child) = self.log.child(thread) else {
            notes.push(format!(
                "event {} is for a thread that the log does not create",
                entry.seq
            ));
            return;
        };
        let first = self.log.entries.iter().find(|other| {
            other.kind == "agent.thread_message_sent" && other.text("/to_session_thread_id") == thread
        });
        self.steps
            .push(if first.is_some_and(|first| first.seq == entry.seq) {
                Step::Spawn {
                    child: child.name.clone(),
                    message,
                }
            } else {
                Step::Send {
                    to: ChildName {
                        name: child.name.clone(),
                        number: Some(child.number),
                    },
                    message,
                }
            });
    }

    fn requeue(&mut self, entry: &Entry) {
        match entry.text("/reason") {
            Some("runner_lost") => self.lose_runner(),
            _ => self.slow_start += 1,
        }
    }

    fn lose_runner(&mut self) {
        match self.steps.last_mut() {
            Some(Step::LoseRunner(times)) => *times += 1,
            _ => self.steps.push(Step::LoseRunner(1)),
        }
    }

    fn complete(&mut self, entry: &Entry) {
        self.steps.push(Step::Spend(spend(entry)));
        let child = self.log.child(self.run.thread.as_deref());
        let rest = self.log.after(entry.seq).find(|later| match child {
            Some(child) => {
                later.kind == "session.thread_status_idle"
                    && later.text("/session_thread_id") == Some(child.thread.as_str())
            }
            None => later.kind == "session.status_idle",
        });
        let reason = rest.and_then(|rest| {
            rest.text("/stop_reason")
                .or_else(|| rest.text("/stop_reason/type"))
        });
        match reason {
            Some("budget_reached") => self.steps.push(Step::Stop(StopReason::BudgetReached)),
            Some("refusal") => self.steps.push(Step::Stop(StopReason::Refusal)),
            _ => {}
        }
    }

    fn fail(&mut self, entry: &Entry) {
        match exhausted(self.log, &self.run.id) {
            Some("runner_lost") => return self.lose_runner(),
            Some(_) => return self.slow_start += 1,
            None => {}
        }
        if entry.text("/error/code") == Some(DEADLINE) {
            self.steps.push(Step::Take(LONGEST));
            return;
        }
        if entry.payload.get("usage").is_some() {
            self.steps.push(Step::Spend(spend(entry)));
        }
        let next = self.log.after(entry.seq).find(|later| {
            let kind = later.kind.as_str();
            matches!(kind, "session.status_failed" | "session.status_idle")
                || kind.starts_with("session.thread_status_") && later.thread == self.run.thread
        });
        let ends = ["session.status_failed", "session.thread_status_terminated"];
        self.steps.push(Step::Fail(Fail {
            code: entry.text("/error/code").unwrap_or("unknown").to_owned(),
            message: entry.text("/error/message").unwrap_or("unknown").to_owned(),
            retryable: entry
                .payload
                .pointer("/error/retryable")
                .and_then(serde_json::Value::as_bool),
            terminates: next.is_some_and(|next| ends.contains(&next.kind.as_str())),
        }));
    }

    /// The steps, with the tries at an Outcome in front.
    fn finish(mut self, kind: InputKind) -> Vec<Step> {
        self.steps.extend(self.calls.blocked());
        if self.grading.is_some() {
            self.rounds.push(Round {
                steps: std::mem::take(&mut self.steps),
                takes: LONGEST,
                result: OutcomeResult::Satisfied,
                explanation: None,
            });
        }
        let mut steps = Vec::new();
        if !self.rounds.is_empty() {
            steps.push(Step::Grade(self.rounds));
        }
        steps.append(&mut self.steps);
        let ends = steps
            .iter()
            .any(|step| matches!(step, Step::Grade(_) | Step::Fail(_)));
        if kind == InputKind::Outcome && !ends {
            steps.push(Step::Grade(vec![Round {
                steps: Vec::new(),
                takes: LONGEST,
                result: OutcomeResult::Satisfied,
                explanation: None,
            }]));
        }
        if steps.is_empty() {
            steps.push(Step::Take(Duration::ZERO));
        }
        steps
    }
}

fn between(from: Option<i64>, to: Option<i64>) -> Duration {
    let milliseconds = from.zip(to).map_or(0, |(from, to)| to.saturating_sub(from));
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)).min(LONGEST)
}

fn ask(entry: &Entry) -> Step {
    let options = entry.payload.get("options").and_then(serde_json::Value::as_array);
    let options = options.into_iter().flatten().filter_map(|option| option.as_str());
    Step::Ask {
        prompt: Template::literal(entry.text("/prompt").unwrap_or_default()),
        options: options.map(str::to_owned).collect(),
    }
}

fn trouble(entry: &Entry) -> Trouble {
    Trouble {
        kind: entry.text("/error/type").unwrap_or("unknown").to_owned(),
        message: entry.text("/error/message").unwrap_or("unknown").to_owned(),
        retry: match entry.text("/error/retry_status/type") {
            Some("exhausted") => RetryStatus::Exhausted,
            Some("terminal") => RetryStatus::Terminal,
            _ => RetryStatus::Retrying,
        },
    }
}

fn spend(entry: &Entry) -> Spend {
    let tokens = |name: &str| entry.number(&format!("/usage/{name}")).unwrap_or(0);
    Spend {
        input_tokens: tokens("input_tokens"),
        output_tokens: tokens("output_tokens"),
        cache_read_input_tokens: tokens("cache_read_input_tokens"),
        cache_creation_input_tokens: tokens("cache_creation_input_tokens"),
        cost_micros: entry.text("/cost/amount").and_then(Spend::micros),
    }
}
