use serde_json::json;

use super::payload::stands_as_sent;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    level::Level,
    stimulus::{
        Stimulus,
        text::{self, DELICATE},
        wait,
    },
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.payload.text-kept",
        title: "Answers and results stand in the log to the last character, and a failed call as failed.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["EVT-1", "SES-5"],
        killed_by: &["cuts-results", "trims-answers", "failed-results-are-results"],
        run: |cx| Box::pin(text_kept(cx)),
    },
    Check {
        id: "srv.payload.words-kept",
        title: "The words of a denial and all that an Outcome asks for stand in the log to the last character.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN", "A-OUT"],
        killed_by: &["forgets-the-denial", "trims-outcomes", "three-tries-for-all"],
        run: |cx| Box::pin(words_kept(cx)),
    },
];

/// About as much as a tool that reads a file may have to tell.
const LONG: usize = 64 << 10;

async fn text_kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let answer = wait::answer(cx.bench, parked.action(), DELICATE);
    stands_as_sent(cx, &session, &parked.log, &answer).await?;
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let found = json!([{"text": DELICATE}, {"text": text::long(LONG)}]);
    let mut result = wait::result(cx.bench, parked.action(), &found);
    result["payload"]["is_error"] = true.into();
    stands_as_sent(cx, &session, &parked.log, &result).await?;
    cx.pass()
}

async fn words_kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let mut denial = wait::confirmation(cx.bench, parked.action(), "deny");
    denial["payload"]["deny_message"] = DELICATE.into();
    stands_as_sent(cx, &session, &parked.log, &denial).await?;
    let session = cx.session_of(AgentKind::Outcome).await?;
    let log = cx.log(&session.id).await?;
    let rubric = json!({"type": "text", "content": DELICATE});
    let payload = json!({"description": DELICATE, "rubric": rubric, "max_iterations": 7});
    let outcome = wait::signed(cx.bench, "user.define_outcome", payload);
    stands_as_sent(cx, &session, &log, &outcome).await?;
    cx.pass()
}
