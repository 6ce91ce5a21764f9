use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{Log, Page},
        long,
    },
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.list.pages-while-it-grows",
    title: "A walk by page tokens gives each event once and in order, also where the log grows between its pages.",
    level: Level::Derived,
    stimulus: Stimulus::Create,
    requirements: &["LST-1", "LST-2"],
    killed_by: &["growth-loses-one", "growth-repeats-one", "growth-ends-the-walk"],
    run: |cx| Box::pin(pages_while_it_grows(cx)),
}];

/// How many events there are at first, at least.
const FIRST: usize = 7;
/// After how many pages the log grows by one.
const GROWTHS: usize = 4;
/// The most events of a page.
const LIMIT: usize = 2;

async fn pages_while_it_grows(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("interrupts").await?;
    long::fill(cx.bench, &session, FIRST).await?;
    let before = cx.log(&session.id).await?;
    let list = Request::get(session.events()).query("limit", LIMIT);
    let mut page = Page::read(cx.send(list.clone()).await?)?;
    let mut walked = std::mem::take(&mut page.events);
    // Each token but the last was given out for a shorter log than it is used on.
    for round in 0.. {
        let Some(token) = page.next.take() else { break };
        if round < GROWTHS {
            long::fill(cx.bench, &session, 1).await?;
        }
        page = Page::read(cx.send(list.clone().query("page", &token)).await?)?;
        walked.append(&mut page.events);
    }
    let now: Log = cx.log(&session.id).await?;
    // Whether a walk sees what came behind its start is the server's choice.
    let seen = now.events.get(..walked.len()).unwrap_or(&now.events);
    expect::same_events(&page.answer, "the walk while the log grew", seen, &walked)?;
    let actual = format!("{} events", walked.len());
    let expected = format!("a walk over the {} events that were there", before.events.len());
    expect::that(
        walked.len() >= before.events.len(),
        &page.answer,
        expected,
        actual,
    )?;
    cx.saw(
        format!("{} of now {} events, each once", walked.len(), now.events.len()),
        &page.answer,
    );
    cx.pass()
}
