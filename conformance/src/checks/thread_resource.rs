use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        session::Session,
        thread::{self, Thread, Threads, UNKNOWN_THREAD},
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.thread.fenced-by-session",
        title: "A thread of another Session is 404, as one that does not exist.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-3"],
        killed_by: &[
            "threads-know-no-session",
            "foreign-thread-is-forbidden",
            "server:any_sessions_thread",
        ],
        run: |cx| Box::pin(fenced_by_session(cx)),
    },
    Check {
        id: "srv.thread.fenced-everywhere",
        title: "Its events, its stream and its archiving are 404 below another Session too.",
        level: Level::Derived,
        stimulus: Stimulus::Create,
        requirements: &["THR-3"],
        killed_by: &[
            "foreign-thread-has-no-events",
            "unknown-thread-is-archived",
            "server:any_sessions_thread",
        ],
        run: |cx| Box::pin(fenced_everywhere(cx)),
    },
    Check {
        id: "srv.thread.shape",
        title: "Each thread has its documented members, with a frozen Agent that has no multiagent part.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-10", "THR-12", "THR-13"],
        killed_by: &[
            "thread-with-a-fifth-status",
            "thread-with-multiagent",
            "thread-without-a-parent-member",
            "thread-stats-as-text",
        ],
        run: |cx| Box::pin(shape(cx)),
    },
    Check {
        id: "srv.thread.entry-is-resource",
        title: "The entry in the list of threads is the thread that retrieving it shows.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["THR-1", "THR-3"],
        killed_by: &["stale-thread-entry", "retrieved-thread-is-older"],
        run: |cx| Box::pin(entry_is_resource(cx)),
    },
];

async fn fenced_by_session(cx: &mut Context<'_>) -> Judgement {
    let (here, foreign) = foreign(cx).await?;
    for id in [UNKNOWN_THREAD, &foreign] {
        let answer = cx.send(Request::get(thread::path(&here.id, id))).await?;
        expect::status(&answer, 404)?;
        cx.saw(format!("{id} is 404 in another Session"), &answer);
    }
    cx.pass()
}

async fn fenced_everywhere(cx: &mut Context<'_>) -> Judgement {
    let (here, foreign) = foreign(cx).await?;
    for id in [UNKNOWN_THREAD, &foreign] {
        let path = thread::path(&here.id, id);
        let stream = cx.open_refused(Request::get(format!("{path}/stream"))).await?;
        let events = cx.send(Request::get(format!("{path}/events"))).await?;
        let archive = cx.send(Request::post_empty(format!("{path}/archive"))).await?;
        for answer in [stream, events, archive] {
            expect::status(&answer, 404)?;
            cx.saw(
                format!("{} {} answered 404", answer.method(), answer.path()),
                &answer,
            );
        }
    }
    cx.pass()
}

/// A Session, and a thread of another one that is readable there.
async fn foreign(cx: &mut Context<'_>) -> Result<(Session, String), Stop> {
    let here = cx.readable().await?;
    let there = cx.stranger(&here).await?;
    let foreign = cx.primary(&there.id).await?.id;
    let (_, answer) = thread::retrieve(cx.bench, &there.id, &foreign).await?;
    cx.saw(format!("{foreign} is readable in its own Session"), &answer);
    Ok((here, foreign))
}

async fn shape(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    cx.offered("threads").await?;
    let threads = Threads::read(cx.bench, &session.id).await?;
    for thread in &threads.all {
        whole(&threads.evidence, &session.id, thread)?;
        cx.saw(
            format!("{} has every documented member", thread.id),
            &threads.evidence,
        );
    }
    cx.pass()
}

pub(super) fn whole(answer: &Exchange, session_id: &str, thread: &Thread) -> Result<(), Stop> {
    let resource = &thread.resource;
    let is = |pointer: &str, expected: Value| {
        expect::equal(
            answer,
            pointer,
            &expected,
            expect::member(answer, resource, pointer)?,
        )
    };
    is("/type", json!("session_thread"))?;
    is("/session_id", json!(session_id))?;
    let known = ["running", "idle", "rescheduling", "terminated"].contains(&thread.status());
    expect::that(
        known,
        answer,
        "one of the four statuses of a thread",
        thread.status(),
    )?;
    for (pointer, shape) in [
        ("/created_at", "a timestamp"),
        ("/updated_at", "a timestamp"),
        ("/parent_thread_id", "a string or null"),
        ("/archived_at", "a string or null"),
        ("/stats", "an object or null"),
        ("/usage", "an object or null"),
        ("/agent", "an object"),
    ] {
        let member = expect::member(answer, resource, pointer)?;
        let fits = match member {
            Value::Null => shape.ends_with("null"),
            Value::String(_) => !shape.starts_with("an object"),
            Value::Number(_) => shape == "a timestamp",
            Value::Object(_) => shape.starts_with("an object"),
            _ => false,
        };
        expect::that(
            fits,
            answer,
            format!("{pointer} to be {shape}"),
            member.to_string(),
        )?;
    }
    let agent = resource["agent"].as_object();
    let mut parts = agent.into_iter().flat_map(|agent| agent.values());
    let plain =
        resource["agent"].get("multiagent").is_none() && parts.all(|part| part.get("multiagent").is_none());
    expect::that(
        plain,
        answer,
        "a frozen Agent without a multiagent part",
        resource["agent"].to_string(),
    )
}

async fn entry_is_resource(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    cx.offered("threads").await?;
    let threads = Threads::read(cx.bench, &settled.session.id).await?;
    for entry in &threads.all {
        let (thread, answer) = thread::retrieve(cx.bench, &settled.session.id, &entry.id).await?;
        expect::equal(
            &answer,
            "the retrieved thread",
            &entry.at_rest(),
            &thread.at_rest(),
        )?;
        cx.saw(format!("{} is as its entry", entry.id), &answer);
    }
    expect::that(!threads.all.is_empty(), &threads.evidence, "a thread", "none")?;
    cx.pass()
}
