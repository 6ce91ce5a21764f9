use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, operations::Asked, session::Session},
    stop::Stop,
    wire::request::Key,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.auth.wrong-key-refused",
        title: "A wrong key is refused for good by every operation, and nothing is written.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["WIRE-1", "WIRE-2"],
        killed_by: &[
            "accepts-any-key",
            "guards-the-log-alone",
            "wrong-key-is-retryable",
            "forks-with-any-key",
            "streams-threads-with-any-key",
            "completes-with-any-key",
            "server:any_key",
        ],
        run: |cx| Box::pin(wrong_key_refused(cx)),
    },
    Check {
        id: "srv.auth.missing-key-refused",
        title: "A request without a key is refused for good by every operation, and nothing is written.",
        level: Level::Derived,
        stimulus: Stimulus::Create,
        requirements: &["WIRE-1"],
        killed_by: &[
            "accepts-no-key",
            "guards-the-log-alone",
            "missing-key-is-retryable",
            "cancels-without-a-key",
        ],
        run: |cx| Box::pin(missing_key_refused(cx)),
    },
    Check {
        id: "srv.auth.wrong-key-reads-nothing",
        title: "With a wrong key nothing is read, neither list nor stream, and the refusal is for good.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-1", "WIRE-2"],
        killed_by: &[
            "reads-with-any-key",
            "guards-the-log-alone",
            "wrong-key-is-retryable",
            "streams-threads-with-any-key",
        ],
        run: |cx| Box::pin(wrong_key_reads_nothing(cx)),
    },
    Check {
        id: "srv.auth.missing-key-reads-nothing",
        title: "Without a key nothing is read, neither list nor stream, and the refusal is for good.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-1"],
        killed_by: &[
            "reads-without-a-key",
            "guards-the-log-alone",
            "missing-key-is-retryable",
            "lists-threads-without-a-key",
        ],
        run: |cx| Box::pin(missing_key_reads_nothing(cx)),
    },
    Check {
        id: "srv.errors.key-by-name",
        title: "Every operation asks for the key first: without the right one each is 401 auth.invalid_key.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-ERR", "A-ORDER"],
        killed_by: &[
            "archives-with-any-key",
            "reads-a-run-without-a-key",
            "tells-capabilities-without-a-key",
        ],
        run: |cx| Box::pin(every_operation(cx)),
    },
];

async fn wrong_key_refused(cx: &mut Context<'_>) -> Judgement {
    nothing_done(cx, Key::Wrong, "a wrong key").await
}

async fn missing_key_refused(cx: &mut Context<'_>) -> Judgement {
    nothing_done(cx, Key::Absent, "no key").await
}

async fn wrong_key_reads_nothing(cx: &mut Context<'_>) -> Judgement {
    nothing_read(cx, Key::Wrong, "a wrong key").await
}

async fn missing_key_reads_nothing(cx: &mut Context<'_>) -> Judgement {
    nothing_read(cx, Key::Absent, "no key").await
}

async fn every_operation(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let asked = cx.every_operation(&session, &session.id).await?;
    for (key, what) in [(Key::Wrong, "a wrong key"), (Key::Absent, "no key")] {
        for asked in &asked {
            let answer = cx.refused(asked, asked.request.clone().key(key)).await?;
            expect::error(&answer, 401, "auth.invalid_key")?;
            cx.saw(
                format!("{} with {what} is refused by name", asked.name()),
                &answer,
            );
        }
    }
    cx.pass()
}

async fn nothing_done(cx: &mut Context<'_>, key: Key, what: &str) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    let asked = guarded(cx, &session).await?;
    refused(cx, &asked, key, what).await?;
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after the refusals")?;
    cx.saw("with the right key the same log is readable", &now.evidence);
    cx.pass()
}

async fn nothing_read(cx: &mut Context<'_>, key: Key, what: &str) -> Judgement {
    let session = cx.readable().await?;
    let mut asked = guarded(cx, &session).await?;
    asked.retain(Asked::reads);
    refused(cx, &asked, key, what).await?;
    let now = cx.log(&session.id).await?;
    cx.saw("with the right key the log is readable", &now.evidence);
    cx.pass()
}

/// Every operation that no server may carry out for just anybody; what one does not have, it refuses all the same. What a
/// deployment has enabled is no Session's, and a server may tell it to all.
async fn guarded(cx: &Context<'_>, session: &Session) -> Result<Vec<Asked>, Stop> {
    let mut asked = cx.every_operation(session, &session.id).await?;
    asked.retain(|asked| asked.operation.id != "listCapabilities");
    Ok(asked)
}

async fn refused(cx: &mut Context<'_>, asked: &[Asked], key: Key, what: &str) -> Result<(), Stop> {
    for asked in asked {
        let answer = cx.refused(asked, asked.request.clone().key(key)).await?;
        expect::refused_for_good(&answer)?;
        cx.saw(
            format!("{} with {what} answered {}", asked.name(), answer.status()),
            &answer,
        );
    }
    Ok(())
}
