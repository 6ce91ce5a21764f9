use serde_json::{Value, json};

use super::prompt::{LOOKALIKE, REVERSED};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.prompt.every-control-and-letter",
        title: "Embeddings, overrides and isolates, look-alikes of either script, in whatever block of a message: none is accepted as it is.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["PIN-1"],
        killed_by: &[
            "accepts-isolates",
            "accepts-embeddings",
            "accepts-greek-letters",
            "judges-the-first-block-alone",
        ],
        run: |cx| Box::pin(every_control_and_letter(cx)),
    },
    Check {
        id: "srv.prompt.marks-and-shorthand",
        title: "Marks of direction in left-to-right text are findings as the other controls are, and the shorthand of content is judged as its text.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN"],
        killed_by: &["accepts-marks", "accepts-the-shorthand", "finds-all-in-one-block"],
        run: |cx| Box::pin(marks_and_shorthand(cx)),
    },
];

/// The embeddings, overrides and isolates of the bidirectional algorithm, with what ends them.
const CONTROLS: [char; 9] = [
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];
/// The marks of direction.
const MARKS: [char; 3] = ['\u{200e}', '\u{200f}', '\u{61c}'];
/// Latin words in which one letter is of another script: Greek omicron and nu, Cyrillic ie, es and ha.
const LOOKALIKES: [&str; 5] = [
    "g\u{3bf}ogle",
    "sa\u{3bd}e it",
    "r\u{435}lease",
    "s\u{441}ope",
    "e\u{445}port",
];

async fn every_control_and_letter(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    let before = cx.first_log(&session).await?;
    let clean = "Say hello.";
    let controls = CONTROLS.map(|control| format!("a{control}b"));
    let letters = LOOKALIKES.map(str::to_owned);
    let single = controls.iter().chain(&letters).map(|text| blocks(&[text]));
    let second = [LOOKALIKE, REVERSED].map(|text| blocks(&[clean, text]));
    for content in single.chain(second) {
        let answer = cx.send(message(cx, &session, &content)).await?;
        let actual = format!("status {}", answer.status());
        let refused = (400..500).contains(&answer.status()) && answer.status() != 429;
        let shown = shown(&content);
        expect::that(refused, &answer, format!("a refusal of {shown}"), actual)?;
        cx.saw(format!("{shown} answered {}", answer.status()), &answer);
    }
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after undecided messages")?;
    cx.saw("nothing is appended", &now.evidence);
    cx.pass()
}

async fn marks_and_shorthand(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    let before = cx.first_log(&session).await?;
    let mut cases: Vec<(Value, Value)> = Vec::new();
    for control in CONTROLS.into_iter().chain(MARKS) {
        let found = json!(["bidi_control", 0, 1, 2, [code_point(control)]]);
        cases.push((blocks(&[&format!("a{control}b")]), found));
    }
    let letter = |block: usize| json!(["mixed_script_confusable", block, 11, 17, ["U+0430"]]);
    cases.push((blocks(&["Say hello.", LOOKALIKE]), letter(1)));
    cases.push((json!(LOOKALIKE), letter(0)));
    for (content, found) in cases {
        let shown = shown(&content);
        let answer = cx.send(message(cx, &session, &content)).await?;
        let body = expect::error(&answer, 409, "prompt_integrity.decision_required")?;
        let members = ["kind", "block", "start", "end", "codepoints"];
        let findings = body["error"]["details"]["findings"]
            .as_array()
            .into_iter()
            .flatten();
        let findings: Vec<_> = findings
            .map(|finding| json!(members.map(|member| &finding[member])))
            .collect();
        let what = format!("the findings in {shown}");
        expect::equal(&answer, &what, &json!([found]), &json!(findings))?;
        cx.saw(format!("{found} in {shown}"), &answer);
    }
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after undecided messages")?;
    cx.pass()
}

fn blocks(texts: &[&str]) -> Value {
    let blocks = texts.iter().map(|text| json!({"type": "text", "text": text}));
    json!(blocks.collect::<Vec<_>>())
}

fn message(cx: &Context<'_>, session: &Session, content: &Value) -> Request {
    let message = turn::input(cx.bench, "user.message", json!({"content": content}));
    Request::post(session.events(), &message)
}

/// Content in letters that all can be seen.
fn shown(content: &Value) -> String {
    let visible = |character: char| match character.is_ascii() {
        true => character.to_string(),
        false => format!("<{}>", code_point(character)),
    };
    content.to_string().chars().map(visible).collect()
}

fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}
