use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session, turn},
    wire::request::{Key, Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.auth.wrong-key-refused",
        title: "A wrong key is refused for good on reads, streams and writes, and nothing is written.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["WIRE-1", "WIRE-2"],
        killed_by: &[
            "accepts-any-key",
            "guards-the-log-alone",
            "wrong-key-is-retryable",
            "server:any_key",
        ],
        run: |cx| Box::pin(wrong_key_refused(cx)),
    },
    Check {
        id: "srv.auth.missing-key-refused",
        title: "A request without a key is refused for good.",
        level: Level::Derived,
        stimulus: Stimulus::Create,
        requirements: &["WIRE-1"],
        killed_by: &[
            "accepts-no-key",
            "guards-the-log-alone",
            "missing-key-is-retryable",
        ],
        run: |cx| Box::pin(missing_key_refused(cx)),
    },
    Check {
        id: "srv.auth.wrong-key-reads-nothing",
        title: "With a wrong key neither a list nor a stream is read, and the refusal is for good.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-1", "WIRE-2"],
        killed_by: &[
            "reads-with-any-key",
            "guards-the-log-alone",
            "wrong-key-is-retryable",
        ],
        run: |cx| Box::pin(wrong_key_reads_nothing(cx)),
    },
    Check {
        id: "srv.auth.missing-key-reads-nothing",
        title: "Without a key neither a list nor a stream is read, and the refusal is for good.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-1"],
        killed_by: &[
            "reads-without-a-key",
            "guards-the-log-alone",
            "missing-key-is-retryable",
        ],
        run: |cx| Box::pin(missing_key_reads_nothing(cx)),
    },
];

async fn wrong_key_refused(cx: &mut Context<'_>) -> Judgement {
    refused_with(cx, Key::Wrong, "a wrong key").await
}

async fn missing_key_refused(cx: &mut Context<'_>) -> Judgement {
    refused_with(cx, Key::Absent, "no key").await
}

async fn wrong_key_reads_nothing(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    refused(cx, &session, Key::Wrong, "a wrong key", None).await
}

async fn missing_key_reads_nothing(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    refused(cx, &session, Key::Absent, "no key", None).await
}

async fn refused_with(cx: &mut Context<'_>, key: Key, what: &str) -> Judgement {
    let session = cx.session().await?;
    let marker = cx.bench.fresh_name("refused");
    let write = Request::post(session.events(), &turn::message(cx.bench, &marker));
    refused(cx, &session, key, what, Some(write)).await
}

async fn refused(
    cx: &mut Context<'_>,
    session: &Session,
    key: Key,
    what: &str,
    write: Option<Request>,
) -> Judgement {
    let before = cx.log(&session.id).await?;
    let writes = write.is_some();
    for request in reads(session).into_iter().chain(write) {
        let answer = cx.send(request.key(key)).await?;
        expect::refused_for_good(&answer)?;
        cx.saw(
            format!(
                "{} {} with {what} answered {}",
                answer.method(),
                answer.path(),
                answer.status()
            ),
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
    // Where the suite wrote nothing, somebody else may have.
    if writes {
        before.expect_unchanged(&now, "the log after the refusals")?;
    }
    cx.saw("with the right key the same log is readable", &now.evidence);
    cx.pass()
}

/// Everything that can be read; what a server does not have, it refuses all the same.
fn reads(session: &Session) -> Vec<Request> {
    let below = |tail: &str| Request::get(format!("{}/{tail}", session.path()));
    vec![
        Request::get(session.events()),
        Request::get(session.path()),
        Request::get("/v1/sessions"),
        Request::get("/v1/agent_deployments"),
        below("runs"),
        below("threads"),
        below("action_approvals"),
        below("diff").query("other", &session.id),
    ]
}
