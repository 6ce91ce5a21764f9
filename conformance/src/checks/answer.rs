use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{event::Event, log::Log, session::Session, wait, watch},
    stop::Stop,
    wire::exchange::Exchange,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.answer.replay",
        title: "The same answer once more is answered with the original event and writes nothing.",
        level: Level::Derived,
        requirements: &["THR-9"],
        killed_by: &["replay-is-a-new-event", "replay-is-refused", "replay-is-written"],
        run: |cx| Box::pin(replay(cx)),
    },
    Check {
        id: "srv.answer.replay-status",
        title: "A replay answers 200 with the whole original envelope.",
        level: Level::Assumed,
        requirements: &["A-GEN"],
        killed_by: &["replay-answers-202"],
        run: |cx| Box::pin(replay_status(cx)),
    },
    Check {
        id: "srv.answer.child-replay",
        title: "The same answer to a child once more is answered with the original event and writes nothing.",
        level: Level::Documented,
        requirements: &["THR-9"],
        killed_by: &["replay-is-a-new-event", "replay-is-refused"],
        run: |cx| Box::pin(child_replay(cx)),
    },
    Check {
        id: "srv.answer.child-other-refused",
        title: "Another answer to a child's call that was answered is refused for good and writes nothing.",
        level: Level::Documented,
        requirements: &["THR-9"],
        killed_by: &["takes-a-second-answer", "second-answer-is-written"],
        run: |cx| Box::pin(child_other_refused(cx)),
    },
    Check {
        id: "srv.answer.unfitting-refused",
        title: "An answer of another type and one for an unknown call are refused for good, and the wait stays open.",
        level: Level::Derived,
        requirements: &["WAIT-3", "THR-9"],
        killed_by: &["takes-a-second-answer", "refusal-closes-the-wait"],
        run: |cx| Box::pin(unfitting_refused(cx)),
    },
    Check {
        id: "srv.answer.refusal-codes",
        title: "Answers of another type, generation or content are 409 runtime.stale_wait, an unknown call is 404 runtime.unknown_action.",
        level: Level::Assumed,
        requirements: &["A-GEN"],
        killed_by: &["stale-wait-is-nameless", "unknown-action-is-stale"],
        run: |cx| Box::pin(refusal_codes(cx)),
    },
    Check {
        id: "srv.answer.old-generation",
        title: "Once the result is awaited, another decision is stale and the first one still a replay.",
        level: Level::Assumed,
        requirements: &["A-GEN"],
        killed_by: &["stale-wait-is-nameless", "replay-answers-202"],
        run: |cx| Box::pin(old_generation(cx)),
    },
];

async fn replay(cx: &mut Context<'_>) -> Judgement {
    for kind in [AgentKind::Question, AgentKind::Approval, AgentKind::CustomTool] {
        let session = cx.session_of(kind).await?;
        let parked = cx.parked(&session).await?;
        let answered = Answered::by(cx, &session, &parked).await?;
        let again = cx.accepted(&session, &answered.body).await?;
        is_original(&again, &answered.original)?;
        let now = cx.log(&session.id).await?;
        answered
            .log
            .expect_no_input_since(&now, "the log after a replay")?;
        cx.saw(
            format!("a replay is seq {} once more", answered.original.seq),
            &again,
        );
    }
    cx.pass()
}

async fn replay_status(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let answered = Answered::by(cx, &session, &parked).await?;
    let again = cx.post(&session, &answered.body).await?;
    whole_replay(&again, &answered.original)?;
    cx.saw("the replay is the listed envelope", &again);
    cx.pass()
}

async fn child_replay(cx: &mut Context<'_>) -> Judgement {
    let (session, answered) = child(cx).await?;
    let again = cx.accepted(&session, &answered.body).await?;
    is_original(&again, &answered.original)?;
    once(cx, &session, &answered).await?;
    cx.saw(
        format!("a replay is seq {} once more", answered.original.seq),
        &again,
    );
    cx.pass()
}

