use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    answer::{Answered, whole_replay},
    interrupt::interrupted,
};
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, session::Session, wait},
    stop::Stop,
    wire::exchange::Exchange,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stale.unfitting-refused",
        title: "An answer of another type and one for an unknown call are refused for good, and the wait stays open.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-3", "THR-9"],
        killed_by: &["takes-a-second-answer", "refusal-closes-the-wait"],
        run: |cx| Box::pin(unfitting_refused(cx)),
    },
    Check {
        id: "srv.stale.codes",
        title: "Answers of another type, generation or content are 409 runtime.stale_wait, an unknown call is 404 runtime.unknown_action.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN"],
        killed_by: &[
            "stale-wait-is-nameless",
            "unknown-action-is-stale",
            "server:any_generation",
        ],
        run: |cx| Box::pin(refusal_codes(cx)),
    },
    Check {
        id: "srv.stale.old-generation",
        title: "Once the result is awaited, another decision is stale and the first one still a replay.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN"],
        killed_by: &["stale-wait-is-nameless", "replay-answers-202"],
        run: |cx| Box::pin(old_generation(cx)),
    },
    Check {
        id: "srv.stale.after-an-interrupt",
        title: "After an interrupt the wait is stale: its answer is refused and writes nothing.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN", "A-INT"],
        killed_by: &["takes-answers-after-an-interrupt"],
        run: |cx| Box::pin(closes_the_wait(cx)),
    },
];

async fn unfitting_refused(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let action = parked.action();
    for (what, body) in [
        (
            "a result for a decision",
            wait::result(cx.bench, action, &json!({})),
        ),
        ("a decision of no call", unknown_call(cx, action)),
    ] {
        let answer = cx.post(&session, &body).await?;
        expect::refused_for_good(&answer)?;
        cx.saw(format!("{what} answered {}", answer.status()), &answer);
    }
    let now = cx.log(&session.id).await?;
    parked
        .log
        .expect_no_input_since(&now, "the log after the refusals")?;
    let fitting = cx.accepted(&session, &wait::fitting(cx.bench, action)).await?;
    cx.saw("the fitting answer is still accepted", &fitting);
    cx.pass()
}

async fn refusal_codes(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let action = parked.action();
    let unknown = cx.post(&session, &unknown_call(cx, action)).await?;
    expect::error(&unknown, 404, "runtime.unknown_action")?;
    cx.saw("an unknown call", &unknown);
    let mut later = wait::confirmation(cx.bench, action, "allow");
    later["payload"]["wait_generation"] = 2.into();
    for body in [wait::result(cx.bench, action, &json!({})), later] {
        stale(cx, &session, &body).await?;
    }
    let answered = Answered::by(cx, &session, &parked).await?;
    stale(cx, &session, &wait::confirmation(cx.bench, action, "deny")).await?;
    let now = cx.log(&session.id).await?;
    answered
        .log
        .expect_no_input_since(&now, "the log after the refusals")?;
    cx.pass()
}

async fn old_generation(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::GovernedTool).await?;
    let parked = cx.parked(&session).await?;
    let answered = Answered::by(cx, &session, &parked).await?;
    let mut denial = wait::confirmation(cx.bench, parked.action(), "deny");
    stale(cx, &session, &denial).await?;
    denial["payload"]["wait_generation"] = 1.into();
    stale(cx, &session, &denial).await?;
    let again = cx.post(&session, &answered.body).await?;
    whole_replay(&again, &answered.original)?;
    cx.saw("the decision once more is a replay", &again);
    let now = cx.log(&session.id).await?;
    answered
        .log
        .expect_no_input_since(&now, "the log after the refusals")?;
    cx.pass()
}

async fn closes_the_wait(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let log = interrupted(cx, &session, &parked.log).await?;
    let answer = cx
        .post(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    expect::error(&answer, 409, "runtime.stale_wait")?;
    let now = cx.log(&session.id).await?;
    log.expect_no_input_since(&now, "the log after the late answer")?;
    cx.saw("the answer comes too late", &answer);
    cx.pass()
}

fn unknown_call(cx: &Context<'_>, action: &Event) -> Value {
    let mut body = wait::confirmation(cx.bench, action, "allow");
    body["payload"]["tool_use_id"] = cx.bench.fresh_name("toolu").replace('-', "_").into();
    body
}

async fn stale(cx: &mut Context<'_>, session: &Session, body: &Value) -> Result<(), Stop> {
    let answer: Arc<Exchange> = cx.post(session, body).await?;
    expect::error(&answer, 409, "runtime.stale_wait")?;
    cx.saw("stale", &answer);
    Ok(())
}
