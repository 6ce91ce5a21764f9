use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::turn,
    wire::request::{Key, Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.auth.wrong-key-refused",
        title: "A wrong key is refused for good on reads, streams and writes, and nothing is written.",
        level: Level::Documented,
        requirements: &["WIRE-2"],
        killed_by: &["accepts-any-key", "wrong-key-is-retryable", "server:any_key"],
        run: |cx| Box::pin(wrong_key_refused(cx)),
    },
    Check {
        id: "srv.auth.missing-key-refused",
        title: "A request without a key is refused for good.",
        level: Level::Derived,
        requirements: &["WIRE-1"],
        killed_by: &["accepts-no-key", "missing-key-is-retryable"],
        run: |cx| Box::pin(missing_key_refused(cx)),
    },
];

async fn wrong_key_refused(cx: &mut Context<'_>) -> Judgement {
    refused_with(cx, Key::Wrong, "a wrong key").await
}

async fn missing_key_refused(cx: &mut Context<'_>) -> Judgement {
    refused_with(cx, Key::Absent, "no key").await
}

async fn refused_with(cx: &mut Context<'_>, key: Key, what: &str) -> Judgement {
    let settled = cx.settled().await?;
    let session = &settled.session;
    let marker = cx.bench.fresh_name("refused");
    let write = Request::post(session.events(), &turn::message(cx.bench, &marker));
    for request in [Request::get(session.events()), write] {
        let answer = cx.send(request.key(key)).await?;
        expect::refused_for_good(&answer)?;
        cx.saw(
            format!("{} with {what} answered {}", answer.method(), answer.status()),
            &answer,
        );
    }
    let answer = cx.open_refused(Request::get(session.stream()).key(key)).await?;
    expect::refused_for_good(&answer)?;
    cx.saw(
        format!("the stream with {what} answered {}", answer.status()),
        &answer,
    );
    let now = cx.log(&session.id).await?;
    settled
        .log()
        .expect_unchanged(&now, "the log after the refusals")?;
    cx.saw(
        "with the right key the same log is readable and unchanged",
        &now.evidence,
    );
    cx.pass()
}
