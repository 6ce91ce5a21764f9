use serde_json::Value;

use crate::prove::{mutant::Mutant, traffic::Call};

/// How much of a text is left by those that cut it; no other text of the suite comes so far.
const LONGEST: usize = 32 << 10;

pub(super) fn mutants() -> Vec<Mutant> {
    let text = "/text of the message in the list";
    vec![
        keeping("keeps-ascii-alone", |text| {
            text.chars().filter(char::is_ascii).collect()
        })
        .kills("srv.content.kept", text),
        keeping("collapses-white-space", |text| {
            let words: Vec<_> = text.split_ascii_whitespace().collect();
            words.join(" ")
        })
        .kills("srv.content.kept", text),
        keeping("trims-texts", |text| match text.trim() {
            // An empty text would be refused.
            "" => text.to_owned(),
            trimmed => trimmed.to_owned(),
        })
        .kills("srv.content.kept", text),
        keeping("composes-letters", |text| text.replace("e\u{301}", "\u{e9}"))
            .kills("srv.content.kept", text),
        keeping("unescapes-texts", |text| text.replace("&amp;", "&")).kills("srv.content.kept", text),
        Mutant::new("keeps-the-first-part")
            .request(|call| edit_content(call, |parts| parts.truncate(1)))
            .kills("srv.content.kept", "/content/1 of the message in the list"),
        Mutant::new("joins-the-parts")
            .request(|call| {
                edit_content(call, |parts| {
                    let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
                    let joined = texts.join("");
                    parts.truncate(1);
                    parts[0]["text"] = joined.into();
                });
            })
            .kills("srv.content.kept", "/content/0/text of the message in the list"),
        Mutant::new("streams-the-first-part")
            .frame(|_, _, mut frame| {
                if frame.kind() == "user.message" {
                    frame.edit(|event| edit_parts(event, |parts| parts.truncate(1)));
                }
                vec![frame]
            })
            .kills("srv.content.kept", "/content/1 of the message in the stream"),
        keeping("cuts-long-texts", cut).kills("srv.content.long-text-kept", text),
        Mutant::new("streams-cut-texts")
            .frame(|_, _, mut frame| {
                if frame.kind() == "user.message" {
                    frame.edit(|event| edit_parts(event, |parts| edit_texts(parts, cut)));
                }
                vec![frame]
            })
            .kills("srv.content.long-text-kept", "/text of the message in the stream"),
    ]
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// Takes messages with every text changed in this way.
fn keeping(name: &'static str, change: fn(&str) -> String) -> Mutant {
    Mutant::new(name).request(move |call| edit_content(call, |parts| edit_texts(parts, change)))
}

fn edit_content(call: &mut Call, change: impl FnOnce(&mut Vec<Value>)) {
    let mut body = call.json();
    if call.is_append() && body["type"] == "user.message" {
        edit_parts(&mut body, change);
        call.set_json(&body);
    }
}

fn edit_parts(event: &mut Value, change: impl FnOnce(&mut Vec<Value>)) {
    let content = event.pointer_mut("/payload/content");
    if let Some(parts) = content.and_then(Value::as_array_mut) {
        change(parts);
    }
}

fn edit_texts(parts: &mut [Value], change: fn(&str) -> String) {
    for part in parts {
        if let Some(text) = part["text"].as_str() {
            part["text"] = change(text).into();
        }
    }
}
