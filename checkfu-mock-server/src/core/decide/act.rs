//! What an Agent does, as events.

use super::message::{is_busy, start_run_of_report};
use super::rest::{self, agent_name};
use super::resume::proceed;
use super::step_end::{complete, fail, lose_runner};
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::ThreadId;
use crate::core::payload::{
    AgentMessage, AgentQuestion, AgentToolResult, AgentToolUse, ApprovalRequested, Block, Empty, Evaluated,
    EvaluationStarted, OutcomeResult, Permission, RetryStatus, RunCreated, RunWaiting, SessionError,
    SessionErrorDetail, Subject, ThreadCreated, ThreadMessageReceived, ThreadMessageSent, ToolKind, Trigger,
    TriggerKind, Wait,
};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::step::{Action, ToolCall};

/// One action of a Run that executes.
pub(super) fn act(batch: &mut Batch<'_>, run: &Run, action: Action) -> Result<(), Refusal> {
    match action {
        Action::Think { event_id } => {
            batch.of_run_as(event_id, run, EventData::AgentThinking(Empty {}));
        }
        Action::Say { event_id, content } => {
            batch.of_run_as(event_id, run, EventData::AgentMessage(AgentMessage { content }));
        }
        Action::UseTool(call) => use_tool(batch, run, &call),
        Action::ToolResult {
            tool_use_id,
            content,
            is_error,
        } => {
            let result = AgentToolResult {
                tool_use_id,
                content,
                is_error: is_error.then_some(true),
            };
            batch.of_run(run, EventData::AgentToolResult(result));
        }
        Action::Block(calls) => return block(batch, run, calls),
        Action::Ask {
            question_id,
            prompt,
            options,
        } => {
            let wait = Wait::Question {
                generation: batch
                    .session()
                    .waits
                    .next_generation(&run.thread_id, &Subject::Question(question_id.clone())),
                question_id: question_id.clone(),
            };
            let question = AgentQuestion {
                question_id,
                prompt,
                options,
            };
            batch.of_run(run, EventData::AgentQuestion(question));
            wait_for(batch, run, wait);
            return park(batch, run);
        }
        Action::AwaitGrader => return await_grader(batch, run),
        Action::Grade { .. } => return Err(Refusal::StaleStep),
        Action::Spawn {
            thread_id,
            agent_name,
            content,
        } => return spawn(batch, run, thread_id, agent_name, content),
        Action::Send { to, content } => send(batch, run, &to, content),
        Action::Report { content } => return report(batch, run, content),
        Action::Trouble(error) => {
            batch.of_run(run, EventData::SessionError(SessionError { error }));
        }
        Action::LoseRunner => return lose_runner(batch, run),
        Action::Reconcile => {
            if !batch.session().is_primary(&run.thread_id) {
                return Err(Refusal::StaleStep);
            }
            return batch.become_status(Some(&run.id), EventData::StatusReconciling(Empty {}));
        }
        Action::Complete {
            usage,
            cost,
            stop_reason,
        } => return complete(batch, run, usage, cost, stop_reason),
        Action::Fail {
            error,
            usage,
            cost,
            terminates,
        } => return fail(batch, run, error, Some((usage, cost)), terminates),
    }
    Ok(())
}

/// A-OUT: the grader's judgement resolves the wait; out of tries, a demand for revision is the last word.
pub(super) fn grade(
    batch: &mut Batch<'_>,
    run: &Run,
    result: OutcomeResult,
    explanation: Option<String>,
) -> Result<(), Refusal> {
    let outcome = run.outcome.as_ref().ok_or(Refusal::StaleStep)?;
    let open = batch
        .session()
        .waits
        .open_of(&run.id)
        .next()
        .map(|record| record.wait.clone());
    let wait = open.ok_or(Refusal::StaleStep)?;
    let result = match result {
        OutcomeResult::NeedsRevision if outcome.iteration >= outcome.max_iterations => {
            OutcomeResult::MaxIterationsReached
        }
        other => other,
    };
    let evaluated = Evaluated {
        outcome_id: outcome.id.clone(),
        iteration: outcome.iteration,
        result,
        explanation,
    };
    batch.of_run(run, EventData::Evaluated(evaluated));
    proceed(batch, &run.id, wait)
}

fn use_tool(batch: &mut Batch<'_>, run: &Run, call: &ToolCall) {
    let used = AgentToolUse {
        tool_use_id: call.tool_use_id.clone(),
        name: call.name.clone(),
        input: call.input.clone(),
        kind: call.kind,
        evaluated_permission: if call.asks {
            Permission::Ask
        } else {
            Permission::Allow
        },
        mcp_server_name: call.mcp_server_name.clone(),
    };
    batch.of_run(run, EventData::AgentToolUse(used));
}

