//! Servers that fail where two promises meet: previews and cursors, children and limits, a third turn.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::children::Children;
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [previews(), children(), turns(), answers()]
        .into_iter()
        .flatten()
        .collect()
}

fn previews() -> Vec<Mutant> {
    let asks = |call: &Call| call.is_stream() && call.parameter("event_deltas").is_some();
    vec![
        Mutant::new("previews-drop-the-cursor")
            .request(move |call| {
                if asks(call) {
                    call.headers.remove("last-event-id");
                }
            })
            .kills("srv.preview.resumes", "the stream with previews after"),
        Mutant::new("previews-skip-one")
            .request(move |call| {
                if let Some(cursor) = call.cursor().filter(|_| asks(call)) {
                    call.set_header("last-event-id", cursor + 1);
                }
            })
            .kills("srv.preview.resumes", "the stream with previews after"),
        Mutant::new("resumed-previews-with-an-id-line")
            .frame(|call, _, mut frame| {
                if frame.is_preview() && call.cursor().is_some() {
                    frame.0.insert(0, "id: 999999".to_owned());
                }
                vec![frame]
            })
            .kills("srv.preview.resumed-uncursored", "without an id line"),
        Mutant::new("resumed-previews-with-a-seq")
            .frame(|call, _, mut frame| {
                if frame.is_preview() && call.cursor().is_some() {
                    frame.edit(|preview| preview.put("/seq", 7.into()));
                }
                vec![frame]
            })
            .kills("srv.preview.resumed-uncursored", "without a seq"),
    ]
}

fn children() -> Vec<Mutant> {
    let (short, inclusive) = (Children::default(), Children::default());
    let (shorts, inclusives) = (short.clone(), inclusive.clone());
    vec![
        Mutant::new("child-pages-lose-their-last")
            .answer(move |call, answer| {
                shorts.learn(call, answer);
                if call.is_thread_events() && short.has(call.thread()) && call.parameter("limit") == Some("3")
                {
                    answer.edit_events(|events| drop(events.pop()));
                }
            })
            .kills("srv.thread.child-pages", "the child's walk with pages of 3"),
        Mutant::new("child-after-is-inclusive")
            .answer(move |call, answer| inclusives.learn(call, answer))
            .request(move |call| {
                let after = call
                    .parameter("after")
                    .and_then(|after| after.parse::<u64>().ok());
                if let Some(after) = after.filter(|_| call.is_thread_events() && inclusive.has(call.thread()))
                {
                    call.set_parameter("after", after.saturating_sub(1));
                }
            })
            .kills("srv.thread.child-pages", "the child's page of at most 1"),
        Mutant::new("interrupts-every-child")
            .request(|call| {
                let mut body = call.json();
                if is_interrupt(&body) {
                    body.drop_at("/payload/session_thread_id");
                    call.set_json(&body);
                }
            })
            .kills("srv.interrupt.one-child", "still waiting"),
        Mutant::new("interrupts-no-child")
            .request(|call| {
                let mut body = call.json();
                if is_interrupt(&body) {
                    body.put("/type", "user.message".into());
                    body.put("/payload/content", "never mind".into());
                    body.drop_at("/payload/session_thread_id");
                    call.set_json(&body);
                }
            })
            .kills("srv.interrupt.one-child", "run.canceled of"),
    ]
}

fn is_interrupt(body: &Value) -> bool {
    body["type"] == "user.interrupt" && body["payload"]["session_thread_id"].is_string()
}

fn turns() -> Vec<Mutant> {
    vec![
        from_the_third("third-turn-ends-another-run", |end| {
            end.put("/run_id", json!(format!("run_{:032x}", 3)));
        }),
        from_the_third("third-turn-ends-no-run", |end| {
            end.put("/type", "run.ended".into())
        }),
    ]
}

/// Changes how Runs complete from the third message of a Session on.
fn from_the_third(name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name)
        .answer(move |call, answer| {
            if call.is_list() {
                answer.edit_events(|events| {
                    let mut messages = 0;
                    for event in events.iter_mut() {
                        messages += usize::from(event["type"] == "user.message");
                        if messages > 2 && event["type"] == "run.completed" {
                            change(event);
                        }
                    }
                });
            }
        })
        .kills("srv.turn.each-has-its-run", "one end of a Run in turn 3")
}

fn answers() -> Vec<Mutant> {
    let later = |body: &mut Value| body.add("/seq", 1);
    let renamed = |body: &mut Value| {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        body.put("/id", format!("evt_{number:032x}").into());
    };
    let (interrupt, outcome) = ("user.interrupt", "user.define_outcome");
    let (to_interrupt, to_outcome) = (
        "srv.append.answer-to-an-interrupt",
        "srv.append.answer-to-an-outcome",
    );
    vec![
        answering("answers-interrupts-with-another-seq", interrupt, later)
            .kills(to_interrupt, "the answer to"),
        answering("answers-interrupts-with-another-id", interrupt, renamed)
            .kills(to_interrupt, "the answer to"),
        answering("answers-outcomes-with-another-seq", outcome, later).kills(to_outcome, "the answer to"),
        answering("answers-outcomes-with-another-id", outcome, renamed).kills(to_outcome, "the answer to"),
    ]
}

/// Changes the answer to a post of an event of this type.
fn answering(
    name: &'static str,
    kind: &'static str,
    change: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_append() && call.json()["type"] == kind {
            answer.edit(&change);
        }
    })
}
