use serde_json::Value;

use crate::{
    json,
    stimulus::{
        event::Event,
        text::{Difference, difference},
    },
    stop::Stop,
    wire::exchange::Exchange,
};

/// The answer has exactly this status.
pub(crate) fn status(answer: &Exchange, expected: u16) -> Result<(), Stop> {
    that(
        answer.status() == expected,
        answer,
        format!("status {expected}"),
        format!("status {}", answer.status()),
    )
}

/// The answer is a success of any kind.
pub(crate) fn success(answer: &Exchange) -> Result<(), Stop> {
    let actual = format!("status {}", answer.status());
    that(
        (200..300).contains(&answer.status()),
        answer,
        "a 2xx status",
        actual,
    )
}

/// The answer refuses the request and leaves no doubt that the same request again would be refused too.
pub(crate) fn refused_for_good(answer: &Exchange) -> Result<(), Stop> {
    let actual = format!("status {}", answer.status());
    let final_status = (400..500).contains(&answer.status()) && answer.status() != 429;
    that(final_status, answer, "a 4xx status other than 429", actual)?;
    let retryable = json(answer)
        .ok()
        .and_then(|body| body.pointer("/error/retryable").cloned());
    that(
        retryable != Some(Value::Bool(true)),
        answer,
        "an error that is not retryable",
        "error.retryable is true",
    )
}

/// The answer refuses the request with this status and this error code.
pub(crate) fn error(answer: &Exchange, expected: u16, code: &str) -> Result<Value, Stop> {
    status(answer, expected)?;
    let body = json(answer)?;
    let actual = string(answer, &body, "/error/code")?.to_owned();
    that(
        actual == code,
        answer,
        format!("error code {code}"),
        format!("error code {actual}"),
    )?;
    Ok(body)
}

/// The whole body as JSON.
pub(crate) fn json(answer: &Exchange) -> Result<Value, Stop> {
    let actual = format!("a body cut off after {} bytes", answer.body().len());
    that(answer.is_complete(), answer, "a complete body", actual)?;
    let coding = answer.header("content-encoding").unwrap_or("identity");
    that(
        coding.eq_ignore_ascii_case("identity"),
        answer,
        "a body without a content coding, since the request says accept-encoding: identity",
        format!("content-encoding: {coding}"),
    )?;
    json::read(answer.body()).map_err(|error| {
        Stop::fail(
            "a JSON body",
            format!("a body that is not JSON ({error})"),
            answer,
        )
    })
}

/// The member at this pointer, which has to be there.
pub(crate) fn member<'v>(answer: &Exchange, value: &'v Value, pointer: &str) -> Result<&'v Value, Stop> {
    value
        .pointer(pointer)
        .ok_or_else(|| Stop::fail(format!("a member {pointer}"), "none", answer))
}

/// The string at this pointer.
pub(crate) fn string<'v>(answer: &Exchange, value: &'v Value, pointer: &str) -> Result<&'v str, Stop> {
    let found = member(answer, value, pointer)?;
    found
        .as_str()
        .ok_or_else(|| Stop::fail(format!("a string at {pointer}"), found.to_string(), answer))
}

/// Two values that have to be equal.
pub(crate) fn equal(answer: &Exchange, what: &str, expected: &Value, actual: &Value) -> Result<(), Stop> {
    that(
        expected == actual,
        answer,
        format!("{what} to be {expected}"),
        actual.to_string(),
    )
}

/// Two runs of events that have to be equal, envelope by envelope.
pub(crate) fn same_events(
    answer: &Exchange,
    what: &str,
    expected: &[Event],
    actual: &[Event],
) -> Result<(), Stop> {
    for (position, event) in expected.iter().enumerate() {
        match actual.get(position) {
            Some(other) if other.raw == event.raw => {}
            Some(other) => {
                let place = format!("{what}: event {} of {}", position + 1, expected.len());
                let (wanted, found) = told_apart(event, other, expected);
                return Err(Stop::fail(format!("{place} to be {wanted}"), found, answer));
            }
            None => {
                return Err(Stop::fail(
                    format!(
                        "{what}: {} events, the next one seq {} ({})",
                        expected.len(),
                        event.seq,
                        event.kind
                    ),
                    format!("only {} events", actual.len()),
                    answer,
                ));
            }
        }
    }
    let surplus = actual
        .get(expected.len())
        .map(|event| event.raw.to_string())
        .unwrap_or_default();
    that(
        actual.len() <= expected.len(),
        answer,
        format!("{what}: nothing more than {} events", expected.len()),
        surplus,
    )
}

/// Two events that are not the same, each in a few words, the second with a word on whether it is expected at all.
fn told_apart(event: &Event, other: &Event, expected: &[Event]) -> (String, String) {
    let named = |event: &Event| format!("seq {} ({}, {})", event.seq, event.kind, event.id);
    if (event.seq, &event.id) != (other.seq, &other.id) {
        let known = expected.iter().any(|event| event.seq == other.seq);
        let lacks = match known {
            true => "",
            false => ", which the other view lacks",
        };
        return (named(event), format!("{}{lacks}", named(other)));
    }
    let shown = |difference: &Difference, value: &str| format!("{}, {} {value}", named(event), difference.at);
    match difference(&event.raw, Some(&other.raw)) {
        Some(found) => (shown(&found, &found.sent), shown(&found, &found.kept)),
        // It has more than that.
        None => match difference(&other.raw, Some(&event.raw)) {
            Some(surplus) => (
                format!("{} without {}", named(event), surplus.at),
                shown(&surplus, &surplus.sent),
            ),
            None => (event.raw.to_string(), other.raw.to_string()),
        },
    }
}

/// Events of exactly these types, in this order.
pub(crate) fn kinds(evidence: &Exchange, events: &[Event], expected: &[&str]) -> Result<(), Stop> {
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    that(kinds == expected, evidence, expected.join(", "), kinds.join(", "))
}

/// No settlement among these events, neither of a Run nor of the Session.
pub(crate) fn unsettled(events: &[Event], evidence: &Exchange) -> Result<(), Stop> {
    for event in events {
        let actual = format!("{} at seq {}", event.kind, event.seq);
        that(
            !event.settles_run(),
            evidence,
            "no end of a Run while an action is open",
            &actual,
        )?;
        that(
            !event.settles_session(),
            evidence,
            "no settlement of the turn while an action is open",
            &actual,
        )?;
    }
    Ok(())
}

/// Anything else that has to hold.
pub(crate) fn that(
    holds: bool,
    answer: &Exchange,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> Result<(), Stop> {
    if holds {
        Ok(())
    } else {
        Err(Stop::fail(expected, actual, answer))
    }
}
