use std::{collections::HashMap, sync::Mutex};

use checkfu_conformance::model::{Property, anomaly};
use checkfu_conformance::prove::{Answer, Call, Frame, Mutant};
use serde_json::{Value, json};

const KEY: &str = "idempotency-key";

/// Servers that break a promise, each with the anomaly that has to be found.
pub(super) fn servers() -> Vec<(&'static str, Mutant)> {
    let mut servers = reads();
    servers.extend(streams());
    servers.extend(writes());
    servers.extend(forks());
    servers.extend(turns());
    servers
}

pub(super) fn property(name: &str) -> Property {
    anomaly(name).unwrap().property
}

fn reads() -> Vec<(&'static str, Mutant)> {
    let walks = Counted::default();
    let stale = Counted::default();
    vec![
        (
            "nonmonotonic",
            listing("lists-out-of-order", |_, events| events.swap(1, 2)),
        ),
        (
            "rewritten",
            listing("rewrites-what-it-listed", move |call, events| {
                if walks.next(&call.path) > 2 {
                    events[2]["payload"]["rewritten"] = true.into();
                }
            }),
        ),
        (
            "missing-in-list",
            listing("lists-no-second-event", |_, events| {
                events.retain(|event| event["seq"] != 2)
            }),
        ),
        (
            "nonmonotonic-poll",
            Mutant::new("lists-from-a-lagging-replica").answer(move |call, answer| {
                if is_list(call) && call.parameter("limit") == Some("1000") && stale.next(&call.path) % 2 == 1
                {
                    answer.edit(|page| {
                        page["next_page"] = Value::Null;
                        page["data"].as_array_mut().unwrap().truncate(1);
                    });
                }
            }),
        ),
        (
            "page-gap",
            Mutant::new("next-page-skips-one").answer(|call, answer| {
                if is_list(call) && call.parameter("page").is_some() {
                    answer.edit_events(|events| drop(events.drain(..events.len().min(1))));
                }
            }),
        ),
    ]
}

fn streams() -> Vec<(&'static str, Mutant)> {
    vec![
        (
            "inconsistent-seq",
            Mutant::new("streams-other-numbers").frame(|_, _, mut frame| {
                if let seq @ (2 | 3) = frame.seq() {
                    let other = 5 - seq;
                    frame.set("id", other);
                    frame.edit(|event| event["seq"] = other.into());
                }
                vec![frame]
            }),
        ),
        (
            "missing-in-stream",
            Mutant::new("streams-no-third-event").frame(|_, _, frame| kept(frame.seq() != 3, frame)),
        ),
        (
            "resume-gap",
            Mutant::new("resumes-one-too-late").request(|call| {
                if let Some(cursor) = call.cursor() {
                    call.set_header("last-event-id", cursor + 1);
                }
            }),
        ),
        (
            "cursor-ahead",
            Mutant::new("announces-before-it-delivers").frame(|_, _, frame| {
                let announced = Frame::read(&format!("id: {}", frame.seq()));
                if frame.seq() > 0 {
                    vec![announced, frame]
                } else {
                    vec![frame]
                }
            }),
        ),
        (
            "preview-hides-event",
            Mutant::new("previews-replace-the-message").frame(|call, _, frame| {
                let hidden = call.parameter("event_deltas").is_some() && frame.kind() == "agent.message";
                kept(!hidden, frame)
            }),
        ),
    ]
}

