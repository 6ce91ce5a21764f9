use serde_json::Value;

use super::{
    ending::end,
    interrupt::{interrupted, run_of_slow},
    mirror::{View, cuts},
    outcome::{outcome, worked_for},
};
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        bench::Bench,
        event::Event,
        session::Session,
        turn,
        wait::{self, Parked},
    },
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.of-a-question",
        title: "The stream of a turn that asked and was answered gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-answers", "pauses-are-messages"],
        run: |cx| Box::pin(of_a_question(cx)),
    },
    Check {
        id: "srv.stream.of-a-call",
        title: "The stream of turns whose calls waited, for a decision, a result or both, gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &[
            "streams-no-decisions",
            "streams-no-results",
            "resumptions-are-messages",
        ],
        run: |cx| Box::pin(of_a_call(cx)),
    },
    Check {
        id: "srv.stream.of-an-interrupt",
        title: "The stream of an interrupted turn gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-interrupts", "cancellations-are-messages"],
        run: |cx| Box::pin(of_an_interrupt(cx)),
    },
    Check {
        id: "srv.stream.of-a-failure",
        title: "The stream of a failed turn gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-failures", "failures-are-messages"],
        run: |cx| Box::pin(of_a_failure(cx)),
    },
    Check {
        id: "srv.stream.of-an-outcome",
        title: "The stream of work for an Outcome gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-verdicts", "gradings-are-messages"],
        run: |cx| Box::pin(of_an_outcome(cx)),
    },
    Check {
        id: "srv.stream.of-a-settling",
        title: "The stream of a turn whose output settled late gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["streams-no-settling", "settling-is-a-message"],
        run: |cx| Box::pin(of_a_settling(cx)),
    },
    Check {
        id: "srv.stream.of-an-end",
        title: "The stream of an ended Session gives every envelope of the list, each framed by its seq and type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-1", "STR-3"],
        killed_by: &["ends-are-messages", "stream-of-the-ended-counts-on"],
        run: |cx| Box::pin(of_an_end(cx)),
    },
];

type Answer = fn(&Bench, &Event) -> Value;

/// More answers than a turn of the suite takes.
const ANSWERS: usize = 16;

async fn of_a_question(cx: &mut Context<'_>) -> Judgement {
    let session = answered(cx, AgentKind::Question, wait::fitting).await?;
    mirrored(cx, &session, "an answered Question").await?;
    cx.pass()
}

async fn of_a_call(cx: &mut Context<'_>) -> Judgement {
    let denied: Answer = |bench, action| wait::confirmation(bench, action, "deny");
    let cases: [(AgentKind, &str, Answer); 5] = [
        (AgentKind::Approval, "an allowed call", wait::fitting),
        (AgentKind::Approval, "a denied call", denied),
        (
            AgentKind::CustomTool,
            "a call that took its result",
            wait::fitting,
        ),
        (AgentKind::GovernedTool, "a governed call", wait::fitting),
        (AgentKind::SeveralActions, "several calls", wait::fitting),
    ];
    let mut lacking = None;
    for (kind, what, answer) in cases {
        match answered(cx, kind, answer).await {
            Ok(session) => mirrored(cx, &session, what).await?,
            Err(Stop::Inconclusive(why)) => lacking = Some(why),
            Err(stop) => return Err(stop),
        }
    }
    match lacking {
        Some(why) => Err(Stop::Inconclusive(why)),
        None => cx.pass(),
    }
}

/// A Session whose Agent asked, and got all that it asked for.
async fn answered(cx: &Context<'_>, kind: AgentKind, answer: Answer) -> Result<Session, Stop> {
    let session = cx.session_of(kind).await?;
    let parked = cx.parked(&session).await?;
    let mut log = parked.log;
    for action in &parked.actions {
        cx.accepted(&session, &answer(cx.bench, action)).await?;
        log = cx.still(&session, log.head()).await?;
    }
    // An allowed call of the application's waits for its result too.
    let open = |events: &[Event]| !events.iter().any(Event::settles_session);
    for action in parked
        .actions
        .iter()
        .filter(|action| wait::is_custom(action))
        .take(ANSWERS)
    {
        if open(log.above(parked.input.seq)) {
            let result = wait::result(cx.bench, action, &"done".into());
            cx.post(&session, &result).await?;
            log = cx.still(&session, log.head()).await?;
        }
    }
    Ok(session)
}

async fn of_an_interrupt(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Slow).await?;
    let (log, _) = run_of_slow(cx, &session).await?;
    interrupted(cx, &session, &log).await?;
    mirrored(cx, &session, "an interrupted turn").await?;
    let session = cx.session_of(AgentKind::Question).await?;
    let Parked { log, .. } = cx.parked(&session).await?;
    interrupted(cx, &session, &log).await?;
    mirrored(cx, &session, "an interrupted Question").await?;
    cx.pass()
}

async fn of_a_failure(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Broken).await?;
    cx.turn(&session).await?;
    mirrored(cx, &session, "a failed turn").await?;
    let session = cx.session_of(AgentKind::Broken).await?;
    let head = cx.log(&session.id).await?.head();
    let marker = cx.bench.fresh_name("failure");
    let message = turn::message_saying(cx.bench, &format!("Let the whole session fail. ({marker})"));
    let said = cx.accepted(&session, &message).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    cx.still(&session, head).await?;
    mirrored(cx, &session, "a failed Session").await?;
    cx.pass()
}

async fn of_an_outcome(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let body = outcome(cx, "A short greeting.", 20);
    worked_for(cx, &session, body).await?;
    mirrored(cx, &session, "work for an Outcome").await?;
    cx.pass()
}

async fn of_a_settling(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Reconcile).await?;
    cx.turn(&session).await?;
    mirrored(cx, &session, "output that settled late").await?;
    cx.pass()
}

async fn of_an_end(cx: &mut Context<'_>) -> Judgement {
    for how in ["complete", "cancel"] {
        let session = cx.session().await?;
        cx.turn(&session).await?;
        let answer = end(cx, &session, how).await?;
        if let Err(Stop::Fail(_)) = expect::success(&answer) {
            return Err(Stop::Inconclusive(format!(
                "no way known to {how} a Session here"
            )));
        }
        mirrored(cx, &session, &format!("a Session ended by {how}")).await?;
    }
    cx.pass()
}

/// The stream is the list, and goes on behind a few cuts.
async fn mirrored(cx: &mut Context<'_>, session: &Session, what: &str) -> Result<(), Stop> {
    let view = View::of_session(session, what);
    let log = view.expect_mirrored(cx).await?;
    view.expect_resumed(cx, &log, cuts(&log)).await
}
