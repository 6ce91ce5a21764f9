use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        operations::Asked,
        session::{self, Session},
    },
    stop::Stop,
    wire::{
        exchange::Exchange,
        request::{Key, Request, Version},
    },
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.errors.unknown-session",
        title: "A Session that does not exist is an error for good to every operation on one.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["WIRE-2"],
        killed_by: &[
            "unknown-session-is-retryable",
            "unknown-session-is-empty",
            "forks-an-unknown-session",
            "cancels-an-unknown-session",
        ],
        run: |cx| Box::pin(unknown_session(cx)),
    },
    Check {
        id: "srv.errors.unknown-session-reads",
        title: "Whatever is read of a Session that does not exist, list, stream or thread, is an error for good.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-2"],
        killed_by: &[
            "unknown-session-streams-nothing",
            "unknown-session-is-empty",
            "streams-threads-of-an-unknown-session",
            "approvals-of-an-unknown-session",
        ],
        run: |cx| Box::pin(unknown_session_reads(cx)),
    },
    Check {
        id: "srv.errors.unknown-session-by-name",
        title: "Every operation on a Session that does not exist is 404 resource.not_found.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-ERR", "A-ORDER"],
        killed_by: &[
            "unknown-session-cannot-be-completed",
            "watches-an-unknown-session",
        ],
        run: |cx| Box::pin(unknown_session_by_name(cx)),
    },
    Check {
        id: "srv.errors.envelope",
        title: "Every refusal has the one error shape, typed by its status and with the request's id.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-ERR"],
        killed_by: &[
            "error-type-of-another-status",
            "error-without-a-code",
            "request-id-differs",
            "server:other_request_id",
            "server:plain_text_errors",
        ],
        run: |cx| Box::pin(envelope(cx)),
    },
    Check {
        id: "srv.errors.request-id",
        title: "Every response has a request id of its own.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-ERR"],
        killed_by: &[
            "lists-without-request-id",
            "one-request-id-for-all",
            "server:no_request_id",
        ],
        run: |cx| Box::pin(request_id(cx)),
    },
];

async fn unknown_session_reads(cx: &mut Context<'_>) -> Judgement {
    let known = cx.readable().await?;
    let mut asked = of_an_unknown_session(cx, &known).await?;
    asked.retain(Asked::reads);
    unknown_refused(cx, &asked).await?;
    let answer = cx.send(Request::get(known.path())).await?;
    expect::status(&answer, 200)?;
    cx.saw("a Session that exists is readable", &answer);
    cx.pass()
}

async fn unknown_session(cx: &mut Context<'_>) -> Judgement {
    let known = cx.session().await?;
    let asked = of_an_unknown_session(cx, &known).await?;
    unknown_refused(cx, &asked).await?;
    let known = cx.log(&known.id).await?;
    cx.saw("a Session that exists is readable", &known.evidence);
    cx.pass()
}

async fn unknown_session_by_name(cx: &mut Context<'_>) -> Judgement {
    let known = cx.session().await?;
    for asked in of_an_unknown_session(cx, &known).await? {
        let answer = cx.refused(&asked, asked.request.clone()).await?;
        // What is disabled is refused before anything is looked up.
        let disabled = asked.operation.capability.is_some() && answer.status() == 403;
        match disabled {
            true => expect::error(&answer, 403, "capability.disabled")?,
            false => expect::error(&answer, 404, "resource.not_found")?,
        };
        cx.saw(format!("{} is refused by name", asked.name()), &answer);
    }
    let known = cx.log(&known.id).await?;
    cx.saw("a Session that exists is readable", &known.evidence);
    cx.pass()
}

/// Every operation on a Session, asked of one that there never was; the thread is one of a Session that exists.
async fn of_an_unknown_session(cx: &Context<'_>, known: &Session) -> Result<Vec<Asked>, Stop> {
    let mut asked = cx.every_operation(known, session::UNKNOWN_SESSION).await?;
    asked.retain(Asked::is_of_a_session);
    Ok(asked)
}

