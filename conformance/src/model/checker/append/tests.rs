use serde_json::{Value, json};

use crate::model::{Finding, History, check};

fn message(text: &str) -> Value {
    json!({"type": "user.message", "payload": {"content": [{"type": "text", "text": text}]}})
}

/// What is found where a message is acknowledged as an event with this id, and a list shows this text under `evt_m`.
fn found(acknowledged: &str, sent: Option<Value>, text: &str) -> Vec<Finding> {
    let envelope = |id: &str, text: &str| {
        let mut event = message(text);
        event["seq"] = if id == "evt_m" { 2 } else { 3 }.into();
        event["id"] = id.into();
        event
    };
    let mut append = json!({"session": "s", "token": "one"});
    if let Some(sent) = sent {
        append["sent"] = sent;
    }
    let lines = [
        json!({"format": 2, "suite": "0.1.0", "url": "u", "run": "r", "seed": 0, "history": 0}),
        json!({"t": 1, "process": 0, "op": 0, "phase": "invoke", "call": {"append": append}}),
        json!({"envelope": "acknowledged", "event": envelope(acknowledged, "changed")}),
        json!({"t": 2, "process": 0, "op": 0, "phase": "ok", "seen": {"accepted": {"event": "acknowledged"}}}),
        json!({"t": 3, "process": 0, "op": 1, "phase": "invoke",
            "call": {"list": {"session": "s", "limit": 9, "walk": "page"}}}),
        json!({"envelope": "first", "event": {"seq": 1, "id": "evt_a", "type": "t"}}),
        json!({"envelope": "listed", "event": envelope("evt_m", text)}),
        json!({"t": 4, "process": 0, "op": 1, "phase": "ok",
            "seen": {"pages": {"pages": [["first", "listed"]], "end": "last"}}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    check(&History::parse(&text).unwrap()).findings
}

/// EVT-1, SES-4: an event that was acknowledged and is there is not lost, whatever became of the text that marks it.
#[test]
fn a_message_whose_text_was_changed_is_altered_and_not_lost() {
    let findings = found("evt_m", Some(message("Say hello. (one)")), "changed");
    let [finding] = &findings[..] else {
        panic!("{findings:#?}")
    };
    assert_eq!(finding.anomaly, "altered-write");
    assert!(finding.expected.contains("Say hello. (one)"), "{finding:?}");
    assert!(
        finding.actual.contains("\"changed\"") && finding.actual.contains("seq 2 id evt_m"),
        "{finding:?}"
    );
    assert_eq!(finding.operations, [0, 1]);
}

/// The first form does not say what was sent, but that it held the token.
#[test]
fn a_changed_message_of_the_first_form_is_altered_too() {
    let findings = found("evt_m", None, "changed");
    let [finding] = &findings[..] else {
        panic!("{findings:#?}")
    };
    assert_eq!(finding.anomaly, "altered-write");
    assert!(
        finding.expected.contains("(one)") && finding.actual.contains("changed"),
        "{finding:?}"
    );
}

#[test]
fn a_message_of_which_no_read_shows_the_event_is_lost() {
    let findings = found("evt_other", Some(message("Say hello. (one)")), "changed");
    let names: Vec<_> = findings.iter().map(|finding| finding.anomaly).collect();
    assert!(
        names.contains(&"lost-write") && !names.contains(&"altered-write"),
        "{names:?}"
    );
}
