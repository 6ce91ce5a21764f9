//! The calls of a Run, with what they gave.

use serde_json::Map;

use super::entry::Entry;
use super::log::Log;
use crate::core::payload::ToolKind;
use crate::scenario::step::{Call, Step};
use crate::scenario::template::Template;

/// Gathers calls that block at once.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    log: &'a Log,
    run: &'a str,
    blocking: Vec<Call>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(log: &'a Log, run: &'a str) -> Self {
        Self {
            log,
            run,
            blocking: Vec::new(),
        }
    }

    /// A step that is complete with this event.
    pub(super) fn take(&mut self, entry: &Entry) -> Option<Step> {
        match entry.kind.as_str() {
            "agent.tool_use" => {
                let call = self.call(entry);
                if call.blocks() {
                    self.blocking.push(call);
                    return None;
                }
                Some(Step::Use(call))
            }
            "action_approval.requested" | "run.waiting" => None,
            _ => self.blocked(),
        }
    }

    /// The calls that were gathered.
    pub(super) fn blocked(&mut self) -> Option<Step> {
        let mut calls = std::mem::take(&mut self.blocking);
        if calls.len() > 1 {
            return Some(Step::Together(calls));
        }
        let call = calls.pop()?;
        Some(match call.kind {
            ToolKind::Custom => Step::Call(call),
            ToolKind::Builtin | ToolKind::Mcp => Step::Use(call),
        })
    }

    fn call(&self, entry: &Entry) -> Call {
        let id = entry.text("/tool_use_id");
        let asks = entry.text("/evaluated_permission") == Some("ask");
        let kind = match entry.text("/kind") {
            Some("custom") => ToolKind::Custom,
            Some("mcp") => ToolKind::Mcp,
            _ => ToolKind::Builtin,
        };
        let custom = kind == ToolKind::Custom;
        let result = self
            .about("agent.tool_result", entry)
            .filter(|_| !custom && !self.was_denied(entry));
        let words = result.map(Entry::words).filter(|words| !words.is_empty());
        Call {
            tool: entry.text("/name").unwrap_or("unknown").to_owned(),
            id: id.filter(|id| self.is_shared(id)).map(str::to_owned),
            input: entry
                .payload
                .get("input")
                .and_then(serde_json::Value::as_object)
                .cloned()
                .unwrap_or_else(Map::new),
            kind,
            mcp_server: (kind == ToolKind::Mcp)
                .then(|| entry.text("/mcp_server_name").unwrap_or("unknown").to_owned()),
            result: match words {
                Some(words) => Template::literal(words),
                None if custom => Template::default(),
                None => Template::literal("ok"),
            },
            is_error: result.is_some_and(|result| result.flag("/is_error")),
            asks,
            expires: self
                .about("action_approval.requested", entry)
                .and_then(|requested| {
                    let left = requested.moment("/expires_at")? - requested.at?;
                    Some(std::time::Duration::from_millis(u64::try_from(left).ok()?))
                }),
            if_denied: Vec::new(),
            if_error: Vec::new(),
        }
    }

    /// Whether another call has the same identifier: then that is the point of it. Others are made up anew.
    fn is_shared(&self, id: &str) -> bool {
        let calls = self
            .log
            .entries
            .iter()
            .filter(|entry| entry.kind == "agent.tool_use");
        calls
            .filter(|entry| entry.text("/tool_use_id") == Some(id))
            .count()
            > 1
    }

    /// The next event of this type about the same call.
    fn about(&self, kind: &str, call: &Entry) -> Option<&Entry> {
        let id = call.text("/tool_use_id");
        self.log
            .of_run(self.run)
            .find(|entry| entry.kind == kind && entry.seq > call.seq && entry.text("/tool_use_id") == id)
    }

    /// Whether the call was denied, or nobody decided: its result is the server's.
    fn was_denied(&self, call: &Entry) -> bool {
        let Some(requested) = self.about("action_approval.requested", call) else {
            return false;
        };
        let approval = requested.text("/approval_id");
        self.log.of_run(self.run).any(|entry| {
            let expired = entry.kind == "action_approval.expired";
            let denied = entry.kind == "action_approval.decided" && entry.text("/decision") == Some("deny");
            (expired || denied) && entry.text("/approval_id") == approval
        })
    }
}
