use serde_json::{Value, json};

use super::prompt::{LOOKALIKE, REVERSED, message};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.prompt.findings",
        title: "The refusal is 409 prompt_integrity.decision_required with what was found where, a correction and a challenge.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN", "PIN-1"],
        killed_by: &[
            "findings-elsewhere",
            "no-correction",
            "no-challenge",
            "prompt-refused-by-another-code",
            "server:any_prompt",
        ],
        run: |cx| Box::pin(findings(cx)),
    },
    Check {
        id: "srv.prompt.preserve-original",
        title: "An author who preserves the original has it stored as it was sent.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN", "PIN-1"],
        killed_by: &[
            "corrects-what-is-preserved",
            "decision-is-forgotten",
            "server:any_prompt",
        ],
        run: |cx| Box::pin(preserve_original(cx)),
    },
    Check {
        id: "srv.prompt.use-corrected",
        title: "An author who uses the correction has that stored.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN", "PIN-1"],
        killed_by: &["preserves-what-is-corrected", "server:correction_unused"],
        run: |cx| Box::pin(use_corrected(cx)),
    },
    Check {
        id: "srv.prompt.challenge-binds",
        title: "A challenge decides once, for its own Session and content; otherwise there is a fresh one and nothing is appended.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN"],
        killed_by: &[
            "one-challenge-for-all",
            "takes-any-challenge",
            "server:any_challenge",
        ],
        run: |cx| Box::pin(challenge_binds(cx)),
    },
];

/// Sends a message that needs a decision and gives the details of the refusal.
async fn refused(
    cx: &mut Context<'_>,
    session: &Session,
    text: &str,
    decision: Option<&Value>,
) -> Result<Value, Stop> {
    let answer = cx.send(message(cx, session, text, decision)).await?;
    let body = expect::error(&answer, 409, "prompt_integrity.decision_required")?;
    let details = expect::member(&answer, &body, "/error/details")?;
    expect::string(&answer, details, "/challenge")?;
    cx.saw(format!("{text:?} needs a decision"), &answer);
    Ok(details.clone())
}

fn decision(details: &Value, choice: &str) -> Value {
    json!({"challenge": details["challenge"], "decision": choice})
}

async fn findings(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    for (text, found, corrected) in [
        (
            LOOKALIKE,
            json!([["mixed_script_confusable", 0, 11, 17, ["U+0430"]]]),
            "send it by paypal",
        ),
        (
            REVERSED,
            json!([
                ["bidi_control", 0, 0, 1, ["U+202E"]],
                ["bidi_control", 0, 9, 10, ["U+202C"]]
            ]),
            "reversed",
        ),
    ] {
        let answer = cx.send(message(cx, &session, text, None)).await?;
        let body = expect::error(&answer, 409, "prompt_integrity.decision_required")?;
        let details = expect::member(&answer, &body, "/error/details")?;
        let findings = details["findings"].as_array().into_iter().flatten();
        let members = ["kind", "block", "start", "end", "codepoints"];
        let findings: Vec<_> = findings
            .map(|finding| json!(members.map(|member| &finding[member])))
            .collect();
        expect::equal(&answer, "the findings", &found, &json!(findings))?;
        let content = json!([{"type": "text", "text": corrected}]);
        expect::equal(
            &answer,
            "the corrected content",
            &content,
            &details["corrected_content"],
        )?;
        let challenge = expect::string(&answer, details, "/challenge")?;
        cx.saw(format!("{found} in {text:?}, {challenge}"), &answer);
    }
    cx.pass()
}

async fn preserve_original(cx: &mut Context<'_>) -> Judgement {
    stored(
        cx,
        "preserve_original",
        &[(LOOKALIKE, LOOKALIKE), (REVERSED, REVERSED)],
    )
    .await
}

async fn use_corrected(cx: &mut Context<'_>) -> Judgement {
    stored(
        cx,
        "use_corrected",
        &[(LOOKALIKE, "send it by paypal"), (REVERSED, "reversed")],
    )
    .await
}

async fn stored(cx: &mut Context<'_>, choice: &str, cases: &[(&str, &str)]) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    for (text, kept) in cases {
        let details = refused(cx, &session, text, None).await?;
        let decision = decision(&details, choice);
        let answer = cx.send(message(cx, &session, text, Some(&decision))).await?;
        expect::success(&answer)?;
        let id = expect::json(&answer)?["id"].clone();
        let log = cx.log(&session.id).await?;
        let event = log.events.iter().find(|event| id == event.id.as_str());
        let payload = event
            .map(|event| event.raw["payload"].clone())
            .unwrap_or_default();
        let what = format!("the content stored by {choice}");
        expect::equal(
            &log.evidence,
            &what,
            &json!([{"type": "text", "text": kept}]),
            &payload["content"],
        )?;
        expect::equal(
            &log.evidence,
            "the decision stored",
            &decision,
            &payload["prompt_integrity"],
        )?;
        cx.saw(format!("{choice} stored {kept:?}"), &log.evidence);
    }
    cx.pass()
}

async fn challenge_binds(cx: &mut Context<'_>) -> Judgement {
    let (session, other) = (cx.session().await?, cx.session().await?);
    cx.offered("prompt_integrity").await?;
    let details = refused(cx, &session, LOOKALIKE, None).await?;
    let good = decision(&details, "preserve_original");
    let made_up = json!({"challenge": "pic_AAAA", "decision": "use_corrected"});
    let before = [cx.log(&session.id).await?, cx.log(&other.id).await?];
    for (session, text, decision) in [
        (&other, LOOKALIKE, &good),
        (&session, REVERSED, &good),
        (&session, LOOKALIKE, &made_up),
    ] {
        let fresh = refused(cx, session, text, Some(decision)).await?;
        another(cx, &details, &fresh)?;
    }
    for (session, before) in [&session, &other].into_iter().zip(&before) {
        let now = cx.log(&session.id).await?;
        before.expect_unchanged(&now, "the log after decisions that do not fit")?;
    }
    let accepted = cx.send(message(cx, &session, LOOKALIKE, Some(&good))).await?;
    expect::success(&accepted)?;
    cx.saw("the decision is taken for what it was made for", &accepted);
    let again = refused(cx, &session, LOOKALIKE, Some(&good)).await?;
    another(cx, &details, &again)?;
    cx.pass()
}

fn another(cx: &Context<'_>, before: &Value, fresh: &Value) -> Result<(), Stop> {
    let same = before["challenge"] == fresh["challenge"];
    match cx.bench.client.transcript().last() {
        Some(answer) => expect::that(!same, answer, "a fresh challenge", fresh.to_string()),
        None => Err(Stop::Error("a challenge came from nowhere".to_owned())),
    }
}
