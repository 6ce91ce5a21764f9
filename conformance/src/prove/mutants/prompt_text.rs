use serde_json::Value;

use super::prompt::{detailed, rewritten};
use crate::prove::{mutant::Mutant, traffic::Edit};

/// Servers that know only some of the controls and letters, or look for them only in some places.
pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        rewritten("accepts-isolates", "user.message", |text| {
            text.replace(['\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'], "")
        })
        .kills("srv.prompt.every-control-and-letter", "a refusal of"),
        rewritten("accepts-embeddings", "user.message", |text| {
            text.replace(['\u{202a}', '\u{202b}', '\u{202d}'], "")
        })
        .kills("srv.prompt.every-control-and-letter", "a refusal of"),
        rewritten("accepts-greek-letters", "user.message", |text| {
            text.replace('\u{3bf}', "o").replace('\u{3bd}', "v")
        })
        .kills("srv.prompt.every-control-and-letter", "a refusal of"),
        cleaned("judges-the-first-block-alone", "/payload/content/1/text")
            .kills("srv.prompt.every-control-and-letter", "a refusal of"),
        rewritten("accepts-marks", "user.message", |text| {
            text.replace(['\u{200e}', '\u{200f}', '\u{61c}'], "")
        })
        .kills("srv.prompt.marks-and-shorthand", "status 409"),
        cleaned("accepts-the-shorthand", "/payload/content")
            .kills("srv.prompt.marks-and-shorthand", "status 409"),
        detailed("finds-all-in-one-block", |details| {
            details.put("/findings/0/block", 0.into())
        })
        .kills("srv.prompt.marks-and-shorthand", "the findings in"),
    ]
}

/// Takes look-alikes and controls out of the text at this place, if there is one, before anybody judges it.
fn cleaned(name: &'static str, pointer: &'static str) -> Mutant {
    Mutant::new(name).request(move |call| {
        let mut body = call.json();
        let text = body.pointer(pointer).and_then(Value::as_str);
        let Some(text) = text.filter(|_| call.is_append()) else {
            return;
        };
        let text = text.replace('\u{430}', "a").replace(['\u{202e}', '\u{202c}'], "");
        body.put(pointer, text.into());
        call.set_json(&body);
    })
}
