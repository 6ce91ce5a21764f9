use std::collections::{HashMap, HashSet};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        family::Family,
        log::{LARGEST_PAGE, Log, Page},
        thread::Thread,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.thread.after-and-page",
        title: "after begins right behind that seq on a thread's list too, and pages of any size give the same events.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-5"],
        killed_by: &[
            "thread-after-is-inclusive",
            "thread-events-ignore-after",
            "thread-page-loses-its-last",
        ],
        run: |cx| Box::pin(after_and_page(cx)),
    },
    Check {
        id: "srv.thread.page-and-after-conflict",
        title: "page together with after is refused on a thread's list too.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &["thread-prefers-after-to-page"],
        run: |cx| Box::pin(page_and_after_conflict(cx)),
    },
    Check {
        id: "srv.thread.primary-is-session",
        title: "The primary thread's list is the Session's.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-VIEW", "THR-5"],
        killed_by: &["primary-thread-lacks-the-message", "primary-thread-ends-early"],
        run: |cx| Box::pin(primary_is_session(cx)),
    },
    Check {
        id: "srv.thread.child-has-its-runs",
        title: "A child's list has the settlement of its Run.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-5"],
        killed_by: &["child-without-its-runs", "child-history-is-the-sessions"],
        run: |cx| Box::pin(child_has_its_runs(cx)),
    },
    Check {
        id: "srv.thread.views-agree",
        title: "What stands in a child's list and in the Session's is the same event; each event of a child carries its thread, and seq orders both.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-VIEW", "A-CURSOR", "A-ID"],
        killed_by: &[
            "child-events-name-no-thread",
            "views-number-apart",
            "two-events-under-one-seq",
        ],
        run: |cx| Box::pin(views_agree(cx)),
    },
    Check {
        id: "srv.thread.local-stays-local",
        title: "A child's own Runs and messages stay out of the Session's list; its calls and messages between threads are in it.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-VIEW"],
        killed_by: &[
            "child-runs-in-the-session",
            "session-hides-thread-messages",
            "server:session_hides_children",
            "server:session_shows_children",
        ],
        run: |cx| Box::pin(local_stays_local(cx)),
    },
    Check {
        id: "srv.thread.stop-reasons",
        title: "A Session's idle has its stop reason as a string, a thread's as an object with a type.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-STOP"],
        killed_by: &[
            "session-stop-reason-as-an-object",
            "thread-stop-reason-as-a-string",
        ],
        run: |cx| Box::pin(stop_reasons(cx)),
    },
];

/// The primary thread of a settled Session and its list.
async fn settled(cx: &Context<'_>) -> Result<(Thread, Log), Stop> {
    let settled = cx.settled().await?;
    let primary = cx.primary(&settled.session.id).await?;
    let log = Log::walk_at(cx.bench, &primary.events(), LARGEST_PAGE).await?;
    Ok((primary, log))
}

async fn after_and_page(cx: &mut Context<'_>) -> Judgement {
    let (primary, log) = settled(cx).await?;
    expect::that(
        !log.events.is_empty(),
        &log.evidence,
        "events of the primary thread",
        "none",
    )?;
    for event in &log.events {
        let rest = Log::walk_after_at(cx.bench, &primary.events(), event.seq).await?;
        let what = format!("the thread's list after {}", event.seq);
        expect::same_events(&rest.evidence, &what, log.above(event.seq), &rest.events)?;
        cx.saw(
            format!("after {} come {} events", event.seq, rest.events.len()),
            &rest.evidence,
        );
    }
    for limit in [1, 3, 7] {
        let walked = Log::walk_at(cx.bench, &primary.events(), limit).await?;
        let what = format!("the thread's walk with pages of {limit}");
        log.expect_unchanged(&walked, &what)?;
        cx.saw(format!("{what} gives the same"), &walked.evidence);
    }
    cx.pass()
}

async fn page_and_after_conflict(cx: &mut Context<'_>) -> Judgement {
    let (primary, _) = settled(cx).await?;
    let request = Request::get(primary.events()).query("limit", 2);
    let page = Page::read(cx.send(request.clone()).await?)?;
    let Some(token) = page.next else {
        let expected = "a next_page after the first of many events";
        return Err(Stop::fail(expected, "none", &page.answer));
    };
    let answer = cx.send(request.query("page", token).query("after", 1)).await?;
    expect::error(&answer, 400, "request.conflicting_parameters")?;
    cx.saw("both together are refused", &answer);
    cx.pass()
}

