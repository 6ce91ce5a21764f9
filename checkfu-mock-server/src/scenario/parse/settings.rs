//! How a revision behaves where the decisions leave a choice.

use crate::core::admission::{Behaviour, OnDeadline, Overlap, WaitStyle};
use crate::scenario::error::ScenarioError;
use crate::scenario::model::DEFAULT_MAX_DURATION_SECONDS;
use crate::scenario::reader::Node;

const MAX_DURATION_SECONDS: u64 = 7 * 24 * 60 * 60;
const MAX_RETRIES: u32 = 100;

pub(super) fn settings(node: Option<Node<'_>>) -> Result<(Behaviour, u64), ScenarioError> {
    let mut behaviour = Behaviour::default();
    let mut seconds = DEFAULT_MAX_DURATION_SECONDS;
    let Some(node) = node else {
        return Ok((behaviour, seconds));
    };
    let fields = node.fields(&[
        "overlap",
        "wait_style",
        "on_deadline",
        "max_duration_seconds",
        "max_retries",
        "max_startups",
    ])?;
    if let Some(node) = fields.optional("overlap") {
        behaviour.overlap = node.choice(&[("queue", Overlap::Queue), ("parallel", Overlap::Parallel)])?;
    }
    if let Some(node) = fields.optional("wait_style") {
        behaviour.wait_style = node.choice(&[
            ("both", WaitStyle::Both),
            ("waiting", WaitStyle::Waiting),
            ("idle", WaitStyle::Idle),
        ])?;
    }
    if let Some(node) = fields.optional("on_deadline") {
        behaviour.on_deadline = node.choice(&[("idle", OnDeadline::Idle), ("failed", OnDeadline::Failed)])?;
    }
    if let Some(node) = fields.optional("max_duration_seconds") {
        seconds = node.whole(1..=MAX_DURATION_SECONDS)?;
    }
    if let Some(node) = fields.optional("max_retries") {
        behaviour.max_retries = node.count(0..=MAX_RETRIES)?;
    }
    if let Some(node) = fields.optional("max_startups") {
        behaviour.max_startups = node.count(0..=MAX_RETRIES)?;
    }
    Ok((behaviour, seconds))
}
