//! The bodies that the control listener takes.

use std::time::Duration;

use serde_json::Value;

use super::restart::Restart;
use crate::fault::{Answer, Effect, Fault, Informational, On, Operation};
use crate::http::fields::{Fields, invalid, kind};
#[cfg(feature = "mutants")]
use crate::mutant::Mutant;
use crate::wire::error::ApiError;

/// How long a restart may leave the server down: a day, in milliseconds.
const MAX_DOWN: u64 = 24 * 60 * 60 * 1000;

/// How far time moves at once: 100 years of 365.25 days, in milliseconds. It never goes back.
const MAX_ADVANCE: u64 = 36_525 * 24 * 60 * 60 * 1000;

/// `{"on": {…}, "effect": {"kind": …, …}}`
pub(super) fn fault(body: Value) -> Result<Fault, ApiError> {
    let mut fields = Fields::of(body, "")?;
    let on = match fields.optional("on") {
        Some(on) => target(on)?,
        None => On::any(),
    };
    let effect = effect(fields.required("effect")?)?;
    fields.finish()?;
    let fault = Fault { on, effect };
    match fault.misfit() {
        Some(problem) => Err(invalid("on.operation", problem)),
        None => Ok(fault),
    }
}

fn target(value: Value) -> Result<On, ApiError> {
    let mut fields = Fields::of(value, "on")?;
    let mut on = match fields.optional("operation") {
        Some(name) => On::operation(operation(&fields, name)?),
        None => On::any(),
    };
    if let Some(method) = fields.optional_text("method")? {
        on = on.method(method);
    }
    if let Some(path) = fields.optional_text("path")? {
        on = on.path(path);
    }
    if let Some(session) = fields.optional_text("session")? {
        on = on.session(session);
    }
    if let Some(keyed) = optional_flag(&mut fields, "keyed")? {
        on = on.keyed(keyed);
    }
    if let Some(resumed) = optional_flag(&mut fields, "resumed")? {
        on = on.resumed(resumed);
    }
    if let Some(skip) = optional_count(&mut fields, "skip")? {
        on = on.skip(skip);
    }
    match fields.optional("times") {
        None => {}
        Some(Value::String(word)) if word == "always" => on = on.always(),
        Some(other) => match other.as_u64() {
            Some(times) if times > 0 => on = on.times(times),
            _ => return Err(fields.invalid("times", "must be a whole number from 1 on, or \"always\"")),
        },
    }
    if let Some(value) = fields.optional("probability") {
        let probability = value
            .as_f64()
            .filter(|probability| (0.0..=1.0).contains(probability));
        on = on.probability(
            probability.ok_or_else(|| fields.invalid("probability", "must be a number from 0 to 1"))?,
        );
    }
    fields.finish()?;
    Ok(on)
}

fn operation(fields: &Fields, name: Value) -> Result<Operation, ApiError> {
    let given = serde_json::from_value::<Operation>(name);
    given.map_err(|error| fields.invalid("operation", &format!("names nothing that can be met: {error}")))
}

fn effect(value: Value) -> Result<Effect, ApiError> {
    let Value::Object(mut members) = value else {
        return Err(invalid(
            "effect",
            &format!("must be an object, not {}", kind(&value)),
        ));
    };
    let known = || format!("must be one of {}", Effect::KINDS.join(", "));
    let Some(Value::String(name)) = members.remove("kind") else {
        return Err(invalid("effect.kind", &known()));
    };
    let given = Value::Object(members);
    let effect = Effect::read(&name, given.clone())
        .ok_or_else(|| invalid("effect.kind", &known()))?
        .map_err(|error| {
            // A path of "." is the effect itself: a member is missing or unknown.
            let path = match error.path().to_string() {
                path if path == "." => "effect".to_owned(),
                path => format!("effect.{path}"),
            };
            let problem = error.inner().to_string();
            let choices = choices(&name, given, &problem).unwrap_or_default();
            invalid(&path, &format!("does not fit: {problem}{choices}"))
        })?;
    check(&effect)?;
    Ok(effect)
}

