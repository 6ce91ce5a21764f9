//! A move as the command that the core takes.

use std::time::Duration;

use serde_json::{Value, json};

use super::moves::{Act, Answer, AnswerKind, Call, Finding, Move, Reply, Spent, Subject, Work};
use super::names::{Names, question_id, thread_id};
use super::roster::CHILD;
use crate::core::command::{Command, OutcomeDefinition, PromptCheck, Response};
use crate::core::id::{EventId, PrincipalId, ToolUseId};
use crate::core::payload::{
    Block, Cause, Cost, Decision, Failure, PromptDecision, PromptIntegrity, RetryStatus, Rubric,
    SessionErrorDetail, ToolKind, Usage, UserCustomToolResult, UserInterrupt, UserMessage,
    UserQuestionAnswer, UserToolConfirmation,
};
use crate::core::prompt_integrity::Inspection;
use crate::core::step::{Action, Step, ToolCall};

/// The command; `serial` makes the identifiers that a Runner chooses unique, `threads` says how many there are.
pub(super) fn command(action: &Move, names: &Names, serial: u64, threads: usize) -> Command {
    match action {
        Move::Message { text, finding } => Command::Message {
            message: UserMessage {
                content: vec![Block::text(*text)],
                prompt_integrity: finding.and_then(|finding| finding.decision).map(integrity),
                authored_by: author(1),
                caused_by: cause(serial),
            },
            check: finding.map(check),
        },
        Move::Interrupt { thread } => Command::Interrupt(UserInterrupt {
            session_thread_id: thread.map(thread_id),
            authored_by: author(1),
            caused_by: cause(serial),
        }),
        Move::Respond(reply) => Command::Respond(response(reply, serial)),
        Move::DefineOutcome { max_iterations } => Command::DefineOutcome(OutcomeDefinition {
            description: "done".to_owned(),
            rubric: Rubric::Text {
                content: "all of it".to_owned(),
            },
            max_iterations: *max_iterations,
            authored_by: author(1),
            caused_by: cause(serial),
        }),
        Move::Archive { thread } => Command::Archive(thread_id(*thread)),
        Move::Complete => Command::Complete,
        Move::Cancel => Command::Cancel,
        Move::Tick => Command::Tick,
        Move::Step { run, work } => Command::Step {
            run: names.run_id(*run),
            step: match work {
                Work::Claim => Step::Claim,
                Work::Start => Step::Start,
                Work::Act { position, act } => Step::Act {
                    position: *position,
                    action: agent_action(act, serial, threads),
                },
            },
        },
    }
}

fn integrity((challenge, corrected): (u8, bool)) -> PromptIntegrity {
    PromptIntegrity {
        challenge: challenge.to_string(),
        decision: if corrected {
            PromptDecision::UseCorrected
        } else {
            PromptDecision::PreserveOriginal
        },
    }
}

fn check(finding: Finding) -> PromptCheck {
    PromptCheck {
        inspection: Inspection {
            findings: Vec::new(),
            corrected: vec![Block::text("corrected")],
        },
        challenge_is_valid: finding.challenge_is_valid,
        fresh_challenge: "fresh".to_owned(),
    }
}

fn response(reply: &Reply, serial: u64) -> Response {
    let Answer {
        kind,
        value,
        mark,
        author: by,
    } = reply.answer;
    let session_thread_id = reply.thread.map(thread_id);
    let wait_generation = reply.generation;
    let tool_use_id = || match reply.subject {
        Subject::Tool(tool) => ToolUseId::new(tool),
        other => panic!("{other:?} is no tool call"),
    };
    match kind {
        AnswerKind::Result => Response::Result(UserCustomToolResult {
            tool_use_id: tool_use_id(),
            result: Value::from(value).into(),
            is_error: mark.then_some(true),
            session_thread_id,
            wait_generation,
            authored_by: author(by),
            caused_by: cause(serial),
        }),
        AnswerKind::Confirmation => Response::Confirmation {
            confirmation: UserToolConfirmation {
                tool_use_id: tool_use_id(),
                result: if value == 0 {
                    Decision::Allow
                } else {
                    Decision::Deny
                },
                deny_message: mark.then(|| "no".to_owned()),
                session_thread_id,
                wait_generation,
                authored_by: author(by),
                caused_by: cause(serial),
            },
            authorized: reply.authorized,
        },
        AnswerKind::Question => Response::Answer(UserQuestionAnswer {
            question_id: match reply.subject {
                Subject::Question(number) => question_id(number),
                other => panic!("{other:?} is no Question"),
            },
            answer: Value::from(value).into(),
            session_thread_id,
            wait_generation,
            authored_by: author(by),
            caused_by: cause(serial),
        }),
    }
}

