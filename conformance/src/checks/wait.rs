use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, session::Session, wait},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.wait.tool-call-settles-nothing",
        title: "While an application-executed call waits for its result, neither its Run nor the turn is settled.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-4"],
        killed_by: &[
            "wait-ends-the-turn",
            "wait-ends-the-run",
            "server:boundary_is_end_turn",
        ],
        run: |cx| Box::pin(settles_nothing(cx, AgentKind::CustomTool)),
    },
    Check {
        id: "srv.wait.approval-settles-nothing",
        title: "While a call waits for its approval, neither its Run nor the turn is settled.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-4"],
        killed_by: &[
            "wait-ends-the-turn",
            "wait-ends-the-run",
            "server:boundary_is_end_turn",
        ],
        run: |cx| Box::pin(settles_nothing(cx, AgentKind::Approval)),
    },
    Check {
        id: "srv.wait.question-pauses",
        title: "A Question moves the Session to paused and settles neither its Run nor the turn.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-2", "SES-7"],
        killed_by: &[
            "question-waits",
            "paused-session-reads-waiting",
            "wait-ends-the-run",
            "server:question_does_not_pause",
        ],
        run: |cx| Box::pin(question_pauses(cx)),
    },
    Check {
        id: "srv.wait.boundary",
        title: "A call that blocks writes its wait, an idle that names it and a waiting, and the Session is waiting.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-PARK", "A-WAIT", "A-HEAD"],
        killed_by: &[
            "waits-unseen",
            "boundary-without-event-ids",
            "waiting-session-reads-idle",
            "server:event_ids_repeat",
            "server:no_run_waiting",
            "server:status_lags",
            "server:waiting_without_idle",
        ],
        run: |cx| Box::pin(boundary(cx)),
    },
    Check {
        id: "srv.wait.several-take-their-answers",
        title: "Calls that block at once each take their own answer, and the Run settles after the last.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-3", "WAIT-4"],
        killed_by: &[
            "takes-one-answer-only",
            "one-answer-is-enough",
            "server:boundary_is_end_turn",
        ],
        run: |cx| Box::pin(several_take_their_answers(cx)),
    },
    Check {
        id: "srv.wait.several-resume-together",
        title: "As long as one of several calls is open nothing resumes, and the boundary is written again with the rest.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-PARK"],
        killed_by: &[
            "boundary-keeps-what-is-answered",
            "resumes-too-early",
            "server:boundary_not_rewritten",
        ],
        run: |cx| Box::pin(several_resume_together(cx)),
    },
];

async fn settles_nothing(cx: &mut Context<'_>, kind: AgentKind) -> Judgement {
    let session = cx.session_of(kind).await?;
    let parked = cx.parked(&session).await?;
    expect::unsettled(parked.events(), &parked.log.evidence)?;
    let seq = parked.action().seq;
    cx.saw(
        format!("the call at seq {seq} is open and nothing is settled"),
        &parked.log.evidence,
    );
    cx.pass()
}

async fn question_pauses(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let evidence = &parked.log.evidence;
    expect::unsettled(parked.events(), evidence)?;
    let status = last_status(parked.events());
    expect::that(
        status == "session.status_paused",
        evidence,
        "session.status_paused after the Question",
        status,
    )?;
    cx.saw("the log says paused and nothing is settled", evidence);
    let answer = cx.send(Request::get(session.path())).await?;
    let resource = expect::json(&answer)?;
    let found = expect::member(&answer, &resource, "/status")?;
    let what = "the status of a Session that asked a Question";
    expect::equal(&answer, what, &"paused".into(), found)?;
    cx.saw("the Session is paused", &answer);
    cx.pass()
}

