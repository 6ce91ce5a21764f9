use serde_json::json;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        log::{LARGEST_PAGE, Page},
        long,
        session::Session,
        thread,
    },
    stop::Stop,
    wire::request::Request,
};

/// The size of a page that nobody asked a size for, by the published text.
const DEFAULT_PAGE: usize = 100;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.list.default-page",
        title: "Without a limit a page has at most 100 events, and a longer log goes on behind it.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-1"],
        killed_by: &[
            "default-page-is-everything",
            "default-page-has-no-next",
            "server:page_duplicates",
        ],
        run: |cx| Box::pin(default_page(cx)),
    },
    Check {
        id: "srv.list.page-bounds",
        title: "Of a long log the default page has 100 events, and the largest 1000, whatever more is asked for.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["LST-1", "A-LIST"],
        killed_by: &[
            "default-page-of-fifty",
            "default-thread-page-of-fifty",
            "largest-page-of-999",
            "large-limit-is-refused",
            "server:no_page_cap",
            "server:page_duplicates",
            "server:small_pages",
        ],
        run: |cx| Box::pin(page_bounds(cx)),
    },
    Check {
        id: "srv.list.tokens-are-sealed",
        title: "A token of another list, one that was changed and one made of a seq are refused.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST", "LST-2"],
        killed_by: &["token-of-any-list", "token-of-any-letters"],
        run: |cx| Box::pin(tokens_are_sealed(cx)),
    },
];

async fn default_page(cx: &mut Context<'_>) -> Judgement {
    let session = match cx.given_longer_than(DEFAULT_PAGE).await? {
        Some(session) => session,
        None => {
            let session = cx.session().await?;
            cx.offered("interrupts").await?;
            long::fill(cx.bench, &session, DEFAULT_PAGE + 1).await?;
            session
        }
    };
    let log = cx.log(&session.id).await?;
    if log.events.len() <= DEFAULT_PAGE {
        let why = format!("it takes a long log, and there are {} events", log.events.len());
        return Err(Stop::Inconclusive(why));
    }
    let page = Page::read(cx.send(Request::get(session.events())).await?)?;
    let actual = format!("{} events", page.events.len());
    let expected = format!("at most {DEFAULT_PAGE} events without a limit");
    expect::that(page.events.len() <= DEFAULT_PAGE, &page.answer, expected, actual)?;
    let expected = format!("a next_page, as there are {} events", log.events.len());
    let Some(token) = page.next else {
        return Err(Stop::fail(expected, "none", &page.answer));
    };
    cx.saw(
        format!(
            "{} of {} events, and a next page",
            page.events.len(),
            log.events.len()
        ),
        &page.answer,
    );
    let next = Page::read(
        cx.send(Request::get(session.events()).query("page", token))
            .await?,
    )?;
    let both: Vec<_> = page.events.into_iter().chain(next.events).collect();
    let begins = log.events.get(..both.len()).unwrap_or(&log.events);
    expect::same_events(&next.answer, "the first two pages without a limit", begins, &both)?;
    cx.saw("the next page goes on behind it", &next.answer);
    cx.pass()
}

async fn page_bounds(cx: &mut Context<'_>) -> Judgement {
    cx.undisturbed()?;
    let session = cx.long().await?;
    let primary = cx.primary(&session.id).await?;
    for path in [session.events(), primary.events()] {
        for (limit, size) in [
            (None, DEFAULT_PAGE),
            (Some(LARGEST_PAGE), LARGEST_PAGE),
            (Some(5_000), LARGEST_PAGE),
        ] {
            let mut request = Request::get(&path);
            if let Some(limit) = limit {
                request = request.query("limit", limit);
            }
            let page = Page::read(cx.send(request).await?)?;
            let actual = format!("{} events, next_page {:?}", page.events.len(), page.next);
            let expected = format!("{size} events and a next page for the limit {limit:?}");
            expect::that(
                page.events.len() == size && page.next.is_some(),
                &page.answer,
                expected,
                actual,
            )?;
            cx.saw(
                format!("limit {limit:?} gives {size} events of {path}"),
                &page.answer,
            );
        }
    }
    let threads = cx
        .send(Request::get(thread::list(&session.id)).query("limit", 5_000))
        .await?;
    expect::status(&threads, 200)?;
    cx.pass()
}

async fn tokens_are_sealed(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let other = cx.stranger(&settled.session).await?;
    let token = token(cx, &settled.session).await?;
    let refused = async |path: String, token: &str| {
        let answer = cx.bench.send(Request::get(path).query("page", token)).await?;
        expect::error(&answer, 400, "request.invalid_page")?;
        Ok::<_, Stop>(answer)
    };
    let foreign = refused(other.events(), &token).await?;
    let elsewhere = refused("/v1/sessions".to_owned(), &token).await?;
    let seq = settled.log().head().to_string();
    let made = refused(settled.session.events(), &seq).await?;
    let mut changed = None;
    let letters: Vec<char> = token.chars().collect();
    for place in (0..letters.len()).step_by(letters.len().div_ceil(8).max(1)) {
        let mut forged = letters.clone();
        forged[place] = if forged[place] == 'A' { 'B' } else { 'A' };
        let forged: String = forged.into_iter().collect();
        changed = Some(refused(settled.session.events(), &forged).await?);
    }
    cx.saw("a token of another Session is refused", &foreign);
    cx.saw("so is one of another list", &elsewhere);
    cx.saw("so is a seq", &made);
    let Some(changed) = changed else {
        return Err(Stop::fail(
            "a token of at least one letter",
            json!(token).to_string(),
            &made,
        ));
    };
    cx.saw("so is a changed one", &changed);
    let answer = cx
        .send(Request::get(settled.session.events()).query("page", token))
        .await?;
    expect::status(&answer, 200)?;
    cx.saw("the token itself is taken", &answer);
    cx.pass()
}

/// A token that goes on in a Session's list.
async fn token(cx: &Context<'_>, session: &Session) -> Result<String, Stop> {
    let page = Page::read(cx.send(Request::get(session.events()).query("limit", 2)).await?)?;
    let expected = "a next_page after the first of many events";
    page.next
        .ok_or_else(|| Stop::fail(expected, "none", &page.answer))
}
