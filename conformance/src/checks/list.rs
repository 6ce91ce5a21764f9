use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{Log, Page},
    },
    wire::request::Request,
};

/// The most events whose cut is tried one by one.
const CUTS: usize = 64;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.list.after-is-exclusive",
        title: "after begins right behind that seq, for every event of the log.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-2"],
        killed_by: &[
            "after-is-inclusive",
            "after-skips-one",
            "server:list_ignores_after",
            "server:list_is_inclusive",
        ],
        run: |cx| Box::pin(after_is_exclusive(cx)),
    },
    Check {
        id: "srv.list.page-size-does-not-matter",
        title: "Walks with pages of 1, 2, 3, 7 and 1000 give the same log, end, and never exceed the limit.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-2"],
        killed_by: &[
            "page-loses-its-last",
            "page-overlaps",
            "page-token-loops",
            "server:page_loops",
        ],
        run: |cx| Box::pin(page_size_does_not_matter(cx)),
    },
    Check {
        id: "srv.list.page-and-after-conflict",
        title: "page together with after is refused.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &["prefers-after-to-page"],
        run: |cx| Box::pin(page_and_after_conflict(cx)),
    },
    Check {
        id: "srv.list.past-head-is-empty",
        title: "after at the head or beyond it is an empty last page.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &["past-head-is-missing", "past-head-has-a-next-page"],
        run: |cx| Box::pin(past_head_is_empty(cx)),
    },
    Check {
        id: "srv.list.bad-parameters",
        title: "A limit that is no positive number, a cursor that is no number and a made-up token are refused; a large limit is clamped.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &["ignores-limit", "ignores-page"],
        run: |cx| Box::pin(bad_parameters(cx)),
    },
];

async fn after_is_exclusive(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let step = log.events.len().div_ceil(CUTS);
    for event in log.events.iter().step_by(step.max(1)) {
        let rest = Log::walk_after(cx.bench, &settled.session.id, event.seq).await?;
        let what = format!("the list after {}", event.seq);
        expect::same_events(&rest.evidence, &what, log.above(event.seq), &rest.events)?;
        cx.saw(
            format!("after {} come {} events", event.seq, rest.events.len()),
            &rest.evidence,
        );
    }
    cx.pass()
}

async fn page_size_does_not_matter(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    for limit in [1, 2, 3, 7, 1000] {
        let walked = Log::walk(cx.bench, &settled.session.id, limit).await?;
        let what = format!("the walk with pages of {limit}");
        settled.log().expect_unchanged(&walked, &what)?;
        cx.saw(
            format!("{what} gives the same {} events", walked.events.len()),
            &walked.evidence,
        );
    }
    cx.pass()
}

async fn page_and_after_conflict(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let request = Request::get(settled.session.events()).query("limit", 2);
    let page = Page::read(cx.send(request.clone()).await?)?;
    let Some(token) = page.next else {
        return Err(crate::stop::Stop::fail(
            "a next_page after the first of many events",
            "none",
            &page.answer,
        ));
    };
    let answer = cx.send(request.query("page", token).query("after", 1)).await?;
    expect::error(&answer, 400, "request.conflicting_parameters")?;
    cx.saw("both together are refused", &answer);
    cx.pass()
}

async fn past_head_is_empty(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let head = settled.log().head();
    for after in [head, head.saturating_add(1), head.saturating_add(1000)] {
        let page = Page::read(
            cx.send(Request::get(settled.session.events()).query("after", after))
                .await?,
        )?;
        let actual = format!("{} events, next_page {:?}", page.events.len(), page.next);
        let empty = page.events.is_empty() && page.next.is_none();
        expect::that(
            empty,
            &page.answer,
            format!("an empty last page after {after}"),
            actual,
        )?;
        cx.saw(format!("nothing after {after}"), &page.answer);
    }
    cx.pass()
}

async fn bad_parameters(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let list = || Request::get(settled.session.events());
    for (name, value, code) in [
        ("limit", "0", "request.invalid_parameter"),
        ("limit", "-1", "request.invalid_parameter"),
        ("limit", "many", "request.invalid_parameter"),
        ("after", "evt", "request.invalid_cursor"),
        ("after", "-1", "request.invalid_cursor"),
        ("page", "made-up", "request.invalid_page"),
    ] {
        let answer = cx.send(list().query(name, value)).await?;
        expect::error(&answer, 400, code)?;
        cx.saw(format!("{name}={value} is refused"), &answer);
    }
    let large = Page::read(cx.send(list().query("limit", 1_000_000)).await?)?;
    large.expect_start_of(settled.log(), "the page under a clamped limit")?;
    cx.saw("a limit above the cap is clamped", &large.answer);
    cx.pass()
}
