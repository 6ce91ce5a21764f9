use serde_json::json;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit, Frame},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [shown(), durable(), wanted(), pieces(), threads()]
        .into_iter()
        .flatten()
        .collect()
}

fn shown() -> Vec<Mutant> {
    vec![
        previews("previews-with-an-id-line", |_, frame| with_an_id_line(frame))
            .kills("srv.preview.uncursored", "without an id line"),
        previews("previews-with-a-seq", |_, mut frame| {
            frame.edit(|preview| preview.put("/seq", 5.into()));
            vec![frame]
        })
        .kills("srv.preview.uncursored", "without a seq"),
        Mutant::new("lists-previews")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        if let Some(message) =
                            events.iter_mut().find(|event| event["type"] == "agent.message")
                        {
                            message.put("/type", "event_start".into());
                        }
                    });
                }
            })
            .kills("srv.preview.never-persisted", "no preview in the list"),
        Mutant::new("replays-previews")
            .frame(
                |call, number, frame| match number > 0 && asks(call) && frame.kind() == "agent.message" {
                    true => vec![start("evt_1"), frame],
                    false => vec![frame],
                },
            )
            .kills("srv.preview.never-persisted", "no preview in a replay"),
        previews("previews-under-other-ids", |_, mut frame| {
            frame.edit(|preview| match preview["payload"]["event_id"].is_string() {
                true => preview.put("/payload/event_id", "evt_1".into()),
                false => preview.put("/payload/event/id", "evt_1".into()),
            });
            vec![frame]
        })
        .kills("srv.preview.final-id", "an event of the settled turn"),
        Mutant::new("messages-under-other-ids")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let messages = events.iter_mut().filter(|event| event["type"] == "agent.message");
                        messages.for_each(|message| message.put("/id", "evt_another".into()));
                    });
                }
            })
            .kills(
                "srv.preview.final-id-of-each-type",
                "an event of the type agent.message",
            ),
        previews("previews-name-another-type", |_, mut frame| {
            frame.edit(|preview| {
                if preview["type"] == "event_start" {
                    preview.put("/payload/event/type", "agent.tool_use".into());
                }
            });
            vec![frame]
        })
        .kills("srv.preview.final-id", "as it is in the list"),
    ]
}

fn durable() -> Vec<Mutant> {
    vec![
        Mutant::new("previews-instead-of-events")
            .frame(
                |call, _, frame| match asks(call) && frame.kind() == "agent.thinking" {
                    true => Vec::new(),
                    false => vec![frame],
                },
            )
            .kills("srv.preview.durable-as-without", "the stream with previews"),
        Mutant::new("previewing-streams-show-other-events")
            .frame(|call, _, mut frame| {
                if asks(call) && frame.kind() == "agent.message" {
                    frame.edit(|event| event.put("/payload/previewed", true.into()));
                }
                vec![frame]
            })
            .kills("srv.preview.durable-as-without", "the stream with previews"),
    ]
}

fn wanted() -> Vec<Mutant> {
    vec![
        wants_too("previews-messages-unasked", "agent.message").kills(
            "srv.preview.only-wanted-types",
            "previews of agent.thinking alone",
        ),
        wants_too("previews-thinking-unasked", "agent.thinking")
            .kills("srv.preview.only-wanted-types", "previews of agent.message alone"),
        Mutant::new("ignores-unknown-previews")
            .request(|call| {
                if call.parameter("event_deltas") == Some("agent.tool_use") {
                    call.drop_parameter("event_deltas");
                }
            })
            .kills("srv.preview.unknown-type", "a refusal"),
        Mutant::new("refuses-bracketed-previews")
            .instead(|call| {
                let bracketed = call.parameter("event_deltas[]").is_some();
                bracketed.then(|| Answer::new(400, "application/json", "{}"))
            })
            .kills("srv.preview.unknown-type", "status 200"),
    ]
}