async fn child_other_refused(cx: &mut Context<'_>) -> Judgement {
    let (session, mut answered) = child(cx).await?;
    answered.body["payload"]["result"] = json!({"another": "result"});
    let other = cx.post(&session, &answered.body).await?;
    expect::refused_for_good(&other)?;
    once(cx, &session, &answered).await?;
    cx.saw(format!("another result answered {}", other.status()), &other);
    cx.pass()
}

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

/// An answer that was accepted.
struct Answered {
    body: Value,
    /// It, as the log shows it.
    original: Event,
    /// The log when the Session stood still again.
    log: Log,
}

impl Answered {
    async fn by(cx: &Context<'_>, session: &Session, parked: &wait::Parked) -> Result<Self, Stop> {
        let body = wait::fitting(cx.bench, parked.action());
        let set_up = |stop: Stop| stop.blocking("srv.continuation.allowed");
        cx.accepted(session, &body).await.map_err(set_up)?;
        let log = cx.still(session, parked.log.head()).await?;
        let original = log
            .above(parked.log.head())
            .iter()
            .find(|event| event.kind.starts_with("user."));
        let missing = || Stop::fail("the accepted answer in the list", "none", &log.evidence);
        let original = original.cloned().ok_or_else(missing).map_err(set_up)?;
        Ok(Self { body, original, log })
    }
}

/// One of two children that wait under one id, answered.
async fn child(cx: &Context<'_>) -> Result<(Session, Answered), Stop> {
    let session = cx.session_of(AgentKind::Twins).await?;
    let parked = wait::Parked::reach(cx.bench, &session.id, 2).await?;
    let action = parked.action();
    let Some(thread) = action
        .raw
        .get("session_thread_id")
        .filter(|thread| thread.is_string())
    else {
        return Err(Stop::Inconclusive("the call names no thread".to_owned()));
    };
    let mut body = wait::fitting(cx.bench, action);
    body["payload"]["session_thread_id"] = thread.clone();
    let set_up = |stop: Stop| stop.blocking("srv.continuation.tool-result");
    cx.accepted(&session, &body).await.map_err(set_up)?;
    let listed = |log: &Log| log.events.iter().any(|event| answers(event, &body));
    let log = watch::until(cx.bench, &session.id, cx.bench.answer_deadline(), listed).await?;
    let (Ok(log) | Err(log)) = log;
    let original = log.events.iter().find(|event| answers(event, &body)).cloned();
    let missing = || Stop::fail("the accepted answer in the list", "none", &log.evidence);
    let original = original.ok_or_else(missing).map_err(set_up)?;
    Ok((session, Answered { body, original, log }))
}

/// Whether this event is an answer to the same thread as this body.
fn answers(event: &Event, body: &Value) -> bool {
    let thread = body.pointer("/payload/session_thread_id");
    event.raw.get("type") == body.get("type") && event.payload("/session_thread_id") == thread
}

/// The answered child has its one answer.
async fn once(cx: &Context<'_>, session: &Session, answered: &Answered) -> Result<(), Stop> {
    let now = cx.log(&session.id).await?;
    let count = now
        .events
        .iter()
        .filter(|event| answers(event, &answered.body))
        .count();
    let actual = format!("{count} of them");
    expect::that(
        count == 1,
        &now.evidence,
        "one answer to the child in the log",
        actual,
    )
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

fn whole_replay(answer: &Exchange, original: &Event) -> Result<(), Stop> {
    expect::status(answer, 200)?;
    expect::equal(answer, "the replay", &original.raw, &expect::json(answer)?)
}

/// The answer shows the original event.
fn is_original(answer: &Exchange, original: &Event) -> Result<(), Stop> {
    let body = expect::json(answer)?;
    let envelope = body.pointer("/data/0").unwrap_or(&body);
    for member in ["id", "seq"] {
        let what = format!("the original event's {member}");
        let found = envelope.get(member).unwrap_or(&Value::Null);
        expect::equal(answer, &what, &original.raw[member], found)?;
    }
    Ok(())
}
