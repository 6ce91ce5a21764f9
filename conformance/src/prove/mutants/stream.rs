use serde_json::{Value, json};

use crate::prove::{
    mutant::Mutant,
    traffic::{Edit, Frame},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("stream-changes-ids")
            .frame(|_, _, mut frame| {
                frame.edit(lengthen_id);
                vec![frame]
            })
            .kills("srv.stream.equals-list", "the stream beside the list"),
        Mutant::new("list-drops-an-event")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| events.retain(|event| event["type"] != "run.started"));
                }
            })
            .kills("srv.stream.equals-list", "the stream beside the list"),
        Mutant::new("stream-drops-an-event")
            .frame(|_, _, frame| if frame.kind() == "run.started" { Vec::new() } else { vec![frame] })
            .kills("srv.stream.equals-list", "the stream beside the list")
            .kills("srv.stream.seam-loses-nothing", "the stream across its seam"),
        Mutant::new("seam-loses-one")
            .frame(|_, number, frame| {
                let lost = number == 2 && frame.kind() == "session.usage";
                if lost { Vec::new() } else { vec![frame] }
            })
            .kills("srv.stream.seam-loses-nothing", "the stream across its seam"),
        Mutant::new("delivers-twice")
            .frame(|_, _, frame| vec![frame.clone(), frame])
            .kills("srv.stream.delivers-once", "each event once"),
        Mutant::new("renumbers-ids")
            .frame(|_, _, mut frame| {
                frame.set("id", frame.seq() + 1);
                vec![frame]
            })
            .kills("srv.stream.framing", "as in the data"),
        Mutant::new("frame-without-event")
            .frame(|_, _, mut frame| {
                frame.drop_field("event");
                vec![frame]
            })
            .kills("srv.stream.framing", "as in the data"),
        Mutant::new("frame-without-id")
            .frame(|_, _, mut frame| {
                frame.drop_field("id");
                vec![frame]
            })
            .kills("srv.stream.framing", "as in the data"),
        Mutant::new("frames-run-together")
            .encode(|frame| {
                let mut bytes = frame.bytes();
                bytes.pop();
                vec![bytes]
            })
            .kills("srv.stream.framing", "the event of seq"),
        Mutant::new("frame-not-in-utf-8")
            .encode(|frame| {
                let text = String::from_utf8_lossy(&frame.bytes()).into_owned();
                let (head, rest) = text.split_at(text.find("\"payload\"").unwrap_or(0));
                let novelty: &[u8] = if head.is_empty() { b"" } else { b"\"novelty\":\"\xff\"," };
                vec![[head.as_bytes(), novelty, rest.as_bytes()].concat()]
            })
            .kills("srv.stream.framing", "a frame in UTF-8"),
        Mutant::new("stalled-reader-misses-some")
            .frame(|_, _, frame| match (20..25).contains(&frame.seq()) {
                true => Vec::new(),
                false => vec![frame],
            })
            .kills("srv.stream.stalled-reader", "the stream of a reader that stalled"),
        Mutant::new("stalled-reader-jumps-ahead")
            .frame(|call, _, frame| match call.cursor().is_none() && (5..100).contains(&frame.seq()) {
                true => Vec::new(),
                false => vec![frame],
            })
            .kills("srv.stream.stalled-reader", "the stream of a reader that stalled"),
        Mutant::new("stream-may-be-cached")
            .answer(|call, answer| {
                if call.is_stream() {
                    answer.headers.remove("cache-control");
                }
            })
            .kills("srv.stream.head-and-fields", "cache-control"),
        Mutant::new("silent-until-the-first-event")
            .without_comments()
            .kills("srv.stream.head-and-fields", "a comment at once"),
        Mutant::new("fields-in-another-order")
            .frame(|_, _, mut frame| {
                frame.0.reverse();
                vec![frame]
            })
            .kills("srv.stream.head-and-fields", "id, event, data"),
        Mutant::new("closes-after-replay")
            .frame(|_, _, frame| {
                let last = frame.kind() == "session.status_idle";
                if last { vec![frame, Frame::end()] } else { vec![frame] }
            })
            .kills("srv.stream.replays-then-stays-live", "on the open stream"),
        Mutant::new("starts-at-the-tail")
            .frame(|call, _, frame| {
                let early = call.cursor().is_none() && frame.seq() < 4;
                if early { Vec::new() } else { vec![frame] }
            })
            .kills("srv.stream.replays-then-stays-live", "the replay"),
        Mutant::new("second-reader-sees-other-ids")
            .frame(|_, number, mut frame| {
                if number % 2 == 1 {
                    frame.edit(lengthen_id);
                }
                vec![frame]
            })
            .kills("srv.stream.two-readers-agree", "both readers"),
        Mutant::new("previews-unasked")
            .frame(|_, _, frame| {
                let preview = json!({"type": "event_start", "payload": {"event": {"type": "agent.message", "id": "evt_1"}}});
                if frame.kind() == "agent.message" { vec![Frame::preview(&preview), frame] } else { vec![frame] }
            })
            .kills("srv.preview.only-when-asked", "a persisted envelope"),
        Mutant::new("previews-unasked-with-ids")
            .frame(|_, _, frame| {
                let mut preview = frame.clone();
                preview.edit(|event| event.put("/type", "event_start".into()));
                if frame.kind() == "agent.message" { vec![preview, frame] } else { vec![frame] }
            })
            .kills("srv.preview.only-when-asked", "a persisted event with its id line"),
    ]
}

fn lengthen_id(event: &mut Value) {
    if let Some(id) = event["id"].as_str() {
        event.put("/id", format!("{id}x").into());
    }
}