async fn primary_is_session(cx: &mut Context<'_>) -> Judgement {
    let (_, log) = settled(cx).await?;
    let session = cx.settled().await?;
    let what = "the primary thread's list beside the Session's";
    expect::same_events(&log.evidence, what, &session.log().events, &log.events)?;
    cx.saw(
        format!("both have the same {} events", log.events.len()),
        &log.evidence,
    );
    cx.pass()
}

/// What is read of a child, with its evidence.
fn histories(family: &Family) -> impl Iterator<Item = (&Thread, &Log)> {
    family.histories.iter().map(|(thread, log)| (thread, log))
}

async fn child_has_its_runs(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let mut settled = 0;
    for (child, log) in histories(&family) {
        let own = |event: &&Event| event.seq != family.input.seq || event.id != family.input.id;
        let strangers = log.events.iter().find(|event| !own(event));
        let expected = "a child's history without the message to the primary";
        expect::that(
            strangers.is_none(),
            &log.evidence,
            expected,
            family.input.raw.to_string(),
        )?;
        // A child whose Run still waits has none that settled.
        if log.events.iter().any(Event::settles_run) {
            settled += 1;
            cx.saw(format!("{} shows that its Run settled", child.id), &log.evidence);
        }
    }
    let last = family.histories.last().map(|(_, log)| &log.evidence);
    let evidence = last.unwrap_or(&family.threads.evidence);
    let expected = "a child whose list has run.completed, run.failed or run.canceled";
    expect::that(settled > 0, evidence, expected, "none of the children")?;
    cx.pass()
}

async fn views_agree(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let mut known: HashMap<u64, &Event> = family.log.events.iter().map(|event| (event.seq, event)).collect();
    for (child, log) in histories(&family) {
        let mut last = 0;
        for event in &log.events {
            let expected = format!("a seq above {last}");
            expect::that(event.seq > last, &log.evidence, expected, event.raw.to_string())?;
            last = event.seq;
            let thread = event.raw["session_thread_id"].as_str().unwrap_or("none");
            let expected = format!("an event of {}", child.id);
            expect::that(thread == child.id, &log.evidence, expected, event.raw.to_string())?;
            let other = known.entry(event.seq).or_insert(event);
            let expected = format!("one event under seq {} of all views, {}", event.seq, other.raw);
            expect::that(
                other.raw == event.raw,
                &log.evidence,
                expected,
                event.raw.to_string(),
            )?;
        }
        cx.saw(
            format!("{} events of {}", log.events.len(), child.id),
            &log.evidence,
        );
    }
    let mut ids = HashSet::new();
    for event in known.values() {
        let expected = "each id under one seq";
        expect::that(
            ids.insert(&event.id),
            &family.log.evidence,
            expected,
            event.raw.to_string(),
        )?;
    }
    cx.saw(
        format!("{} events in all views, one under each seq", ids.len()),
        &family.log.evidence,
    );
    cx.pass()
}

async fn local_stays_local(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for event in &family.log.events {
        let local =
            event.kind.starts_with("run.") || event.kind == "agent.message" || event.kind == "agent.thinking";
        let childs = family
            .threads
            .children()
            .any(|child| event.raw["session_thread_id"] == child.id.as_str());
        let expected = "no Run and no message of a child in the Session's list";
        expect::that(
            !(local && childs),
            &family.log.evidence,
            expected,
            event.raw.to_string(),
        )?;
    }
    let mut shared = 0;
    for (_, log) in histories(&family) {
        for event in log.events.iter().filter(|event| is_shared(event)) {
            let expected = format!("{} of a child in the Session's list", event.kind);
            let there = family.log.events.iter().any(|other| other.id == event.id);
            expect::that(there, &family.log.evidence, expected, event.raw.to_string())?;
            shared += 1;
        }
    }
    cx.saw(
        format!("{shared} events of children are shared, their Runs are not"),
        &family.log.evidence,
    );
    cx.pass()
}

fn is_shared(event: &Event) -> bool {
    event.kind.starts_with("session.thread_") || event.kind.starts_with("agent.thread_message_")
}

async fn stop_reasons(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for (kind, pointer, shape) in [
        ("session.status_idle", "/stop_reason", "a string"),
        (
            "session.thread_status_idle",
            "/stop_reason/type",
            "an object with a type",
        ),
    ] {
        let idles = family.log.events.iter().filter(|event| event.kind == kind);
        let mut seen = 0;
        for idle in idles {
            let fits = idle.payload(pointer).is_some_and(serde_json::Value::is_string);
            let expected = format!("{shape} as the stop reason of {kind}");
            expect::that(fits, &family.log.evidence, expected, idle.raw.to_string())?;
            seen += 1;
        }
        cx.saw(format!("{seen} {kind} with {shape}"), &family.log.evidence);
    }
    cx.pass()
}
