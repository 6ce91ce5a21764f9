use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, session::Session, turn},
    stop::Stop,
    wire::request::Request,
};

/// "paypal" with a Cyrillic letter.
pub(super) const LOOKALIKE: &str = "send it by p\u{430}ypal";
/// A word that shows reversed.
pub(super) const REVERSED: &str = "\u{202e}reversed\u{202c}";

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.prompt.undecided-is-refused",
        title: "A message with look-alike letters of two scripts, or with bidirectional controls, is not accepted as it is.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PIN-1"],
        killed_by: &[
            "accepts-lookalikes",
            "accepts-bidirectional-controls",
            "refuses-lookalikes-and-writes-them",
            "server:any_prompt",
        ],
        run: |cx| Box::pin(undecided_is_refused(cx)),
    },
    Check {
        id: "srv.prompt.only-authored-text",
        title: "The result of a tool is taken with the same letters, and kept as it was sent.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PIN-2"],
        killed_by: &["judges-tool-results", "corrects-tool-results"],
        run: |cx| Box::pin(only_authored_text(cx)),
    },
    Check {
        id: "srv.prompt.clean-text",
        title: "Words of two languages side by side, accents, marks of right-to-left text and a document's letters are no finding.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-PIN", "PIN-2"],
        killed_by: &["judges-words-of-two-languages", "judges-documents"],
        run: |cx| Box::pin(clean_text(cx)),
    },
];

/// A message of this text with or without a decision.
pub(super) fn message(cx: &Context<'_>, session: &Session, text: &str, decision: Option<&Value>) -> Request {
    let mut payload = json!({"content": [{"type": "text", "text": text}]});
    if let Some(decision) = decision {
        payload["prompt_integrity"] = decision.clone();
    }
    Request::post(session.events(), &turn::input(cx.bench, "user.message", payload))
}

async fn undecided_is_refused(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    let plain = cx.turn(&session).await?;
    cx.saw("a plain message is accepted", &plain.log.evidence);
    let before = cx.rested(&session.id).await?;
    for (what, text) in [
        ("look-alike letters", LOOKALIKE),
        ("bidirectional controls", REVERSED),
    ] {
        let answer = cx.send(message(cx, &session, text, None)).await?;
        let actual = format!("status {}", answer.status());
        let refused = (400..500).contains(&answer.status()) && answer.status() != 429;
        expect::that(refused, &answer, format!("a refusal of {what}"), actual)?;
        let now = cx.log(&session.id).await?;
        before.expect_unchanged(&now, "the log after an undecided message")?;
        cx.saw(
            format!("{what} answered {}, nothing is appended", answer.status()),
            &answer,
        );
    }
    cx.pass()
}

async fn only_authored_text(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    cx.offered("waits").await?;
    let marker = cx.bench.fresh_name("tool");
    let said = turn::say(cx.bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let id = call(cx, &session).await?;
    let text = format!("{LOOKALIKE} {REVERSED}");
    let result = json!({"tool_use_id": id, "result": {"text": text}});
    let result = turn::input(cx.bench, "user.custom_tool_result", result);
    let answer = cx.bench.mutate(Request::post(session.events(), &result)).await?;
    expect::success(&answer)?;
    let log = cx.log(&session.id).await?;
    let kept = log
        .events
        .iter()
        .find(|event| event.kind == "user.custom_tool_result");
    let kept = kept
        .and_then(|event| event.payload("/result/text"))
        .cloned()
        .unwrap_or_default();
    expect::equal(&log.evidence, "the result as it was sent", &json!(text), &kept)?;
    cx.saw("the same letters in a tool's result are kept", &answer);
    cx.pass()
}

/// The id of the call that the Agent waits for.
async fn call(cx: &Context<'_>, session: &Session) -> Result<Value, Stop> {
    let deadline = cx.bench.turn_deadline();
    loop {
        let log = Log::read(cx.bench, &session.id).await?;
        let waits = log
            .events
            .iter()
            .any(|event| event.kind == "session.status_waiting" || is_boundary(event));
        let call = log.events.iter().find(|event| event.kind == "agent.tool_use");
        if let (true, Some(id)) = (waits, call.and_then(|event| event.payload("/tool_use_id"))) {
            return Ok(id.clone());
        }
        if Instant::now() >= deadline {
            let why = format!(
                "no call came within {:?}; --turn-timeout gives it more",
                cx.bench.limits.turn
            );
            return Err(Stop::Inconclusive(why));
        }
        sleep(turn::BETWEEN_LOOKS).await;
    }
}

fn is_boundary(event: &Event) -> bool {
    event.kind == "session.status_idle" && !event.settles_session()
}

async fn clean_text(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("prompt_integrity").await?;
    for clean in [
        "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442} means hello",
        "\u{65e5}\u{672c}\u{8a9e}\u{3068}Rust",
        "\u{5e9}\u{5dc}\u{200f} (shalom)",
        "na\u{ef}ve caf\u{e9}, 100 \u{b5}m",
    ] {
        let answer = cx.send(message(cx, &session, clean, None)).await?;
        expect::success(&answer)?;
        let log = cx.log(&session.id).await?;
        let content = json!([{"type": "text", "text": clean}]);
        let kept = log
            .events
            .iter()
            .any(|event| event.payload("/content") == Some(&content));
        expect::that(kept, &log.evidence, format!("{clean:?} in the log"), "not there")?;
        cx.saw(format!("{clean:?} is accepted"), &answer);
    }
    let source = json!({"type": "text", "media_type": "text/plain", "data": LOOKALIKE});
    let document = json!({"content": [{"type": "document", "source": source}]});
    let document = turn::input(cx.bench, "user.message", document);
    let answer = cx
        .bench
        .mutate(Request::post(session.events(), &document))
        .await?;
    expect::success(&answer)?;
    cx.saw("a document is not judged", &answer);
    cx.pass()
}