/// What a member that is missing may be: what is said of one that is there and fits nothing.
fn choices(kind: &str, mut effect: Value, problem: &str) -> Option<String> {
    let missing = problem.strip_prefix("missing field `")?.split('`').next()?;
    effect
        .as_object_mut()?
        .insert(missing.to_owned(), Value::from(""));
    let error = Effect::read(kind, effect)?.err()?;
    let said = error.inner().to_string();
    let (_, expected) = said.split_once("expected ")?;
    (error.path().to_string() == missing).then(|| format!(", which is {expected}"))
}

/// What the types alone cannot tell.
fn check(effect: &Effect) -> Result<(), ApiError> {
    match effect {
        Effect::Answer(Answer { status, .. }) if !(200..=999).contains(status) => {
            Err(invalid("effect.status", "must be a number from 200 to 999"))
        }
        Effect::Informational(Informational { status })
            if !(100..=199).contains(status) || *status == 101 =>
        {
            Err(invalid(
                "effect.status",
                "must be a number from 100 to 199, and not 101",
            ))
        }
        Effect::Rate(rate) if rate.bytes == 0 => Err(invalid("effect.bytes", "must be at least 1")),
        _ => Ok(()),
    }
}

/// `{"milliseconds": …}`
pub(super) fn advance(body: Value) -> Result<Duration, ApiError> {
    let mut fields = Fields::of(body, "")?;
    let milliseconds = optional_count(&mut fields, "milliseconds")?;
    let milliseconds = milliseconds.ok_or_else(|| fields.invalid("milliseconds", "is required"))?;
    if milliseconds > MAX_ADVANCE {
        return Err(fields.invalid("milliseconds", "must be at most 3155760000000, 100 years"));
    }
    fields.finish()?;
    Ok(Duration::from_millis(milliseconds))
}

/// `{"mode"?: "graceful" | "abrupt", "down_milliseconds"?: …, "restore"?: …}`
pub(super) fn restart(body: Value) -> Result<Restart, ApiError> {
    let mut fields = Fields::of(body, "")?;
    let mut restart = match fields.optional_text("mode")?.as_deref() {
        None | Some("graceful") => Restart::graceful(),
        Some("abrupt") => Restart::abrupt(),
        Some(_) => return Err(fields.invalid("mode", "must be graceful or abrupt")),
    };
    if let Some(milliseconds) = optional_count(&mut fields, "down_milliseconds")? {
        if milliseconds > MAX_DOWN {
            return Err(fields.invalid("down_milliseconds", "must be at most 86400000, a day"));
        }
        restart = restart.down(Duration::from_millis(milliseconds));
    }
    if let Some(snapshot) = fields.optional_text("restore")? {
        restart = restart.restoring(snapshot);
    }
    fields.finish()?;
    Ok(restart)
}

/// `{"active": ["…"]}`
#[cfg(feature = "mutants")]
pub(super) fn mutants(body: Value) -> Result<Vec<Mutant>, ApiError> {
    let mut fields = Fields::of(body, "")?;
    let Value::Array(names) = fields.required("active")? else {
        return Err(fields.invalid("active", "must be an array of names"));
    };
    fields.finish()?;
    let named = names.iter().enumerate().map(|(index, name)| {
        let found = name.as_str().and_then(Mutant::parse);
        found.ok_or_else(|| {
            let known: Vec<&str> = Mutant::ALL.iter().map(|mutant| mutant.name()).collect();
            invalid(
                &format!("active[{index}]"),
                &format!("must be one of {}", known.join(", ")),
            )
        })
    });
    named.collect()
}

fn optional_flag(fields: &mut Fields, name: &str) -> Result<Option<bool>, ApiError> {
    match fields.optional(name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(flag)),
        Some(other) => Err(fields.invalid(name, &format!("must be a boolean, not {}", kind(&other)))),
    }
}

fn optional_count(fields: &mut Fields, name: &str) -> Result<Option<u64>, ApiError> {
    match fields.optional(name) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None => Err(fields.invalid(name, "must be a whole number from 0 on")),
        },
    }
}