fn writes() -> Vec<(&'static str, Mutant)> {
    let (lost, denied) = (Counted::default(), Counted::default());
    let delayed: Mutex<HashMap<String, Call>> = Mutex::default();
    let (later, delayed) = {
        let delayed = std::sync::Arc::new(delayed);
        (std::sync::Arc::clone(&delayed), delayed)
    };
    let count = Counted::default();
    vec![
        (
            "lost-write",
            Mutant::new("acknowledges-and-forgets").instead(move |call| {
                (is_message(call) && lost.next("") % 3 == 0)
                    .then(|| Answer::new(202, "application/json", "{}"))
            }),
        ),
        (
            "lost-write",
            Mutant::new("acknowledges-interrupts-and-forgets").instead(|call| {
                let interrupts = call.is_append() && call.json()["type"] == "user.interrupt";
                // The clean-up has no key.
                (interrupts && call.headers.contains_key(KEY))
                    .then(|| Answer::new(202, "application/json", "{}"))
            }),
        ),
        (
            "altered-write",
            Mutant::new("keeps-nothing-but-the-marker").request(|call| {
                let mut body = call.json();
                let text = body.pointer("/payload/content/0/text").and_then(Value::as_str);
                let marker = text.and_then(|text| Some(text[text.rfind('(')?..].to_owned()));
                if let Some(marker) = marker.filter(|_| is_message(call)) {
                    body["payload"]["content"][0]["text"] = marker.into();
                    call.set_json(&body);
                }
            }),
        ),
        (
            "acknowledged-otherwise",
            Mutant::new("acknowledges-another-author").answer(|call, answer| {
                if call.is_append() && answer.status == 202 {
                    answer.edit(|event| event["payload"]["authored_by"] = "prin_other".into());
                }
            }),
        ),
        (
            "bare-acknowledgement",
            Mutant::new("acknowledges-without-an-envelope").answer(|call, answer| {
                if call.is_append() && answer.status == 202 {
                    *answer = Answer::new(202, "application/json", "{}");
                }
            }),
        ),
        (
            "aborted-read",
            Mutant::new("refuses-what-it-did").answer(move |call, answer| {
                if is_message(call) && answer.status == 202 && denied.next("") % 3 == 0 {
                    *answer = Answer::new(400, "application/json", "{}");
                }
            }),
        ),
        (
            "duplicate-on-retry",
            Mutant::new("ignores-keys").request(|call| drop(call.headers.remove(KEY))),
        ),
        (
            "duplicate",
            Mutant::new("appends-twice")
                .also(|call, status| (is_message(call) && status == 202).then(|| without_key(call))),
        ),
        (
            "realtime-order",
            Mutant::new("appends-when-the-next-one-comes")
                .instead(move |call| {
                    let holds = is_message(call) && count.next(&call.path) % 2 == 0;
                    holds.then(|| {
                        delayed.lock().unwrap().insert(call.path.clone(), call.clone());
                        Answer::new(202, "application/json", "{}")
                    })
                })
                .also(move |call, status| match call.is_append() && status == 202 {
                    true => later.lock().unwrap().remove(&call.path),
                    false => None,
                }),
        ),
        (
            "refusal-had-effect",
            Mutant::new("interrupts-though-it-refuses").also(|call, status| {
                let mut interrupt = without_key(call);
                let mut body = call.json();
                let payload = body["payload"].take();
                let (author, cause) = (&payload["authored_by"], &payload["caused_by"]);
                let wrong = call.is_append() && status == 404 && author.is_string();
                interrupt.set_json(&json!({
                    "type": "user.interrupt",
                    "payload": {"authored_by": author, "caused_by": cause},
                }));
                wrong.then_some(interrupt)
            }),
        ),
    ]
}

fn forks() -> Vec<(&'static str, Mutant)> {
    vec![
        (
            "fork-prefix",
            Mutant::new("forks-one-too-early").request(|call| {
                let mut body = call.json();
                if let Some(seq) = body
                    .pointer("/from/seq")
                    .and_then(Value::as_u64)
                    .filter(|seq| *seq > 1)
                {
                    body["from"]["seq"] = (seq - 1).into();
                    call.set_json(&body);
                }
            }),
        ),
        (
            "fork-leak",
            Mutant::new("forks-the-head-whatever-is-asked").request(|call| {
                if call.is_fork() && call.json().pointer("/from/seq").is_some() {
                    call.set_json(&json!({}));
                }
            }),
        ),
    ]
}

fn turns() -> Vec<(&'static str, Mutant)> {
    vec![
        (
            "work-after-settlement",
            renaming("works-on-after-the-end", |event| {
                if event["type"] == "session.usage" {
                    event["type"] = "agent.message".into();
                }
            }),
        ),
        (
            "unsettled",
            renaming("never-settles", |event| {
                if event["type"] == "session.status_idle" {
                    event["type"] = "session.resting".into();
                }
            }),
        ),
    ]
}

/// How often something was asked for.
#[derive(Default)]
struct Counted(Mutex<HashMap<String, usize>>);

impl Counted {
    fn next(&self, what: &str) -> usize {
        let mut counts = self.0.lock().unwrap();
        let count = counts.entry(what.to_owned()).or_default();
        *count += 1;
        *count
    }
}

fn is_list(call: &Call) -> bool {
    call.is_list() && call.thread().is_none()
}

fn is_message(call: &Call) -> bool {
    call.is_append() && call.json()["type"] == "user.message"
}

fn without_key(call: &Call) -> Call {
    let mut again = call.clone();
    again.headers.remove(KEY);
    again
}

fn kept(keeps: bool, frame: Frame) -> Vec<Frame> {
    if keeps { vec![frame] } else { Vec::new() }
}

/// Changes pages with more than three events.
fn listing(name: &'static str, change: impl Fn(&Call, &mut Vec<Value>) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if is_list(call) && answer.status == 200 {
            answer.edit_events(|events| {
                if events.len() > 3 {
                    change(call, events);
                }
            });
        }
    })
}

/// Changes every event wherever it is read.
fn renaming(name: &'static str, change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> Mutant {
    let on_stream = change.clone();
    Mutant::new(name)
        .answer(move |call, answer| {
            if is_list(call) && answer.status == 200 {
                answer.edit_events(|events| events.iter_mut().for_each(&change));
            }
        })
        .frame(move |_, _, mut frame| {
            frame.edit(&on_stream);
            vec![frame]
        })
}
