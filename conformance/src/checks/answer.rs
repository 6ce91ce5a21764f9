use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, session::Session, wait},
    stop::Stop,
    wire::exchange::Exchange,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.answer.replay",
        title: "The same answer once more is answered with the original event and writes nothing.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["THR-9"],
        killed_by: &[
            "replay-is-a-new-event",
            "replay-is-refused",
            "replay-is-written",
            "server:replay_is_conflict",
        ],
        run: |cx| Box::pin(replay(cx)),
    },
    Check {
        id: "srv.answer.replay-status",
        title: "A replay answers 200 with the whole original envelope.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN"],
        killed_by: &["replay-answers-202"],
        run: |cx| Box::pin(replay_status(cx)),
    },
    Check {
        id: "srv.answer.child-replay",
        title: "The same answer to a child once more is answered with the original event and writes nothing.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-9"],
        killed_by: &[
            "replay-is-a-new-event",
            "replay-is-refused",
            "server:replay_is_conflict",
        ],
        run: |cx| Box::pin(child_replay(cx)),
    },
    Check {
        id: "srv.answer.child-other-refused",
        title: "Another answer to a child's call that was answered is refused for good and writes nothing.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-9"],
        killed_by: &["takes-a-second-answer", "second-answer-is-written"],
        run: |cx| Box::pin(child_other_refused(cx)),
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

/// An answer that was accepted.
pub(super) struct Answered {
    pub(super) body: Value,
    /// It, as the log shows it.
    pub(super) original: Event,
    /// The log when the Session stood still again.
    pub(super) log: Log,
}

impl Answered {
    pub(super) async fn by(cx: &Context<'_>, session: &Session, parked: &wait::Parked) -> Result<Self, Stop> {
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
    let log = look::until(cx.bench, &session.id, cx.bench.answer_deadline(), listed).await?;
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

pub(super) fn whole_replay(answer: &Exchange, original: &Event) -> Result<(), Stop> {
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