async fn unknown_refused(cx: &mut Context<'_>, asked: &[Asked]) -> Result<(), Stop> {
    for asked in asked {
        let answer = cx.refused(asked, asked.request.clone()).await?;
        expect::refused_for_good(&answer)?;
        cx.saw(
            format!(
                "{} on an unknown Session answered {}",
                asked.name(),
                answer.status()
            ),
            &answer,
        );
    }
    Ok(())
}

async fn envelope(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let events = settled.session.events();
    let refusals = [
        (401, Request::get(&events).key(Key::Wrong)),
        (400, Request::get(&events).version(Version::Unknown)),
        (404, Request::get(session::path(session::UNKNOWN_SESSION))),
        (400, Request::get(&events).query("limit", 0)),
    ];
    for (status, request) in refusals {
        let answer = cx.send(request).await?;
        expect::status(&answer, status)?;
        one_shape(&answer)?;
        cx.saw(
            format!(
                "{} {} answered {status} in the one shape",
                answer.method(),
                answer.path()
            ),
            &answer,
        );
    }
    cx.pass()
}

pub(super) fn one_shape(answer: &Exchange) -> Result<(), Stop> {
    let body = expect::json(answer)?;
    let is = |pointer: &str, expected: &Value| {
        expect::equal(answer, pointer, expected, expect::member(answer, &body, pointer)?)
    };
    is("/type", &"error".into())?;
    if let Some(expected) = error_type(answer.status()) {
        is("/error/type", &expected.into())?;
    }
    let retryable = matches!(answer.status(), 429 | 500..);
    is("/error/retryable", &retryable.into())?;
    for pointer in ["/error/code", "/error/message", "/request_id"] {
        let text = expect::string(answer, &body, pointer)?;
        expect::that(
            !text.is_empty(),
            answer,
            format!("a text at {pointer}"),
            "an empty one",
        )?;
    }
    let param = expect::member(answer, &body, "/error/param")?;
    expect::that(
        param.is_null() || param.is_string(),
        answer,
        "/error/param a string or null",
        param.to_string(),
    )?;
    let details = expect::member(answer, &body, "/error/details")?;
    expect::that(
        details.is_object(),
        answer,
        "/error/details an object",
        details.to_string(),
    )?;
    let header = answer.header("request-id").unwrap_or_default();
    is("/request_id", &header.into())
}

/// The type that goes with a status, where one is decided.
fn error_type(status: u16) -> Option<&'static str> {
    let expected = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        410 => "gone_error",
        413 => "request_too_large",
        422 => "unprocessable_error",
        429 => "rate_limit_error",
        500 => "api_error",
        503 | 529 => "overloaded_error",
        504 => "timeout_error",
        _ => return None,
    };
    Some(expected)
}

async fn request_id(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let session = &settled.session;
    let mut answers: Vec<Arc<Exchange>> = vec![Arc::clone(&session.answer)];
    for request in [
        Request::get(session.events()),
        Request::get(session.path()),
        Request::get(session::path(session::UNKNOWN_SESSION)),
        Request::get(session.events()).key(Key::Wrong),
    ] {
        answers.push(cx.send(request).await?);
    }
    let stream = cx
        .open(Request::get(session.stream()).after(settled.log().head()))
        .await?;
    answers.push(cx.bench.close(stream));
    let mut ids = HashSet::new();
    for answer in &answers {
        let id = answer.header("request-id").unwrap_or_default();
        expect::that(!id.is_empty(), answer, "a request-id header", "none")?;
        expect::that(
            ids.insert(id.to_owned()),
            answer,
            "a request-id of its own",
            format!("{id} once more"),
        )?;
        cx.saw(format!("{} {} has {id}", answer.method(), answer.path()), answer);
    }
    cx.pass()
}