fn agent_action(act: &Act, serial: u64, threads: usize) -> Action {
    let content = || vec![Block::text("hello")];
    let event_id = EventId::from_number(u128::from(serial) << 64);
    match act {
        Act::Think => Action::Think { event_id },
        Act::Say => Action::Say {
            event_id,
            content: content(),
        },
        Act::UseTool(tool) => Action::UseTool(tool_call(Call {
            tool,
            kind: ToolKind::Builtin,
            asks: false,
            expires_after: None,
        })),
        Act::ToolResult(tool) => Action::ToolResult {
            tool_use_id: ToolUseId::new(*tool),
            content: content(),
            is_error: false,
        },
        Act::Block(calls) => Action::Block(calls.iter().copied().map(tool_call).collect()),
        Act::Ask(number) => Action::Ask {
            question_id: question_id(*number),
            prompt: "which?".to_owned(),
            options: Vec::new(),
        },
        Act::AwaitGrader => Action::AwaitGrader,
        Act::Grade(result) => Action::Grade {
            result: *result,
            explanation: None,
        },
        Act::Spawn => Action::Spawn {
            thread_id: thread_id(threads),
            agent_name: CHILD.to_owned(),
            content: content(),
        },
        Act::Send(to) => Action::Send {
            to: thread_id(*to),
            content: content(),
        },
        Act::Report => Action::Report { content: content() },
        Act::Trouble => Action::Trouble(SessionErrorDetail {
            r#type: "model_overloaded_error".to_owned(),
            message: "busy".to_owned(),
            retry_status: RetryStatus::Retrying,
        }),
        Act::LoseRunner => Action::LoseRunner,
        Act::Reconcile => Action::Reconcile,
        Act::Complete(stop_reason, spent) => Action::Complete {
            usage: usage(*spent),
            cost: cost(*spent),
            stop_reason,
        },
        Act::Fail { terminates, spent } => Action::Fail {
            error: Failure {
                code: "agent.failed".to_owned(),
                message: "it broke".to_owned(),
                retryable: None,
            },
            usage: usage(*spent),
            cost: cost(*spent),
            terminates: *terminates,
        },
    }
}

fn usage(spent: Spent) -> Usage {
    let [
        input_tokens,
        output_tokens,
        cache_read_input_tokens,
        cache_creation_input_tokens,
    ] = spent.tokens;
    Usage {
        input_tokens,
        output_tokens,
        cache_read_input_tokens,
        cache_creation_input_tokens,
    }
}

fn cost(spent: Spent) -> Cost {
    Cost {
        amount: spent.amount(),
        currency: "USD".to_owned(),
    }
}

fn tool_call(call: Call) -> ToolCall {
    ToolCall {
        tool_use_id: ToolUseId::new(call.tool),
        name: format!("use {}", call.tool),
        input: json!({"of": call.tool}),
        kind: call.kind,
        asks: call.asks,
        expires_after: call
            .expires_after
            .map(|seconds| Duration::from_secs(u64::from(seconds))),
        mcp_server_name: (call.kind == ToolKind::Mcp).then(|| "server".to_owned()),
    }
}

fn author(number: u8) -> PrincipalId {
    PrincipalId::from_number(u128::from(number))
}

/// Never the same twice: `caused_by` does not make two answers differ (A-GEN).
fn cause(serial: u64) -> Cause {
    Cause {
        kind: "event".to_owned(),
        event_id: Some(EventId::from_number(u128::from(serial))),
        watch_id: None,
    }
}
