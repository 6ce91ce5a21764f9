//! Steps as a file writes them.

use serde_json::Value;

use super::out::{Map, Out};
use crate::core::payload::{OutcomeResult, RetryStatus, ToolKind};
use crate::scenario::duration;
use crate::scenario::step::{Call, ChildName, Fail, Round, Say, Spend, Step, Trouble};
use crate::scenario::template::Template;

pub(super) fn steps(steps: &[Step]) -> Out {
    Out::List(steps.iter().map(step).collect())
}

fn step(step: &Step) -> Out {
    let (name, value) = match step {
        Step::Use(one) | Step::Call(one) => return call(one),
        Step::Think(lasts) => ("think", time(*lasts)),
        Step::Say(said) => ("say", say(said)),
        Step::Together(calls) => ("together", Out::List(calls.iter().map(call).collect())),
        Step::Ask { prompt, options } => ("ask", ask(prompt, options)),
        Step::Grade(rounds) => ("grade", Out::List(rounds.iter().map(round).collect())),
        Step::Spawn { child, message } => ("spawn", letter(child.clone(), message)),
        Step::Send { to, message } => ("send", letter(child_name(to), message)),
        Step::Report(message) => ("report", template(message)),
        Step::Trouble(told) => ("trouble", trouble(told)),
        Step::LoseRunner(times) => ("lose_runner", Out::Json(Value::from(*times))),
        Step::Fail(failed) => ("fail", fail(failed)),
        Step::Take(duration) => ("take", time(*duration)),
        Step::Spend(spent) => ("spend", spend(spent)),
        Step::Reconcile(settles) => ("reconcile", time(*settles)),
        Step::Stop(reason) => ("stop", Out::text(reason.as_str())),
    };
    Out::only(name, value)
}

fn time(duration: std::time::Duration) -> Out {
    Out::text(duration::write(duration))
}

fn template(template: &Template) -> Out {
    Out::text(template.source())
}

fn say(say: &Say) -> Out {
    if say.deltas == 1 && say.every.is_zero() {
        return template(&say.text);
    }
    let mut map = Map::default();
    map.put("text", template(&say.text));
    map.number("deltas", u64::from(say.deltas));
    map.put("every", time(say.every));
    Out::Map(map)
}

fn call(call: &Call) -> Out {
    let mut map = Map::default();
    map.text("tool", &call.tool);
    if let Some(id) = &call.id {
        map.text("id", id);
    }
    map.map("input", Map::of_json(&call.input));
    let custom = call.kind == ToolKind::Custom;
    if let Some(server) = &call.mcp_server {
        map.text("mcp", server);
    }
    if !custom {
        map.put("result", template(&call.result));
    }
    if call.is_error {
        map.flag("error", true);
    }
    if call.asks {
        map.flag("asks", true);
    }
    if let Some(expires) = call.expires {
        map.put("expires", time(expires));
    }
    for (name, inner) in [("if_denied", &call.if_denied), ("if_error", &call.if_error)] {
        if !inner.is_empty() {
            map.put(name, steps(inner));
        }
    }
    Out::only(if custom { "call" } else { "use" }, Out::Map(map))
}

fn ask(prompt: &Template, options: &[String]) -> Out {
    if options.is_empty() {
        return template(prompt);
    }
    let mut map = Map::default();
    map.put("prompt", template(prompt));
    map.put("options", Out::List(options.iter().map(Out::text).collect()));
    Out::Map(map)
}

fn round(round: &Round) -> Out {
    let mut map = Map::default();
    if !round.steps.is_empty() {
        map.put("steps", steps(&round.steps));
    }
    if !round.takes.is_zero() {
        map.put("takes", time(round.takes));
    }
    let result = match round.result {
        OutcomeResult::Satisfied => "satisfied",
        OutcomeResult::NeedsRevision | OutcomeResult::MaxIterationsReached => "needs_revision",
        OutcomeResult::Failed | OutcomeResult::Interrupted => "failed",
    };
    map.text("result", result);
    if let Some(explanation) = &round.explanation {
        map.text("explanation", explanation);
    }
    Out::Map(map)
}

fn letter(child: String, message: &Template) -> Out {
    let mut map = Map::default();
    map.text("child", &child);
    map.put("message", template(message));
    Out::Map(map)
}

fn child_name(to: &ChildName) -> String {
    match to.number {
        Some(number) => format!("{}#{number}", to.name),
        None => to.name.clone(),
    }
}

fn trouble(trouble: &Trouble) -> Out {
    let mut map = Map::default();
    map.text("type", &trouble.kind);
    map.text("message", &trouble.message);
    let retry = match trouble.retry {
        RetryStatus::Retrying => "retrying",
        RetryStatus::Exhausted => "exhausted",
        RetryStatus::Terminal => "terminal",
    };
    map.text("retry", retry);
    Out::Map(map)
}

fn fail(fail: &Fail) -> Out {
    let mut map = Map::default();
    map.text("code", &fail.code);
    map.text("message", &fail.message);
    if let Some(retryable) = fail.retryable {
        map.flag("retryable", retryable);
    }
    if fail.terminates {
        map.flag("terminates", true);
    }
    Out::Map(map)
}

fn spend(spend: &Spend) -> Out {
    let mut map = Map::default();
    for (name, tokens) in [
        ("input_tokens", spend.input_tokens),
        ("output_tokens", spend.output_tokens),
        ("cache_read_input_tokens", spend.cache_read_input_tokens),
        ("cache_creation_input_tokens", spend.cache_creation_input_tokens),
    ] {
        if tokens > 0 {
            map.number(name, tokens);
        }
    }
    if let Some(micros) = spend.cost_micros {
        map.text(
            "cost",
            &format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000),
        );
    }
    if map.is_empty() {
        map.number("input_tokens", 0);
    }
    Out::Map(map)
}
