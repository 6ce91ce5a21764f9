use chrono::{DateTime, FixedOffset};
use serde_json::json;

use super::thread_resource::whole;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::LARGEST_PAGE,
        thread::{self, Thread, Threads},
    },
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.thread.list",
        title: "A Session has one primary thread, which its list of threads shows first, and pages of any size give the same list.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["THR-1", "THR-2"],
        killed_by: &["no-primary-thread", "two-primary-threads", "thread-pages-repeat"],
        run: |cx| Box::pin(list(cx)),
    },
    Check {
        id: "srv.thread.spawn-order",
        title: "The primary comes first, then the children in the order in which they were spawned, each below the primary; pages of one thread give the same list.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-1", "THR-10"],
        killed_by: &[
            "lists-the-youngest-first",
            "younger-children-are-older",
            "child-of-another-parent",
            "thread-pages-lose-one",
        ],
        run: |cx| Box::pin(spawn_order(cx)),
    },
    Check {
        id: "srv.thread.not-creatable",
        title: "A client cannot make a thread.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["THR-2"],
        killed_by: &["takes-threads-of-clients", "refuses-a-thread-and-makes-it"],
        run: |cx| Box::pin(not_creatable(cx)),
    },
    Check {
        id: "srv.thread.bad-parameters",
        title: "A limit that is no positive number and a made-up token are refused on the list of threads; a large limit is clamped.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &["thread-list-ignores-limit"],
        run: |cx| Box::pin(bad_parameters(cx)),
    },
];

async fn list(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("threads").await?;
    for limit in [None, Some(1), Some(LARGEST_PAGE)] {
        let threads = Threads::walk(cx.bench, &session.id, limit).await?;
        let primary = threads.primary()?;
        let first = threads.all.first().map(|thread| thread.id.as_str());
        let actual = format!("{} threads, first {first:?}", threads.all.len());
        let alone = threads.all.len() == 1 && first == Some(&primary.id);
        expect::that(
            alone,
            &threads.evidence,
            "the primary thread alone in a new Session",
            actual,
        )?;
        cx.saw(
            format!("{} is its primary thread (limit {limit:?})", primary.id),
            &threads.evidence,
        );
    }
    cx.pass()
}

async fn spawn_order(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    let threads = Threads::read(cx.bench, &family.session.id).await?;
    let primary = threads.primary()?;
    let first = threads.all.first().map_or("", |thread| &thread.id);
    expect::equal(
        &threads.evidence,
        "the first thread",
        &json!(primary.id),
        &json!(first),
    )?;
    let mut latest = None;
    for child in threads.children() {
        let parent = expect::member(&threads.evidence, &child.resource, "/parent_thread_id")?;
        expect::equal(
            &threads.evidence,
            "the parent of a child",
            &json!(primary.id),
            parent,
        )?;
        let expected = "children by spawn, none created before the one above it";
        let (above, here) = (latest, created(child));
        let later = above.is_none() || here.is_none() || above <= here;
        expect::that(
            later,
            &threads.evidence,
            expected,
            format!("{} after {above:?}", child.resource),
        )?;
        latest = here;
    }
    for thread in &threads.all {
        whole(&threads.evidence, &family.session.id, thread)?;
    }
    cx.saw(
        format!("the primary, then {} children", threads.all.len() - 1),
        &threads.evidence,
    );
    let single = Threads::walk(cx.bench, &family.session.id, Some(1)).await?;
    let ids = |threads: &Threads| json!(threads.all.iter().map(|thread| &thread.id).collect::<Vec<_>>());
    expect::equal(
        &single.evidence,
        "the threads in pages of one",
        &ids(&threads),
        &ids(&single),
    )?;
    cx.saw("pages of one give the same list", &single.evidence);
    cx.pass()
}

async fn not_creatable(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("threads").await?;
    let before = Threads::read(cx.bench, &session.id).await?;
    let body = json!({"agent": {"name": "reviewer"}, "agent_name": "reviewer"});
    let answer = cx.send(Request::post(thread::list(&session.id), &body)).await?;
    expect::refused_for_good(&answer)?;
    cx.saw(format!("POST of a thread answered {}", answer.status()), &answer);
    let after = Threads::read(cx.bench, &session.id).await?;
    let actual = format!("{} instead of {}", after.all.len(), before.all.len());
    expect::that(
        after.all.len() == before.all.len(),
        &after.evidence,
        "no thread more than before",
        actual,
    )?;
    cx.saw("there is no thread more", &after.evidence);
    cx.pass()
}

/// When it was made, if it says so in the usual way.
fn created(thread: &Thread) -> Option<DateTime<FixedOffset>> {
    let text = thread.resource["created_at"].as_str()?;
    DateTime::parse_from_rfc3339(text).ok()
}

async fn bad_parameters(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    cx.offered("threads").await?;
    let list = || Request::get(thread::list(&session.id));
    for (name, value, code) in [
        ("limit", "0", "request.invalid_parameter"),
        ("limit", "-1", "request.invalid_parameter"),
        ("limit", "many", "request.invalid_parameter"),
        ("page", "made-up", "request.invalid_page"),
    ] {
        let answer = cx.send(list().query(name, value)).await?;
        expect::error(&answer, 400, code)?;
        cx.saw(format!("{name}={value} is refused"), &answer);
    }
    let answer = cx.send(list().query("limit", 1_000_000)).await?;
    expect::status(&answer, 200)?;
    cx.saw("a limit above the cap is clamped", &answer);
    cx.pass()
}