fn pieces() -> Vec<Mutant> {
    vec![
        previews("deltas-without-a-start", |_, frame| match frame.kind() {
            "event_start" => Vec::new(),
            _ => vec![frame],
        })
        .kills("srv.preview.is-a-prefix", "a delta only after the start"),
        previews("deltas-out-of-order", |_, mut frame| {
            frame.edit(|preview| {
                let text = preview["payload"]["delta"]["content"]["text"].as_str();
                if let Some(turned) = text.map(|text| text.chars().rev().collect::<String>()) {
                    preview.put("/payload/delta/content/text", turned.into());
                }
            });
            vec![frame]
        })
        .kills("srv.preview.is-a-prefix", "to be how"),
        Mutant::new("deltas-behind-the-event")
            .frame(|_, _, frame| match frame.kind() {
                "agent.message" => {
                    let mut late = delta("");
                    frame.clone().edit(|event| {
                        let id = event["id"].clone();
                        late.edit(|delta| delta.put("/payload/event_id", id));
                    });
                    vec![frame, late]
                }
                _ => vec![frame],
            })
            .kills("srv.preview.is-a-prefix", "no preview of an event that is there"),
    ]
}

fn threads() -> Vec<Mutant> {
    vec![
        Mutant::new("thread-previews-unasked")
            .request(|call| {
                if call.is_thread_stream() && !asks(call) {
                    call.query
                        .push(("event_deltas".to_owned(), "agent.message".to_owned()));
                }
            })
            .kills("srv.preview.on-a-thread", "that asked for none"),
        previews("thread-previews-with-an-id-line", |call, frame| {
            match call.is_thread_stream() {
                true => with_an_id_line(frame),
                false => vec![frame],
            }
        })
        .kills("srv.preview.on-a-thread", "a preview on a thread's stream"),
        from_a_child("childs-starts-on-the-session", || start("evt_own")).kills(
            "srv.preview.local-to-its-thread",
            "no preview of a child's own event",
        ),
        from_a_child("childs-deltas-on-the-session", || delta("evt_own")).kills(
            "srv.preview.local-to-its-thread",
            "no preview of a child's own event",
        ),
    ]
}

fn asks(call: &Call) -> bool {
    call.parameter("event_deltas").is_some()
}

fn start(id: &str) -> Frame {
    Frame::preview(&json!({"type": "event_start", "payload": {"event": {"type": "agent.message", "id": id}}}))
}

fn delta(id: &str) -> Frame {
    let piece = json!({"type": "content_delta", "index": 0, "content": {"type": "text", "text": "and"}});
    Frame::preview(&json!({"type": "event_delta", "payload": {"event_id": id, "delta": piece}}))
}

fn with_an_id_line(mut frame: Frame) -> Vec<Frame> {
    frame.0.insert(0, "id: 5".to_owned());
    vec![frame]
}

/// Changes the previews of every stream.
fn previews(
    name: &'static str,
    change: impl Fn(&Call, Frame) -> Vec<Frame> + Send + Sync + 'static,
) -> Mutant {
    Mutant::new(name).frame(move |call, _, frame| match frame.is_preview() {
        true => change(call, frame),
        false => vec![frame],
    })
}

/// Asks for previews of this type too where others are asked for.
fn wants_too(name: &'static str, kind: &'static str) -> Mutant {
    Mutant::new(name).request(move |call| {
        if asks(call) {
            call.query.push(("event_deltas".to_owned(), kind.to_owned()));
        }
    })
}

/// Shows a preview of a child's message on the Session's stream.
fn from_a_child(name: &'static str, preview: impl Fn() -> Frame + Send + Sync + 'static) -> Mutant {
    Mutant::new(name)
        .answer(|call, answer| {
            if call.is_thread_events() && answer.status == 200 {
                answer.edit_events(|events| {
                    if let Some(own) = events.iter_mut().find(|event| event["type"] == "agent.message") {
                        own.put("/id", "evt_own".into());
                    }
                });
            }
        })
        .frame(move |_, _, frame| match frame.kind() {
            "session.thread_status_running" => vec![preview(), frame],
            _ => vec![frame],
        })
}