async fn boundary(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let evidence = &parked.log.evidence;
    let expected = [
        "agent.tool_use",
        "action_approval.requested",
        "run.waiting",
        "session.status_idle",
        "session.status_waiting",
    ];
    let from_call = parked.log.above(parked.action().seq - 1);
    let kinds: Vec<_> = from_call.iter().map(|event| event.kind.as_str()).collect();
    expect::that(kinds == expected, evidence, expected.join(", "), kinds.join(", "))?;
    names(evidence, &from_call[3], &[parked.action()])?;
    cx.saw(
        "the call, its approval, its wait and the boundary that names it",
        evidence,
    );
    let answer = cx.send(Request::get(session.path())).await?;
    let resource = expect::json(&answer)?;
    for (pointer, value) in [("/status", "waiting"), ("/stop_reason", "requires_action")] {
        let found = expect::member(&answer, &resource, pointer)?;
        expect::equal(&answer, pointer, &value.into(), found)?;
    }
    cx.saw("the Session is waiting for an action", &answer);
    cx.pass()
}

async fn several_take_their_answers(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::SeveralActions).await?;
    let parked = several(cx, &session).await?;
    let mut log = parked.log.clone();
    // Another order than that of the calls: each answer finds its own.
    for action in parked.actions.iter().rev() {
        expect::unsettled(log.above(parked.input.seq), &log.evidence)?;
        let answer = cx.accepted(&session, &wait::fitting(cx.bench, action)).await?;
        cx.saw(format!("the call at seq {} took its answer", action.seq), &answer);
        log = cx.still(&session, log.head()).await?;
    }
    let run = parked.run_id()?;
    let events = log.above(parked.action().seq);
    let ended = events
        .iter()
        .any(|event| event.settles_run() && event.run_id() == Some(run));
    expect::that(
        ended,
        &log.evidence,
        format!("the end of {run} after the last answer"),
        last_status(events),
    )?;
    cx.saw("after the last answer the Run settled", &log.evidence);
    cx.pass()
}

async fn several_resume_together(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::SeveralActions).await?;
    let parked = several(cx, &session).await?;
    let Some((first, rest)) = parked.actions.split_first() else {
        return Err(Stop::Inconclusive("no calls".to_owned()));
    };
    cx.accepted(&session, &wait::fitting(cx.bench, first)).await?;
    let head = parked.log.head();
    let decided = |log: &Log| look::stands_still(log.above(head)) || resumes(log.above(head));
    let deadline = cx.bench.turn_deadline();
    let looked = look::until(cx.bench, &session.id, deadline, decided).await?;
    let never = |log: Log| Stop::fail("the boundary again", "none", &log.evidence);
    let log = looked.map_err(never)?;
    let events = log.above(head);
    expect::that(
        !resumes(events),
        &log.evidence,
        "no run.resumed while a call is open",
        "run.resumed",
    )?;
    let idle = events.iter().find(|event| event.kind == "session.status_idle");
    let idle = idle.ok_or_else(|| Stop::fail("the boundary again", last_status(events), &log.evidence))?;
    names(&log.evidence, idle, &rest.iter().collect::<Vec<_>>())?;
    cx.saw("the boundary stands again, with the open calls", &log.evidence);
    cx.pass()
}

fn resumes(events: &[Event]) -> bool {
    events.iter().any(|event| event.kind == "run.resumed")
}

async fn several(cx: &Context<'_>, session: &Session) -> Result<wait::Parked, Stop> {
    wait::Parked::reach(cx.bench, &session.id, 2).await
}

/// The boundary names these calls, in their order.
fn names(evidence: &Exchange, idle: &Event, actions: &[&Event]) -> Result<(), Stop> {
    let ids: Vec<_> = actions.iter().map(|action| action.id.as_str()).collect();
    let named = idle.payload("/event_ids").unwrap_or(&Value::Null);
    expect::equal(evidence, "event_ids of the boundary", &ids.into(), named)
}

fn last_status(events: &[Event]) -> &str {
    let status = events
        .iter()
        .rev()
        .find(|event| event.kind.starts_with("session.status_"));
    status.map_or("no status", |event| event.kind.as_str())
}
