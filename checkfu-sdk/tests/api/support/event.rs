use serde_json::{Value, json};

/// The JSON of an event.
pub(crate) fn event(seq: u64, event_type: &str, payload: Value) -> Value {
    json!({
        "id": format!("evt_{seq:032x}"),
        "seq": seq,
        "type": event_type,
        "session_id": "sess_1",
        "session_thread_id": null,
        "run_id": null,
        "created_at": "2026-09-01T10:00:00.123Z",
        "payload": payload,
    })
}

pub(crate) fn message(seq: u64) -> Value {
    event(
        seq,
        "agent.message",
        json!({ "content": [{ "type": "text", "text": format!("message {seq}") }] }),
    )
}

pub(crate) fn idle(seq: u64, stop_reason: &str) -> Value {
    event(seq, "session.status_idle", json!({ "stop_reason": stop_reason }))
}

/// The frame of an event, as the reference server writes it.
pub(crate) fn frame(event: &Value) -> String {
    let event_type = event["type"].as_str().unwrap();
    format!("id: {}\nevent: {event_type}\ndata: {event}\n\n", event["seq"])
}

pub(crate) fn frames<'e>(events: impl IntoIterator<Item = &'e Value>) -> String {
    events.into_iter().map(frame).collect()
}

/// A Session as the server tells it.
pub(crate) fn session(status: &str, stop_reason: Value, last_seq: u64) -> Value {
    json!({
        "id": "sess_1", "type": "session", "status": status, "stop_reason": stop_reason,
        "first_seq": 1, "last_seq": last_seq, "forked_from": null,
    })
}

/// The JSON of the start of a preview.
pub(crate) fn started(event_id: &str, event_type: &str) -> Value {
    json!({ "type": "event_start", "payload": { "event": { "type": event_type, "id": event_id } } })
}

/// The JSON of a piece of a preview.
pub(crate) fn piece(event_id: &str, index: u64, text: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    let delta = json!({ "type": "content_delta", "index": index, "content": content });
    json!({ "type": "event_delta", "payload": { "event_id": event_id, "delta": delta } })
}

/// The frame of a preview, as the reference server writes it.
pub(crate) fn preview_frame(preview: &Value) -> String {
    let name = preview["type"].as_str().unwrap();
    format!("event: {name}\ndata: {preview}\n\n")
}
