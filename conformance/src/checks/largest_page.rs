use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{LARGEST_PAGE, Page},
    },
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.list.largest-page",
    title: "No limit gives a page of more than 1000 events; one above that is cut down or refused.",
    level: Level::Documented,
    stimulus: Stimulus::Read,
    requirements: &["LST-1"],
    killed_by: &["largest-page-of-1001", "server:no_page_cap"],
    run: |cx| Box::pin(largest_page(cx)),
}];

/// Sizes that nobody is given.
const TOO_LARGE: [usize; 2] = [LARGEST_PAGE + 1, 5 * LARGEST_PAGE];

async fn largest_page(cx: &mut Context<'_>) -> Judgement {
    let session = cx.long().await?;
    for limit in TOO_LARGE {
        let answer = cx
            .send(Request::get(session.events()).query("limit", limit))
            .await?;
        // The pages say that there is a ceiling, not what becomes of a request for more.
        if (400..500).contains(&answer.status()) {
            expect::refused_for_good(&answer)?;
            cx.saw(
                format!("limit {limit} is refused with {}", answer.status()),
                &answer,
            );
            continue;
        }
        let page = Page::read(answer)?;
        expect::that(
            page.events.len() <= LARGEST_PAGE,
            &page.answer,
            format!("at most {LARGEST_PAGE} events for the limit {limit}"),
            format!("{} events", page.events.len()),
        )?;
        cx.saw(
            format!("limit {limit} gives {} events", page.events.len()),
            &page.answer,
        );
    }
    cx.pass()
}
