//! Random commands against a model of the specification: what the core writes is what the specification says, event by
//! event, in every status, on Sessions and on forks of them. So is what HTTP shows after every command: the Session, its
//! threads and their histories, its Runs, its ActionApprovals and what is pending.
//!
//! 200 histories by default. `CHECKFU_MODEL_HISTORIES=10000 cargo test -p checkfu-mock-server --lib model` plays more,
//! `CHECKFU_TEST_SEED` others. A mismatch prints the seed, the round and everything that was done.

mod commands;
mod generator;
mod history;
mod invariants;
mod moves;
mod names;
mod projected;
mod random;
mod roster;
mod shown;
mod specification;
mod state;
mod view;

use std::collections::BTreeSet;

use crate::core::status::SessionStatus;
use history::History;

/// What is done in every status; `fork` to a Session that stands there.
const KINDS: [&str; 10] = [
    "message",
    "interrupt",
    "respond",
    "define outcome",
    "archive",
    "complete",
    "cancel",
    "tick",
    "step",
    "fork",
];

/// Every type of event and every refusal that the core knows: 200 histories without one of them prove nothing about it.
const EVERYTHING: [&str; 56] = [
    "user.message",
    "user.interrupt",
    "user.custom_tool_result",
    "user.tool_confirmation",
    "user.question_answer",
    "user.define_outcome",
    "agent.message",
    "agent.thinking",
    "agent.tool_use",
    "agent.tool_result",
    "agent.question",
    "agent.thread_message_sent",
    "agent.thread_message_received",
    "run.created",
    "run.started",
    "run.requeued",
    "run.waiting",
    "run.resumed",
    "run.completed",
    "run.failed",
    "run.canceled",
    "action_approval.requested",
    "action_approval.decided",
    "action_approval.expired",
    "outcome.evaluation_started",
    "outcome.evaluated",
    "session.thread_created",
    "session.thread_status_running",
    "session.thread_status_idle",
    "session.thread_status_rescheduled",
    "session.thread_status_terminated",
    "session.forked",
    "session.error",
    "session.usage",
    "session.status_pending",
    "session.status_provisioning",
    "session.status_running",
    "session.status_waiting",
    "session.status_paused",
    "session.status_reconciling",
    "session.status_idle",
    "session.status_completed",
    "session.status_failed",
    "session.status_canceled",
    "repetition",
    "invalid transition",
    "stale step",
    "outcome active",
    "primary thread",
    "thread busy",
    "unknown thread",
    "unknown action",
    "stale wait",
    "ambiguous",
    "insufficient authority",
    "decision required",
];

/// SES-5, SES-7, SES-8, SES-10, RUN-1, RUN-3, THR-10, THR-13, WAIT-1, WAIT-2, WAIT-3, WAIT-4, WAIT-5, DLN-1, DLN-2, MUL-1, THR-4, THR-8,
/// THR-9, THR-11, FRK-2, A-STOP, A-CONT, A-WAIT, A-HEAD, A-VIEW, A-OVERLAP, A-TURN, A-PARK, A-GEN, A-OUT, A-INT, A-DLN,
/// A-TRANS, A-END, A-ARCH, A-FORK: the core does what the model of the specification predicts.
#[test]
fn random_histories_are_what_the_specification_predicts() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let seed = number("CHECKFU_TEST_SEED", 20_260_831);
    let histories = number("CHECKFU_MODEL_HISTORIES", 200);
    println!("CHECKFU_TEST_SEED={seed} CHECKFU_MODEL_HISTORIES={histories}");
    let seen: BTreeSet<String> = (0..histories)
        .flat_map(|round| History::play(seed, round))
        .collect();
    let everywhere = SessionStatus::ALL
        .into_iter()
        .flat_map(|status| KINDS.map(|kind| format!("{} {kind}", status.as_str())));
    let missed: Vec<String> = EVERYTHING
        .map(str::to_owned)
        .into_iter()
        .chain(everywhere)
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(histories < 200 || missed.is_empty(), "never came up: {missed:?}");
}
