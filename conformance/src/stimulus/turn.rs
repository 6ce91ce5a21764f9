use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{bench::Bench, event::Event, log::Log, session};
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// How long to wait between two looks at the list.
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// A message and what the Session made of it.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// The message as the log shows it.
    pub(crate) input: Event,
    /// The whole log once the turn had settled.
    pub(crate) log: Log,
}

impl Turn {
    /// The events above the input.
    pub(crate) fn events(&self) -> &[Event] {
        self.log.above(self.input.seq)
    }
}

/// A message body, authored by the target's principal, that `marker` makes recognisable.
pub(crate) fn message(bench: &Bench, marker: &str) -> Value {
    message_saying(bench, &format!("Say hello in a few words. ({marker})"))
}

/// A message body of this text, authored by the target's principal.
pub(crate) fn message_saying(bench: &Bench, text: &str) -> Value {
    input(
        bench,
        "user.message",
        json!({"content": [{"type": "text", "text": text}]}),
    )
}

/// An input of this kind, authored by the target's principal.
pub(crate) fn input(bench: &Bench, kind: &str, mut payload: Value) -> Value {
    payload["authored_by"] = bench.target.principal.as_str().into();
    payload["caused_by"] = json!({"kind": "api"});
    json!({"type": kind, "payload": payload})
}

/// Appends a message, which has to be accepted.
pub(crate) async fn say(bench: &Bench, session_id: &str, marker: &str) -> Result<Arc<Exchange>, Stop> {
    let request = Request::post(session::events(session_id), &message(bench, marker));
    let answer = bench.mutate(request).await?;
    expect::success(&answer)?;
    Ok(answer)
}

/// Appends a message and watches the list until its turn has settled.
pub(crate) async fn drive(bench: &Bench, session_id: &str) -> Result<Turn, Stop> {
    let marker = bench.fresh_name("turn");
    say(bench, session_id, &marker).await?;
    settle(bench, session_id, &marker).await
}

/// Watches the list until the turn of the message with this marker has settled.
pub(crate) async fn settle(bench: &Bench, session_id: &str, marker: &str) -> Result<Turn, Stop> {
    let deadline = bench.turn_deadline();
    loop {
        let log = Log::read(bench, session_id).await?;
        let input = find(&log.events, marker).cloned();
        if let Some(input) = &input
            && log.above(input.seq).iter().any(Event::settles_session)
        {
            return Ok(Turn {
                input: input.clone(),
                log,
            });
        }
        if Instant::now() >= deadline {
            return Err(unsettled(bench, &log, input.as_ref()));
        }
        sleep(BETWEEN_LOOKS).await;
    }
}

/// The message with this marker.
pub(crate) fn find<'l>(events: &'l [Event], marker: &str) -> Option<&'l Event> {
    events.iter().find(|event| is_marked(event, marker))
}

/// Whether this is a message with this marker.
pub(crate) fn is_marked(event: &Event, marker: &str) -> bool {
    let content = event.payload("/content").filter(|_| event.kind == "user.message");
    // The parenthesis ends the marker, so that number 1 is not found in number 10.
    content.is_some_and(|content| content.to_string().contains(&format!("({marker})")))
}

/// The newest message that has no marker of the suite, as the end of a sentence: perhaps what was sent, changed.
pub(crate) fn unmarked(log: &Log) -> String {
    let has_none = |event: &&Event| {
        let content = event.payload("/content").filter(|_| event.kind == "user.message");
        content.is_some_and(|content| !content.to_string().contains("(conformance-"))
    };
    match log.events.iter().rev().find(has_none) {
        Some(event) => {
            let content = event
                .payload("/content")
                .map(Value::to_string)
                .unwrap_or_default();
            format!("; seq {} is a message whose content is {content}", event.seq)
        }
        None => String::new(),
    }
}

fn unsettled(bench: &Bench, log: &Log, input: Option<&Event>) -> Stop {
    let within = bench.limits.turn;
    let Some(input) = input else {
        return Stop::fail(
            "the accepted message in the list",
            format!("not within {within:?}{}", unmarked(log)),
            &log.evidence,
        );
    };
    match log.above(input.seq).iter().find(|event| event.settles_run()) {
        Some(run) => Stop::fail(
            format!("a Session settlement above seq {}", input.seq),
            format!(
                "{} at seq {}, and no settlement within {within:?}",
                run.kind, run.seq
            ),
            &log.evidence,
        ),
        None => Stop::Inconclusive(format!(
            "the turn did not settle within {within:?}; --turn-timeout gives it more"
        )),
    }
}
