//! What a log tells of a revision's settings.

use super::endings::{DEADLINE, exhausted};
use super::entry::Entry;
use super::log::Log;
use crate::core::admission::{Behaviour, OnDeadline, Overlap, WaitStyle};
use crate::scenario::model::DEFAULT_MAX_DURATION_SECONDS;

/// How long a start-up may take, in milliseconds (DLN-1).
const STARTUP_ALLOWANCE: i64 = 60_000;

const MAX_DURATION_SECONDS: u64 = 7 * 24 * 60 * 60;

pub(super) fn settings(log: &Log) -> (Behaviour, u64) {
    let usual = Behaviour::default();
    let behaviour = Behaviour {
        overlap: overlap(log),
        wait_style: wait_style(log),
        on_deadline: on_deadline(log),
        max_retries: attempts(log, "runner_lost").unwrap_or(usual.max_retries),
        max_startups: attempts(log, "startup_timeout").unwrap_or(usual.max_startups),
    };
    (
        behaviour,
        max_duration(log).unwrap_or(DEFAULT_MAX_DURATION_SECONDS),
    )
}

/// Two Runs of the primary that execute at the same time.
fn overlap(log: &Log) -> Overlap {
    let mut active = 0_u32;
    for entry in log
        .entries
        .iter()
        .filter(|entry| log.child(entry.thread.as_deref()).is_none())
    {
        match entry.kind.as_str() {
            "run.started" if entry.number("/attempt").unwrap_or(1) == 1 => active += 1,
            "run.completed" | "run.failed" | "run.canceled" => active = active.saturating_sub(1),
            _ => {}
        }
        if active > 1 {
            return Overlap::Parallel;
        }
    }
    Overlap::Queue
}

fn wait_style(log: &Log) -> WaitStyle {
    let waiting = log
        .entries
        .iter()
        .any(|entry| entry.kind == "session.status_waiting");
    let idle = log.entries.iter().any(|entry| {
        entry.kind == "session.status_idle" && entry.text("/stop_reason") == Some("requires_action")
    });
    match (waiting, idle) {
        (true, false) => WaitStyle::Waiting,
        (false, true) => WaitStyle::Idle,
        _ => WaitStyle::Both,
    }
}

fn on_deadline(log: &Log) -> OnDeadline {
    let crossed = |entry: &&Entry| entry.text("/error/code") == Some(DEADLINE);
    let failed = log
        .entries
        .iter()
        .any(|entry| entry.kind == "session.status_failed" && crossed(&entry));
    if failed {
        OnDeadline::Failed
    } else {
        OnDeadline::Idle
    }
}

/// How many attempts a Run that failed for want of another had lost before.
fn attempts(log: &Log, reason: &str) -> Option<u32> {
    let failed = log.entries.iter().filter(|entry| entry.kind == "run.failed");
    let runs = failed.filter_map(|entry| entry.run.as_deref());
    let lost = runs.filter_map(|run| {
        let ends = exhausted(log, run)?;
        let lost = log
            .of_run(run)
            .filter(|entry| entry.text("/reason") == Some(reason))
            .count();
        (ends == reason).then(|| u32::try_from(lost).unwrap_or(u32::MAX))
    });
    lost.max()
}

/// The deadline of the first Run, less its claim and the allowance for its start-up.
fn max_duration(log: &Log) -> Option<u64> {
    let started = log.entries.iter().find(|entry| entry.kind == "run.started")?;
    let claimed = log
        .entries
        .iter()
        .rfind(|entry| entry.kind == "session.status_provisioning" && entry.seq < started.seq)?;
    let milliseconds = started.moment("/deadline_at")? - claimed.at? - STARTUP_ALLOWANCE;
    let seconds = u64::try_from((milliseconds + 500).div_euclid(1000)).ok()?;
    (1..=MAX_DURATION_SECONDS).contains(&seconds).then_some(seconds)
}
