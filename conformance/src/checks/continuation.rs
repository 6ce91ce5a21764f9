use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, bench::Bench, event::Event, log::Log, wait},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

const KILLERS: &[&str] = &["another-run-goes-on", "an-answer-starts-a-run"];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.continuation.question",
        title: "The answer to a Question continues its Run, up to the Run's end.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-2", "WAIT-3"],
        killed_by: KILLERS,
        run: |cx| Box::pin(continues(cx, AgentKind::Question, wait::fitting)),
    },
    Check {
        id: "srv.continuation.allowed",
        title: "An allowed call continues its Run, up to the Run's end.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-3"],
        killed_by: KILLERS,
        run: |cx| Box::pin(continues(cx, AgentKind::Approval, wait::fitting)),
    },
    Check {
        id: "srv.continuation.denied",
        title: "A denied call continues its Run too, up to the Run's end.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-3"],
        killed_by: KILLERS,
        run: |cx| Box::pin(continues(cx, AgentKind::Approval, denial)),
    },
    Check {
        id: "srv.continuation.tool-result",
        title: "The result of an application-executed tool continues its Run, up to the Run's end.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-1", "WAIT-3"],
        killed_by: KILLERS,
        run: |cx| Box::pin(continues(cx, AgentKind::CustomTool, wait::fitting)),
    },
    Check {
        id: "srv.continuation.allowed-needs-its-result",
        title: "An allowed application-executed call stays open until its result comes; then its Run settles.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-5", "WAIT-3"],
        killed_by: &["allowed-is-done", "allowed-takes-no-result"],
        run: |cx| Box::pin(allowed_needs_its_result(cx)),
    },
    Check {
        id: "srv.continuation.keeps-the-run",
        title: "The Run that goes on has the id of the one that waited.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["A-CONT"],
        killed_by: &["continues-under-another-id", "server:resumes_as_other_run"],
        run: |cx| Box::pin(keeps_the_run(cx)),
    },
    Check {
        id: "srv.continuation.order",
        title: "An answer is followed by its decision, the resumed Run and a status, and counts as a continuation, not an attempt.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-PARK", "A-CONT"],
        killed_by: &[
            "decides-unseen",
            "counts-no-continuation",
            "continuation-is-an-attempt",
            "server:continuation_stays",
        ],
        run: |cx| Box::pin(order(cx)),
    },
];

/// What answers an action.
type Answer = fn(&Bench, &Event) -> Value;

fn denial(bench: &Bench, action: &Event) -> Value {
    wait::confirmation(bench, action, "deny")
}

async fn continues(cx: &mut Context<'_>, kind: AgentKind, answer: Answer) -> Judgement {
    let session = cx.session_of(kind).await?;
    let parked = cx.parked(&session).await?;
    expect::unsettled(parked.events(), &parked.log.evidence)?;
    let accepted = cx.accepted(&session, &answer(cx.bench, parked.action())).await?;
    let log = cx.still(&session, parked.log.head()).await?;
    let run = same_run_settles(parked.run_id()?, &log, parked.log.head())?;
    cx.saw("the answer is accepted", &accepted);
    cx.saw(format!("{run} waited and settled"), &log.evidence);
    cx.pass()
}

/// The Run that waited settles above `seq`: itself, or a Run that says that it continues it.
fn same_run_settles(waited: &str, log: &Log, seq: u64) -> Result<String, Stop> {
    let mut run = waited.to_owned();
    for event in log.above(seq) {
        if event.kind == "run.created" && event.run_id() != Some(run.as_str()) {
            let continued = event.payload("/continues_run_id").and_then(Value::as_str);
            let actual = format!("{} at seq {} continues {continued:?}", event.kind, event.seq);
            let expected = format!("no Run in the place of {run}");
            expect::that(continued == Some(run.as_str()), &log.evidence, expected, actual)?;
            run = event.run_id().unwrap_or_default().to_owned();
        }
    }
    let ends: Vec<_> = log
        .above(seq)
        .iter()
        .filter(|event| event.settles_run())
        .collect();
    if ends.is_empty() && !log.above(seq).iter().any(Event::settles_session) {
        return Err(Stop::Inconclusive("the Agent asks for something more".to_owned()));
    }
    let named = ends
        .iter()
        .filter(|event| event.run_id() == Some(run.as_str()))
        .count();
    expect::that(
        named == 1 && ends.len() == 1,
        &log.evidence,
        format!("one end after the answer, of {run}"),
        ends.iter().map(|event| event.raw.to_string()).collect::<String>(),
    )?;
    Ok(run)
}

async fn allowed_needs_its_result(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::GovernedTool).await?;
    let parked = cx.parked(&session).await?;
    let action = parked.action();
    if !wait::is_custom(action) {
        return Err(Stop::Inconclusive("the call is not the application's".to_owned()));
    }
    let decision = wait::confirmation(cx.bench, action, "allow");
    cx.accepted(&session, &decision).await?;
    let allowed = cx.still(&session, parked.log.head()).await?;
    expect::unsettled(allowed.above(parked.input.seq), &allowed.evidence)?;
    cx.saw("the allowed call is still open", &allowed.evidence);
    let result = wait::result(cx.bench, action, &"done".into());
    let accepted = cx.accepted(&session, &result).await?;
    cx.saw("its result is accepted", &accepted);
    let log = cx.still(&session, allowed.head()).await?;
    let run = same_run_settles(parked.run_id()?, &log, allowed.head())?;
    cx.saw(format!("then {run} settled"), &log.evidence);
    cx.pass()
}

async fn keeps_the_run(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let run = Value::from(parked.run_id()?);
    cx.accepted(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    let log = cx.still(&session, parked.log.head()).await?;
    let events = log.above(parked.log.head());
    for event in events.iter().filter(|event| event.kind.starts_with("run.")) {
        let what = format!("the Run of {} at seq {}", event.kind, event.seq);
        expect::equal(&log.evidence, &what, &run, &event.run_id().into())?;
        cx.saw(format!("{} names {run}", event.kind), &log.evidence);
    }
    cx.pass()
}

async fn order(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let run = parked.run_id()?;
    let path = format!("{}/runs/{run}", session.path());
    let waiting = cx.send(Request::get(&path)).await?;
    counted(&waiting, "waiting", 0)?;
    cx.accepted(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    let log = cx.still(&session, parked.log.head()).await?;
    let events = log.above(parked.log.head());
    let expected = ["user.tool_confirmation", "action_approval.decided", "run.resumed"];
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    expect::that(
        kinds.starts_with(&expected),
        &log.evidence,
        expected.join(", "),
        kinds.join(", "),
    )?;
    let count = events[2].payload("/continuation").unwrap_or(&Value::Null);
    expect::equal(&log.evidence, "continuation of run.resumed", &1.into(), count)?;
    cx.saw(format!("{} after the decision", kinds.join(", ")), &log.evidence);
    let settled = cx.send(Request::get(&path)).await?;
    counted(&settled, "completed", 1)?;
    cx.saw(format!("{run} has one attempt and one continuation"), &settled);
    cx.pass()
}

fn counted(answer: &Exchange, status: &str, continuation: u64) -> Result<(), Stop> {
    expect::status(answer, 200)?;
    let run = expect::json(answer)?;
    let is = |pointer: &str, expected: Value| {
        expect::equal(answer, pointer, &expected, expect::member(answer, &run, pointer)?)
    };
    is("/status", status.into())?;
    is("/attempt", 1.into())?;
    is("/continuation", continuation.into())
}
