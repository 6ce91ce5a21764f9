//! Calls of tools.

use serde_json::Map;

use super::placement::Place;
use super::words::{label, template};
use crate::core::payload::ToolKind;
use crate::scenario::error::ScenarioError;
use crate::scenario::reader::{Fields, Node};
use crate::scenario::step::{Call, Step};
use crate::scenario::template::Template;

const MAX_TOGETHER: usize = 16;

/// How the steps inside a call are read.
pub(super) type InnerSteps = fn(Option<Node<'_>>, &Place<'_>) -> Result<Vec<Step>, ScenarioError>;

/// A tool that the Agent uses by itself.
pub(super) fn used(node: &Node<'_>, place: &Place<'_>, inner: InnerSteps) -> Result<Call, ScenarioError> {
    let fields = node.fields(&[
        "tool",
        "id",
        "input",
        "mcp",
        "result",
        "error",
        "asks",
        "expires",
        "if_denied",
    ])?;
    let mcp_server = fields.optional("mcp").map(|node| label(&node)).transpose()?;
    let kind = match mcp_server {
        Some(_) => ToolKind::Mcp,
        None => ToolKind::Builtin,
    };
    let result = fields.optional("result").map(|node| template(&node));
    Ok(Call {
        mcp_server,
        result: result.transpose()?.unwrap_or_else(|| Template::literal("ok")),
        is_error: flag(&fields, "error")?,
        ..call(&fields, kind, place, inner)?
    })
}

/// A tool that the application executes.
pub(super) fn called(node: &Node<'_>, place: &Place<'_>, inner: InnerSteps) -> Result<Call, ScenarioError> {
    let fields = node.fields(&["tool", "id", "input", "asks", "expires", "if_denied", "if_error"])?;
    Ok(Call {
        if_error: inner(fields.optional("if_error"), place)?,
        ..call(&fields, ToolKind::Custom, place, inner)?
    })
}

/// Several calls that block.
pub(super) fn together(
    node: &Node<'_>,
    place: &Place<'_>,
    inner: InnerSteps,
) -> Result<Vec<Call>, ScenarioError> {
    let mut calls: Vec<Call> = Vec::new();
    for item in node.list(MAX_TOGETHER)? {
        let fields = item.fields(&["use", "call"])?;
        let call = match (fields.optional("use"), fields.optional("call")) {
            (Some(node), None) => used(&node, place, inner)?,
            (None, Some(node)) => called(&node, place, inner)?,
            _ => return Err(item.error("must be one use or one call; begin each with its own dash")),
        };
        if !call.blocks() {
            return Err(item.error("needs nobody; add asks: true, or make it a step before"));
        }
        if call.id.is_some() && calls.iter().any(|other| other.id == call.id) {
            return Err(item.error("has the id of another call beside it; give it its own"));
        }
        calls.push(call);
    }
    Ok(calls)
}

fn call(
    fields: &Fields<'_>,
    kind: ToolKind,
    place: &Place<'_>,
    inner: InnerSteps,
) -> Result<Call, ScenarioError> {
    let asks = flag(fields, "asks")?;
    for only_asked in ["expires", "if_denied"] {
        if let Some(node) = fields.optional(only_asked).filter(|_| !asks) {
            return Err(node.error("needs a decision; add asks: true"));
        }
    }
    let id = fields.optional("id").map(|node| label(&node));
    let input = fields.optional("input").map(|node| node.object());
    let expires = fields.optional("expires").map(|node| node.duration());
    Ok(Call {
        tool: label(&fields.required("tool")?)?,
        id: id.transpose()?,
        input: input.transpose()?.unwrap_or_else(Map::new),
        kind,
        mcp_server: None,
        result: Template::default(),
        is_error: false,
        asks,
        expires: expires.transpose()?,
        if_denied: inner(fields.optional("if_denied"), place)?,
        if_error: Vec::new(),
    })
}

fn flag(fields: &Fields<'_>, name: &str) -> Result<bool, ScenarioError> {
    let flag = fields.optional(name).map(|node| node.flag());
    Ok(flag.transpose()?.unwrap_or(false))
}
