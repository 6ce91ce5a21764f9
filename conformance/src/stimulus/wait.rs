use serde_json::{Value, json};

use super::{bench::Bench, event::Event, log::Log, look, turn};
use crate::stop::Stop;

/// A turn that stands still because its Agent asked for something.
#[derive(Debug, Clone)]
pub(crate) struct Parked {
    /// The message that started it.
    pub(crate) input: Event,
    /// The calls and Questions that block, oldest first; never empty.
    pub(crate) actions: Vec<Event>,
    pub(crate) log: Log,
}

impl Parked {
    /// Says something and waits until the Agent asked for as many things at least.
    pub(crate) async fn reach(bench: &Bench, session_id: &str, actions: usize) -> Result<Self, Stop> {
        let marker = bench.fresh_name("wait");
        turn::say(bench, session_id, &marker)
            .await
            .map_err(|stop| stop.blocking("srv.append.accepted"))?;
        let found = |log: &Log| {
            let input = turn::find(&log.events, &marker)?.clone();
            let actions = log.above(input.seq).iter().filter(|event| blocks(event));
            Some((input, actions.cloned().collect::<Vec<_>>()))
        };
        let rests = |log: &Log| {
            found(log).is_some_and(|(input, asked)| {
                let above = log.above(input.seq);
                // A turn of one thread that settled without a call makes none any more.
                let over = actions == 1 && above.iter().any(Event::settles_session);
                over || (asked.len() >= actions && look::stands_still(above))
            })
        };
        let looked = look::until(bench, session_id, bench.turn_deadline(), rests).await?;
        let asks_nothing =
            || Stop::Inconclusive("the Agent made no call and asked no Question that blocks".to_owned());
        let log = looked.map_err(|_| asks_nothing())?;
        match found(&log) {
            Some((input, asked)) if asked.len() >= actions => Ok(Self {
                input,
                actions: asked,
                log,
            }),
            _ => Err(asks_nothing()),
        }
    }

    /// The events above the message.
    pub(crate) fn events(&self) -> &[Event] {
        self.log.above(self.input.seq)
    }

    /// The newest of the actions.
    pub(crate) fn action(&self) -> &Event {
        self.actions.last().unwrap_or(&self.input)
    }

    /// The Run that waits.
    pub(crate) fn run_id(&self) -> Result<&str, Stop> {
        let named = self.action().run_id().or_else(|| self.input.run_id());
        named.ok_or_else(|| Stop::Inconclusive("neither the call nor its message names a Run".to_owned()))
    }
}

/// Whether this is a Question, or a call that needs something from outside.
pub(crate) fn blocks(event: &Event) -> bool {
    let says = |pointer: &str, text: &str| event.payload(pointer) == Some(&Value::from(text));
    match event.kind.as_str() {
        "agent.question" => event.payload("/question_id").is_some(),
        "agent.tool_use" => {
            event.payload("/tool_use_id").is_some()
                && (is_custom(event) || says("/evaluated_permission", "ask"))
        }
        _ => false,
    }
}

/// Whether the application executes the tool that is called.
pub(crate) fn is_custom(action: &Event) -> bool {
    action.payload("/kind") == Some(&Value::from("custom"))
}

/// The answer that lets this action go on.
pub(crate) fn fitting(bench: &Bench, action: &Event) -> Value {
    if action.kind == "agent.question" {
        return answer(bench, action, first_option(action));
    }
    match action.payload("/evaluated_permission").and_then(Value::as_str) {
        Some("ask") => confirmation(bench, action, "allow"),
        _ => result(bench, action, &json!({"order": "open"})),
    }
}

/// An answer to a Question.
pub(crate) fn answer(bench: &Bench, action: &Event, text: &str) -> Value {
    let id = action.payload("/question_id").cloned().unwrap_or_default();
    signed(
        bench,
        "user.question_answer",
        json!({"question_id": id, "answer": text}),
    )
}

/// A decision about a call.
pub(crate) fn confirmation(bench: &Bench, action: &Event, decision: &str) -> Value {
    signed(bench, "user.tool_confirmation", call(action, &decision.into()))
}

/// The result of a call that the application executed.
pub(crate) fn result(bench: &Bench, action: &Event, result: &Value) -> Value {
    signed(bench, "user.custom_tool_result", call(action, result))
}

/// An event authored by the target's principal.
pub(crate) fn signed(bench: &Bench, kind: &str, mut payload: Value) -> Value {
    payload["authored_by"] = bench.target.principal.as_str().into();
    payload["caused_by"] = json!({"kind": "api"});
    json!({"type": kind, "payload": payload})
}

fn call(action: &Event, result: &Value) -> Value {
    let id = action.payload("/tool_use_id").cloned().unwrap_or_default();
    json!({"tool_use_id": id, "result": result})
}

fn first_option(question: &Event) -> &str {
    let option = question.payload("/options/0").and_then(Value::as_str);
    option.unwrap_or("yes")
}
