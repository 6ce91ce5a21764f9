use super::mirror::cuts;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{LARGEST_PAGE, Log, Page},
    },
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.thread.child-pages",
    title: "A child's list is the same walked by small pages, and begins right behind after with any limit.",
    level: Level::Documented,
    stimulus: Stimulus::Read,
    requirements: &["THR-5", "LST-2"],
    killed_by: &["child-pages-lose-their-last", "child-after-is-inclusive"],
    run: |cx| Box::pin(child_pages(cx)),
}];

/// Sizes that split the list of a child of a few events.
const SMALL: [usize; 2] = [1, 3];

async fn child_pages(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for (child, _) in &family.histories {
        let list = child.events();
        let log = Log::walk_at(cx.bench, &list, LARGEST_PAGE).await?;
        for limit in SMALL {
            let walk = Log::walk_at(cx.bench, &list, limit).await?;
            let what = format!("the child's walk with pages of {limit}");
            expect::same_events(&walk.evidence, &what, &log.events, &walk.events)?;
            cx.saw(
                format!("{what} gives {} events", walk.events.len()),
                &walk.evidence,
            );
            for cursor in cuts(&log) {
                let request = Request::get(&list).query("after", cursor).query("limit", limit);
                let page = Page::read(cx.send(request).await?)?;
                let rest = log.above(cursor);
                let what = format!("the child's page of at most {limit} behind {cursor}");
                let expected = rest.get(..page.events.len()).unwrap_or(rest);
                expect::same_events(&page.answer, &what, expected, &page.events)?;
                let goes_on = !page.events.is_empty() || page.next.is_some();
                expect::that(goes_on, &page.answer, &what, "the end of the list")?;
                cx.saw(format!("{} events are {what}", page.events.len()), &page.answer);
            }
        }
    }
    cx.pass()
}
