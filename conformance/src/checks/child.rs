use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, family::Family, replay::Replay, thread, turn},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.child.call-on-the-session",
        title: "A child's blocking call is read from the Session's list and stream, and answering it at the Session makes the child go on.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-7"],
        killed_by: &[
            "session-hides-calls-of-children",
            "stream-hides-calls-of-children",
            "answer-reaches-nobody",
            "server:session_hides_children",
        ],
        run: |cx| Box::pin(call_on_the_session(cx)),
    },
    Check {
        id: "srv.child.no-endpoint-of-its-own",
        title: "There is no way to answer at a thread.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-7"],
        killed_by: &[
            "takes-answers-at-threads",
            "refuses-answers-at-threads-and-takes-them",
        ],
        run: |cx| Box::pin(no_endpoint_of_its_own(cx)),
    },
    Check {
        id: "srv.child.shared-id-needs-a-thread",
        title: "Where two children wait under one tool_use_id, an answer without session_thread_id is refused and changes nothing; with it, it reaches that child alone.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-8"],
        killed_by: &[
            "answers-the-first-of-two",
            "answers-both-of-two",
            "server:thread_guessed",
        ],
        run: |cx| Box::pin(shared_id_needs_a_thread(cx)),
    },
    Check {
        id: "srv.child.ambiguity-names-the-threads",
        title: "That refusal is 409 runtime.ambiguous_thread and names both threads.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN"],
        killed_by: &["ambiguity-without-candidates"],
        run: |cx| Box::pin(ambiguity_names_the_threads(cx)),
    },
];

/// The two children that wait and the id under which both do.
pub(super) async fn twins(cx: &Context<'_>) -> Result<(Family, [String; 2], String), Stop> {
    let family = cx.family_of(AgentKind::Twins).await?;
    cx.offered("waits").await?;
    let mut calls = Vec::new();
    for (child, log) in &family.histories {
        let call = log.events.iter().find(|event| is_call(event));
        if let Some(id) = call.and_then(tool_use_id) {
            calls.push((child.id.clone(), id.to_owned()));
        }
    }
    match calls.as_slice() {
        [(one, id), (other, same)] if id == same => {
            let children = [one.clone(), other.clone()];
            Ok((family, children, id.clone()))
        }
        _ => Err(Stop::Inconclusive(format!(
            "no two children wait under one tool_use_id: {calls:?}"
        ))),
    }
}

fn is_call(event: &Event) -> bool {
    event.kind == "agent.tool_use"
}

fn tool_use_id(event: &Event) -> Option<&str> {
    event.payload("/tool_use_id").and_then(Value::as_str)
}

pub(super) fn result(cx: &Context<'_>, tool_use_id: &str, thread: Option<&str>) -> Value {
    let mut payload = json!({"tool_use_id": tool_use_id, "result": {"ticket": "CFU-42"}});
    if let Some(thread) = thread {
        payload["session_thread_id"] = thread.into();
    }
    turn::input(cx.bench, "user.custom_tool_result", payload)
}

/// Whether this child's Run settled behind its call.
pub(super) fn went_on(family: &Family, child: &str) -> bool {
    let history = family.history(child);
    let call = history.iter().rposition(is_call);
    call.is_some_and(|call| history[call..].iter().any(Event::settles_run))
}

async fn call_on_the_session(cx: &mut Context<'_>) -> Judgement {
    let (family, children, id) = twins(cx).await?;
    let stream = Replay::through(cx.bench, Request::get(family.session.stream()), family.log.head()).await?;
    for child in &children {
        let call = family.history(child).iter().find(|event| is_call(event));
        let call = call.map(|event| event.id.clone()).unwrap_or_default();
        for (what, events, evidence) in [
            ("list", &family.log.events, &family.log.evidence),
            ("stream", &stream.events, &stream.evidence),
        ] {
            let there = events.iter().any(|event| event.id == call);
            let expected = format!("the call {call} of {child} on the Session's {what}");
            expect::that(there, evidence, expected, "not there")?;
            cx.saw(
                format!("the call of {child} is on the Session's {what}"),
                evidence,
            );
        }
    }
    for child in &children {
        let answer = cx
            .bench
            .mutate(Request::post(
                family.session.events(),
                &result(cx, &id, Some(child)),
            ))
            .await?;
        expect::success(&answer)?;
        cx.saw(
            format!("an answer for {child} is accepted at the Session"),
            &answer,
        );
    }
    let both = |family: &Family| children.iter().all(|child| went_on(family, child));
    let expected = format!("a settled Run of each of {children:?} after the answers");
    let family = family.until(cx.bench, &expected, both).await?;
    cx.saw("both children went on", &family.log.evidence);
    cx.pass()
}

async fn no_endpoint_of_its_own(cx: &mut Context<'_>) -> Judgement {
    let (family, [child, _], id) = twins(cx).await?;
    let thread = thread::path(&family.session.id, &child);
    for path in [thread.clone(), format!("{thread}/events")] {
        let answer = cx
            .send(Request::post(path, &result(cx, &id, Some(&child))))
            .await?;
        expect::refused_for_good(&answer)?;
        cx.saw(
            format!("POST {} answered {}", answer.path(), answer.status()),
            &answer,
        );
    }
    let now = cx.log(&family.session.id).await?;
    family
        .log
        .expect_unchanged(&now, "the log after answers at a thread")?;
    cx.saw("nothing was appended", &now.evidence);
    cx.pass()
}

async fn shared_id_needs_a_thread(cx: &mut Context<'_>) -> Judgement {
    let (family, [one, other], id) = twins(cx).await?;
    let answer = cx
        .send(Request::post(family.session.events(), &result(cx, &id, None)))
        .await?;
    expect::refused_for_good(&answer)?;
    let now = cx.log(&family.session.id).await?;
    family
        .log
        .expect_unchanged(&now, "the log after an answer to nobody")?;
    cx.saw(
        "an answer that names no thread is refused, and leaves no trace",
        &answer,
    );
    let answer = cx
        .bench
        .mutate(Request::post(
            family.session.events(),
            &result(cx, &id, Some(&other)),
        ))
        .await?;
    expect::success(&answer)?;
    let expected = format!("a settled Run of {other} after the answer");
    let family = family
        .until(cx.bench, &expected, |family| went_on(family, &other))
        .await?;
    let expected = format!("{one} still waiting");
    expect::that(
        !went_on(&family, &one),
        &family.log.evidence,
        expected,
        "its Run settled",
    )?;
    cx.saw(format!("an answer that names {other} reaches it alone"), &answer);
    cx.pass()
}

async fn ambiguity_names_the_threads(cx: &mut Context<'_>) -> Judgement {
    let (family, children, id) = twins(cx).await?;
    let answer = cx
        .send(Request::post(family.session.events(), &result(cx, &id, None)))
        .await?;
    let body = expect::error(&answer, 409, "runtime.ambiguous_thread")?;
    let details = expect::member(&answer, &body, "/error/details")?.to_string();
    for child in &children {
        expect::that(
            details.contains(child.as_str()),
            &answer,
            format!("{child} in the details"),
            &details,
        )?;
    }
    cx.saw("the refusal names both children", &answer);
    cx.pass()
}