/// WAIT-1, A-PARK: each call, its request for an approval, its wait; then the boundary.
fn block(batch: &mut Batch<'_>, run: &Run, calls: Vec<ToolCall>) -> Result<(), Refusal> {
    if calls.is_empty()
        || calls
            .iter()
            .any(|call| !call.asks && call.kind != ToolKind::Custom)
    {
        return Err(Refusal::StaleStep);
    }
    for call in calls {
        use_tool(batch, run, &call);
        let subject = Subject::Tool(call.tool_use_id.clone());
        let generation = batch.session().waits.next_generation(&run.thread_id, &subject);
        let tool_use_id = call.tool_use_id;
        if !call.asks {
            wait_for(
                batch,
                run,
                Wait::CustomTool {
                    tool_use_id,
                    generation,
                },
            );
            continue;
        }
        let requested = ApprovalRequested {
            approval_id: batch.fresh(),
            tool_use_id: tool_use_id.clone(),
            session_thread_id: run.thread_id.clone(),
            name: call.name,
            input: call.input,
            expires_at: call.expires_after.map(|after| batch.now().plus(after)),
        };
        batch.of_run(run, EventData::ApprovalRequested(requested));
        wait_for(
            batch,
            run,
            Wait::ActionApproval {
                tool_use_id,
                generation,
            },
        );
    }
    park(batch, run)
}

fn await_grader(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    let outcome = run.outcome.as_ref().ok_or(Refusal::StaleStep)?;
    let started = EvaluationStarted {
        outcome_id: outcome.id.clone(),
        iteration: outcome.iteration + 1,
    };
    batch.of_run(run, EventData::EvaluationStarted(started));
    let wait = Wait::Outcome {
        generation: batch
            .session()
            .waits
            .next_generation(&run.thread_id, &Subject::Outcome(outcome.id.clone())),
        outcome_id: outcome.id.clone(),
    };
    wait_for(batch, run, wait);
    park(batch, run)
}

fn wait_for(batch: &mut Batch<'_>, run: &Run, wait: Wait) {
    let waiting = RunWaiting {
        wait,
        continuation: run.continuation,
    };
    batch.of_run(run, EventData::RunWaiting(waiting));
}

fn park(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if batch.session().is_primary(&run.thread_id) {
        rest::boundary(batch, Some(&run.id))
    } else {
        rest::rest_child(batch, &run.thread_id, &run.id, "requires_action")
    }
}

/// MUL-1, THR-2: the child, its first message and its Run are in the log; the coordinator goes on at once.
fn spawn(
    batch: &mut Batch<'_>,
    run: &Run,
    thread: ThreadId,
    name: String,
    content: Vec<Block>,
) -> Result<(), Refusal> {
    let session = batch.session();
    let known = session.thread(&thread).is_some() || !session.admission.roster.contains_key(&name);
    if known || !session.is_primary(&run.thread_id) {
        return Err(Refusal::StaleStep);
    }
    let created = ThreadCreated {
        session_thread_id: thread.clone(),
        agent_name: name,
        parent_thread_id: run.thread_id.clone(),
    };
    batch.on_thread(&thread, Some(&run.id), EventData::ThreadCreated(created));
    deliver(batch, run, &thread, content);
    Ok(())
}

/// To a child that has ended nothing can be sent: that is trouble, and settles nothing.
fn send(batch: &mut Batch<'_>, run: &Run, to: &ThreadId, content: Vec<Block>) {
    let live = batch.session().thread(to).is_some_and(|thread| thread.is_live());
    if live && !batch.session().is_primary(to) {
        deliver(batch, run, to, content);
        return;
    }
    let error = SessionErrorDetail {
        r#type: "unknown_error".to_owned(),
        message: format!("nothing can be sent to the thread {}", to.as_str()),
        retry_status: RetryStatus::Terminal,
    };
    batch.of_run(run, EventData::SessionError(SessionError { error }));
}

/// A-VIEW: messages between threads carry the child's thread and stand in both views.
fn deliver(batch: &mut Batch<'_>, run: &Run, child: &ThreadId, content: Vec<Block>) {
    let sent = ThreadMessageSent {
        to_session_thread_id: child.clone(),
        to_agent_name: agent_name(batch, child),
        content: content.clone(),
    };
    batch.on_thread(child, Some(&run.id), EventData::ThreadMessageSent(sent));
    let child_run = batch.fresh();
    let received = ThreadMessageReceived {
        from_session_thread_id: run.thread_id.clone(),
        from_agent_name: agent_name(batch, &run.thread_id),
        content,
    };
    let event_id = batch.on_thread(
        child,
        Some(&child_run),
        EventData::ThreadMessageReceived(received),
    );
    let created = RunCreated {
        trigger: Trigger {
            kind: TriggerKind::Message,
            event_id,
        },
        continues_run_id: None,
    };
    batch.on_thread(child, Some(&child_run), EventData::RunCreated(created));
}

fn report(batch: &mut Batch<'_>, run: &Run, content: Vec<Block>) -> Result<(), Refusal> {
    let primary = batch.session().primary().clone();
    if run.thread_id == primary {
        return Err(Refusal::StaleStep);
    }
    let sent = ThreadMessageSent {
        to_session_thread_id: primary.clone(),
        to_agent_name: agent_name(batch, &primary),
        content: content.clone(),
    };
    batch.of_run(run, EventData::ThreadMessageSent(sent));
    let woken = batch.fresh();
    let busy = is_busy(batch);
    let received = ThreadMessageReceived {
        from_session_thread_id: run.thread_id.clone(),
        from_agent_name: agent_name(batch, &run.thread_id),
        content,
    };
    let event = batch.on_thread(
        &run.thread_id,
        Some(&woken),
        EventData::ThreadMessageReceived(received),
    );
    start_run_of_report(batch, woken, event, busy)
}
