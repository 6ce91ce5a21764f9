use super::mirror::View;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{Log, Page},
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.of-a-long-log",
        title: "The stream of a log that is longer than the largest page gives every envelope of the list.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-3", "STR-1", "STR-7"],
        killed_by: &["stream-loses-the-501st", "stream-loses-the-1000th"],
        run: |cx| Box::pin(of_a_long_log(cx)),
    },
    Check {
        id: "srv.resume.around-the-largest-page",
        title: "Stream and list go on right behind a cursor as many events deep as the largest page holds.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["STR-2", "LST-2"],
        killed_by: &["stream-skips-one-behind-900", "list-skips-one-behind-900"],
        run: |cx| Box::pin(around_the_largest_page(cx)),
    },
    Check {
        id: "srv.list.deep-pages",
        title: "Deep in a log, pages of a few events and of the default size begin right behind their cursor.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-1", "LST-2"],
        killed_by: &[
            "small-pages-skip-one-behind-900",
            "default-pages-skip-one-behind-900",
        ],
        run: |cx| Box::pin(deep_pages(cx)),
    },
];

/// The places in a log whose events are cursors, the first one being 0.
const PLACES: [usize; 6] = [498, 499, 899, 949, 998, 999];
/// The most events of a page; none is the default.
const LIMITS: [Option<usize>; 4] = [None, Some(1), Some(7), Some(100)];
/// What the default is, by the published text.
const DEFAULT: usize = 100;

async fn of_a_long_log(cx: &mut Context<'_>) -> Judgement {
    let session = cx.long().await?;
    View::of_session(&session, "a long log")
        .expect_mirrored(cx)
        .await?;
    cx.pass()
}

async fn around_the_largest_page(cx: &mut Context<'_>) -> Judgement {
    let session = cx.long().await?;
    let view = View::of_session(&session, "a long log");
    let log = view.log(cx).await?;
    let cursors = cursors(&log)?;
    view.expect_resumed(cx, &log, cursors).await?;
    cx.pass()
}

async fn deep_pages(cx: &mut Context<'_>) -> Judgement {
    let session = cx.long().await?;
    let log = View::of_session(&session, "a long log").log(cx).await?;
    for cursor in cursors(&log)? {
        for limit in LIMITS {
            let mut request = Request::get(session.events()).query("after", cursor);
            if let Some(limit) = limit {
                request = request.query("limit", limit);
            }
            let page = Page::read(cx.send(request).await?)?;
            let most = limit.unwrap_or(DEFAULT);
            let what = format!("a page of at most {most} behind {cursor}");
            let actual = format!("{} events", page.events.len());
            expect::that(page.events.len() <= most, &page.answer, &what, actual)?;
            // A page may be shorter than was asked for; an empty one is the end, unless a next one goes on.
            let rest = log.above(cursor);
            let goes_on = !page.events.is_empty() || rest.is_empty() || page.next.is_some();
            expect::that(goes_on, &page.answer, &what, "the end of the list")?;
            let expected = rest.get(..page.events.len()).unwrap_or(rest);
            expect::same_events(&page.answer, &what, expected, &page.events)?;
            cx.saw(format!("{} events are {what}", page.events.len()), &page.answer);
        }
    }
    cx.pass()
}

fn cursors(log: &Log) -> Result<Vec<u64>, Stop> {
    let events = PLACES.iter().filter_map(|place| log.events.get(*place));
    let cursors: Vec<u64> = events.map(|event| event.seq).collect();
    match cursors.len() == PLACES.len() {
        true => Ok(cursors),
        false => Err(Stop::Inconclusive(format!(
            "it takes a long log, and there are {} events",
            log.events.len()
        ))),
    }
}
