//! Failures that the server itself writes.

use super::log::Log;

pub(super) const DEADLINE: &str = "runtime.turn_deadline_exceeded";
const RETRIES: &str = "runtime.retries_exhausted";
const STARTUPS: &str = "runtime.startup_failed";

/// The reason of the attempts that a Run lost too many of, if it failed for that.
pub(super) fn exhausted(log: &Log, run: &str) -> Option<&'static str> {
    let failed = log.of_run(run).find(|entry| entry.kind == "run.failed")?;
    match failed.text("/error/code") {
        Some(RETRIES) => Some("runner_lost"),
        Some(STARTUPS) => Some("startup_timeout"),
        _ => None,
    }
}
