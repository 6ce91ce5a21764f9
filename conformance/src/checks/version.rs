use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, log::Page, operations::Asked},
    stop::Stop,
    wire::request::{Request, Version},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.version.unknown-refused",
        title: "Every operation refuses a version that was never published with its code, and nothing is written.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-VER"],
        killed_by: &[
            "ignores-the-version",
            "archives-for-any-version",
            "creates-for-any-version",
            "server:any_version",
        ],
        run: |cx| Box::pin(unknown_refused(cx)),
    },
    Check {
        id: "srv.version.unknown-reads-nothing",
        title: "Every read under a version that was never published is refused with its code.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-VER"],
        killed_by: &["reads-for-any-version", "streams-threads-for-any-version"],
        run: |cx| Box::pin(unknown_reads_nothing(cx)),
    },
    Check {
        id: "srv.version.missing-is-published",
        title: "A request that names no version is served by the published one.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-VER"],
        killed_by: &["demands-a-version"],
        run: |cx| Box::pin(missing_is_published(cx)),
    },
];

async fn unknown_refused(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    let asked = cx.every_operation(&session, &session.id).await?;
    refused(cx, &asked).await?;
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after the refusals")?;
    cx.pass()
}

async fn unknown_reads_nothing(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    let mut asked = cx.every_operation(&session, &session.id).await?;
    asked.retain(Asked::reads);
    refused(cx, &asked).await?;
    cx.pass()
}

async fn refused(cx: &mut Context<'_>, asked: &[Asked]) -> Result<(), Stop> {
    for asked in asked {
        let request = asked.request.clone().version(Version::Unknown);
        let answer = cx.refused(asked, request).await?;
        expect::error(&answer, 400, "request.unsupported_version")?;
        cx.saw(format!("{} refused", asked.name()), &answer);
    }
    Ok(())
}

async fn missing_is_published(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let request = Request::get(settled.session.events()).query("limit", 1000);
    let without = Page::read(cx.send(request.version(Version::Absent)).await?)?;
    without.expect_start_of(settled.log(), "the page without a version")?;
    cx.saw(
        format!("the same {} events without the header", without.events.len()),
        &without.answer,
    );
    cx.pass()
}
