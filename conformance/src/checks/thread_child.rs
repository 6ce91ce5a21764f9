use serde_json::{Value, json};

use super::session_view::in_order;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        thread::{self, Thread},
    },
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.thread.times",
        title: "No thread was updated before it was created, in the list and retrieved.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["THR-10"],
        killed_by: &[
            "threads-updated-before-their-time",
            "retrieved-thread-updated-before-its-time",
        ],
        run: |cx| Box::pin(times(cx)),
    },
    Check {
        id: "srv.thread.child-entry-is-resource",
        title: "The entry of a child in the list of threads is the thread that retrieving it shows.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["THR-1", "THR-12", "THR-13"],
        killed_by: &["retrieved-child-of-another-agent", "listed-child-used-nothing"],
        run: |cx| Box::pin(child_entry_is_resource(cx)),
    },
    Check {
        id: "srv.thread.one-agent-a-version",
        title: "Threads that name the same version of the same Agent show the same Agent.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["THR-12"],
        killed_by: &["children-of-one-agent", "children-have-the-agent-of-the-primary"],
        run: |cx| Box::pin(one_agent_a_version(cx)),
    },
    Check {
        id: "srv.thread.child-as-logged",
        title: "A child's name, status, stop reason and usage are those of its own history.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-VIEW", "A-STOP", "A-EP"],
        killed_by: &[
            "children-always-terminated",
            "children-stop-for-no-reason",
            "children-use-nothing",
            "children-of-one-name",
        ],
        run: |cx| Box::pin(child_as_logged(cx)),
    },
];

async fn times(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let threads = &family.threads;
    for listed in &threads.all {
        in_order(&threads.evidence, &listed.resource, "created_at", "updated_at")?;
        let (shown, answer) = thread::retrieve(cx.bench, &family.session.id, &listed.id).await?;
        in_order(&answer, &shown.resource, "created_at", "updated_at")?;
        cx.saw(format!("{} was updated after it was created", listed.id), &answer);
    }
    cx.pass()
}

async fn child_entry_is_resource(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for listed in family.threads.children() {
        let (shown, answer) = thread::retrieve(cx.bench, &family.session.id, &listed.id).await?;
        expect::equal(
            &answer,
            "the retrieved child",
            &listed.at_rest(),
            &shown.at_rest(),
        )?;
        cx.saw(format!("{} is as its entry", listed.id), &answer);
    }
    cx.pass()
}

async fn one_agent_a_version(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let threads = &family.threads;
    let named = |thread: &Thread| {
        json!([
            thread.resource["agent"]["id"],
            thread.resource["agent"]["version"]
        ])
    };
    for (place, thread) in threads.all.iter().enumerate() {
        let before = threads.all[..place]
            .iter()
            .find(|other| named(other) == named(thread));
        if let Some(before) = before {
            let what = format!(
                "the Agent of {}, by id and version that of {},",
                thread.id, before.id
            );
            let [expected, actual] = [before, thread].map(|thread| &thread.resource["agent"]);
            expect::equal(&threads.evidence, &what, expected, actual)?;
        }
        cx.saw(
            format!("{} has the Agent {}", thread.id, named(thread)),
            &threads.evidence,
        );
    }
    cx.pass()
}

async fn child_as_logged(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for (child, log) in &family.histories {
        let Thread { id, resource, .. } = child;
        for (pointer, expected) in recorded(&log.events) {
            let actual = resource.pointer(pointer).unwrap_or(&Value::Null);
            let what = format!("{pointer} of {id}");
            expect::equal(&family.threads.evidence, &what, &expected, actual)?;
        }
        cx.saw(format!("{id} is as its history has it"), &family.threads.evidence);
    }
    cx.pass()
}

/// What a child's history says of it, by the members of the resource; what it does not tell is left out.
fn recorded(history: &[Event]) -> Vec<(&'static str, Value)> {
    let mut recorded = Vec::new();
    let born = history
        .iter()
        .find(|event| event.kind == "session.thread_created");
    if let Some(name) = born.and_then(|born| born.payload("/agent_name")) {
        recorded.push(("/agent/draft/name", name.clone()));
    }
    let mut moved = history.iter().rev();
    let moved = moved.find(|event| event.kind.starts_with("session.thread_status_"));
    if let Some(moved) = moved {
        let status = match moved.kind.as_str() {
            "session.thread_status_rescheduled" => "rescheduling",
            kind => kind.trim_start_matches("session.thread_status_"),
        };
        recorded.push(("/status", json!(status)));
        if status == "idle" {
            let reason = moved.payload("/stop_reason").cloned().unwrap_or_default();
            recorded.push(("/stop_reason", reason));
        }
    }
    for pointer in COUNTS {
        let told = history.iter().filter(|event| event.settles_run());
        let told: Vec<_> = told.filter_map(|end| end.payload(pointer)?.as_u64()).collect();
        if !told.is_empty() {
            recorded.push((pointer, json!(told.iter().sum::<u64>())));
        }
    }
    recorded
}

/// Where a thread and the end of a Run count tokens.
const COUNTS: [&str; 4] = [
    "/usage/input_tokens",
    "/usage/output_tokens",
    "/usage/cache_read_input_tokens",
    "/usage/cache_creation_input_tokens",
];
