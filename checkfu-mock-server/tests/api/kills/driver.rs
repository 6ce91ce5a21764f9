//! What a driver does next, from the log alone: so it goes on after a restart without a memory.

use std::time::Duration;

use serde_json::{Value, json};

use super::flows::{Flow, What, When};

/// What is next for a Session.
#[derive(Debug)]
pub(super) enum Move {
    /// An event is posted, without its author and cause.
    Post(&'static str, Value),
    /// Time passes.
    Advance(Duration),
    Finished,
}

pub(super) fn next(flow: &Flow, log: &[Value]) -> Move {
    let sent = log.iter().filter(|event| is_input(event)).count();
    let settled = is_settled(log);
    if let Some(input) = flow.inputs.get(sent) {
        let due = match input.when {
            When::Settled => settled,
            When::Latest(part) => log.last().is_some_and(|event| event.to_string().contains(part)),
        };
        if due {
            return post(&input.what);
        }
    }
    if let Some((type_name, payload)) = log.iter().find_map(|event| answer(flow, log, event)) {
        return Move::Post(type_name, payload);
    }
    if settled && sent >= flow.inputs.len() {
        return Move::Finished;
    }
    Move::Advance((flow.pace)(log))
}

fn is_input(event: &Value) -> bool {
    ["user.message", "user.define_outcome", "user.interrupt"]
        .iter()
        .any(|type_name| event["type"] == *type_name)
}

fn settles(event: &Value) -> bool {
    ["run.completed", "run.failed", "run.canceled"]
        .iter()
        .any(|type_name| event["type"] == *type_name)
}

fn is_settled(log: &[Value]) -> bool {
    log.iter()
        .filter(|event| event["type"] == "run.created")
        .all(|created| {
            log.iter()
                .any(|event| settles(event) && event["run_id"] == created["run_id"])
        })
}

fn post(what: &What) -> Move {
    match what {
        What::Message(text) => Move::Post("user.message", json!({"content": text})),
        What::Outcome(description, tries) => Move::Post(
            "user.define_outcome",
            json!({
                "description": description,
                "rubric": {"type": "text", "content": "It is good."},
                "max_iterations": tries,
            }),
        ),
        What::Interrupt => Move::Post("user.interrupt", json!({})),
    }
}

/// The answer to this event, if it opened a wait that is still open and that somebody answers.
fn answer(flow: &Flow, log: &[Value], event: &Value) -> Option<(&'static str, Value)> {
    if event["type"] != "run.waiting" {
        return None;
    }
    let wait = &event["payload"]["wait"];
    let (type_name, member) = match wait["kind"].as_str()? {
        "action_approval" => ("user.tool_confirmation", "tool_use_id"),
        "custom_tool" => ("user.custom_tool_result", "tool_use_id"),
        "question" => ("user.question_answer", "question_id"),
        _ => return None,
    };
    let closed = log.iter().any(|later| {
        let ends = settles(later)
            || later["type"] == "action_approval.expired"
            || (later["type"] == type_name && later["payload"][member] == wait[member]);
        ends && later["run_id"] == event["run_id"]
    });
    if closed {
        return None;
    }
    let mut payload = json!({"session_thread_id": event["session_thread_id"]});
    payload[member] = wait[member].clone();
    match type_name {
        "user.tool_confirmation" => payload["result"] = json!(flow.decision?),
        "user.custom_tool_result" if flow.goes_wrong => {
            payload["result"] = json!("it broke");
            payload["is_error"] = json!(true);
        }
        "user.custom_tool_result" => payload["result"] = json!({"answer": 42}),
        _ => {
            payload.as_object_mut()?.remove("session_thread_id");
            payload["answer"] = json!("blue");
        }
    }
    Some((type_name, payload))
}
