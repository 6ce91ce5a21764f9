use std::time::Instant;

use checkfu_conformance::{CheckReport, RunStep};
use clap::ValueEnum;
use serde_json::json;

use crate::told::tell;

/// What is told on stderr while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// A line a check, for people.
    Text,
    /// A JSON object a line: one with the run's id, and one as each check ends.
    Ndjson,
}

/// Tells of the run, and of each check as it ends.
pub(crate) struct Progress {
    form: Option<Form>,
    total: usize,
    ended: usize,
    began: Instant,
}

impl Progress {
    /// Of a run of so many checks; tells nothing without a form.
    pub(crate) fn new(form: Option<Form>, total: usize) -> Self {
        Self {
            form,
            total,
            ended: 0,
            began: Instant::now(),
        }
    }

    pub(crate) fn tell(&mut self, step: RunStep<'_>) {
        match step {
            RunStep::Begun { run_id } => self.begin(run_id),
            RunStep::Ended(check) => self.end(check),
            _ => {}
        }
    }

    /// Whoever kills the run has to know what to look for.
    fn begin(&self, run_id: &str) {
        match self.form {
            None => {}
            Some(Form::Text) => tell(&format!(
                "run {run_id}; should it be killed, `sweep --run {run_id}` ends what it leaves"
            )),
            Some(Form::Ndjson) => tell(&json!({"run_id": run_id, "total": self.total}).to_string()),
        }
    }

    fn end(&mut self, check: &CheckReport) {
        self.ended += 1;
        let elapsed = self.began.elapsed();
        match self.form {
            None => {}
            Some(Form::Text) => {
                let width = self.total.to_string().len();
                tell(&format!(
                    "[{:>width$}/{}] {:>6.1} s  {:<12} {}",
                    self.ended,
                    self.total,
                    elapsed.as_secs_f64(),
                    check.verdict.word(),
                    check.id
                ));
            }
            Some(Form::Ndjson) => {
                let told = json!({
                    "n": self.ended,
                    "total": self.total,
                    "elapsed_ms": u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
                    "id": check.id,
                    "level": check.level,
                    "stimulus": check.stimulus,
                    "verdict": check.verdict,
                    "reason": check.reason,
                    "expected": check.failure.as_ref().map(|failure| &failure.expected),
                    "actual": check.failure.as_ref().map(|failure| &failure.actual),
                    "duration_ms": check.duration_ms,
                });
                tell(&told.to_string());
            }
        }
    }
}
