use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        session::{self, Session},
    },
    stop::Stop,
    wire::request::Request,
};

/// How many pages of Sessions are searched for one.
const PAGES_SEARCHED: usize = 50;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.session.create",
        title: "A deployment and a principal make a Session with an id and a readable log of its own.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-2"],
        killed_by: &["session-id-without-prefix", "forgets-the-session"],
        run: |cx| Box::pin(create(cx)),
    },
    Check {
        id: "srv.session.birth",
        title: "A new Session is pending, keeps what it was made of and has one event.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-EP", "A-TURN"],
        killed_by: &["born-idle", "forgets-the-title", "server:stop_reason_stays"],
        run: |cx| Box::pin(birth(cx)),
    },
    Check {
        id: "srv.session.pins-current-revision",
        title: "Without a revision number the deployment's current one is pinned.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-12"],
        killed_by: &["pins-another-revision", "session-hides-its-revision"],
        run: |cx| Box::pin(pins_current_revision(cx)),
    },
    Check {
        id: "srv.session.list-entry",
        title: "The entry in the list of Sessions is the Session that retrieving it shows.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-EP"],
        killed_by: &["stale-list-entry"],
        run: |cx| Box::pin(list_entry(cx)),
    },
    Check {
        id: "srv.session.head",
        title: "A settled Session's status, stop reason and bounds are those of its log.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-HEAD"],
        killed_by: &[
            "head-off-by-one",
            "stop-reason-forgotten",
            "server:last_seq_lags",
            "server:status_lags",
        ],
        run: |cx| Box::pin(head(cx)),
    },
];

async fn create(cx: &mut Context<'_>) -> Judgement {
    let one = session::create(cx.bench).await?;
    let other = session::create(cx.bench).await?;
    expect::that(
        one.id != other.id,
        &other.answer,
        "a Session of its own each time",
        format!("{} twice", one.id),
    )?;
    for session in [&one, &other] {
        let log = cx.log(&session.id).await?;
        cx.saw(format!("{} has a readable log", session.id), &log.evidence);
    }
    cx.pass()
}

async fn birth(cx: &mut Context<'_>) -> Judgement {
    let asked = session::creation(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let session = cx.session().await?;
    expect::status(&session.answer, 201)?;
    let kept = retrieve(cx, &session).await?;
    expect::equal(&kept.0, "the retrieved Session", &session.resource, &kept.1)?;
    let is = |pointer: &str, expected: &Value| {
        expect::equal(
            &kept.0,
            pointer,
            expected,
            expect::member(&kept.0, &kept.1, pointer)?,
        )
    };
    for member in ["/agent_deployment_id", "/principal_id", "/title"] {
        is(member, asked.pointer(member).unwrap_or(&Value::Null))?;
    }
    is("/type", &"session".into())?;
    is("/status", &"pending".into())?;
    is("/stop_reason", &Value::Null)?;
    is("/first_seq", &1.into())?;
    is("/last_seq", &1.into())?;
    let thread = expect::string(&kept.0, &kept.1, "/primary_thread_id")?;
    expect::that(thread.starts_with("sthr_"), &kept.0, "a thread id sthr_…", thread)?;
    cx.saw("a new Session is pending with what it was made of", &kept.0);
    let log = cx.log(&session.id).await?;
    let kinds: Vec<_> = log
        .events
        .iter()
        .map(|event| (event.seq, event.kind.as_str()))
        .collect();
    let expected = [(1, "session.status_pending")];
    expect::that(
        kinds == expected,
        &log.evidence,
        format!("the log {expected:?}"),
        format!("{kinds:?}"),
    )?;
    cx.saw("its log begins with its pending status", &log.evidence);
    cx.pass()
}

async fn pins_current_revision(cx: &mut Context<'_>) -> Judgement {
    let deployment = session::deployment(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let session = cx.session().await?;
    cx.first_log(&session).await?;
    let answer = cx
        .send(Request::get(format!("/v1/agent_deployments/{deployment}")))
        .await?;
    let current = match expect::json(&answer) {
        Ok(body) if answer.status() == 200 => body.get("current_revision_number").and_then(Value::as_u64),
        _ => None,
    };
    let Some(current) = current else {
        return Err(Stop::Inconclusive(
            "the deployment does not show its current revision".to_owned(),
        ));
    };
    let pinned = expect::member(
        &session.answer,
        &session.resource,
        "/agent_deployment_revision_number",
    )?;
    expect::equal(&session.answer, "the pinned revision", &current.into(), pinned)?;
    cx.saw(
        format!("revision {current} is current and pinned"),
        &session.answer,
    );
    cx.pass()
}

async fn list_entry(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let (retrieved, resource) = retrieve(cx, &settled.session).await?;
    let mut token: Option<String> = None;
    for _ in 0..PAGES_SEARCHED {
        let request = Request::get("/v1/sessions").query("limit", 100);
        let request = match &token {
            Some(token) => request.query("page", token),
            None => request,
        };
        let answer = cx.send(request).await?;
        expect::status(&answer, 200)?;
        let page = expect::json(&answer)?;
        let data = expect::member(&answer, &page, "/data")?
            .as_array()
            .cloned()
            .unwrap_or_default();
        if let Some(entry) = data.iter().find(|entry| entry.get("id") == resource.get("id")) {
            expect::equal(&answer, "the entry of the list", &resource, entry)?;
            cx.saw("the entry is the retrieved Session", &answer);
            return cx.pass();
        }
        token = page.get("next_page").and_then(Value::as_str).map(str::to_owned);
        if token.is_none() {
            return Err(Stop::fail(
                format!("{} in the list", settled.session.id),
                "not there",
                &answer,
            ));
        }
    }
    drop(retrieved);
    Err(Stop::Inconclusive(format!(
        "not among the first {PAGES_SEARCHED} pages of Sessions"
    )))
}

async fn head(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let (answer, resource) = retrieve(cx, &settled.session).await?;
    let is = |pointer: &str, expected: &Value| {
        expect::equal(
            &answer,
            pointer,
            expected,
            expect::member(&answer, &resource, pointer)?,
        )
    };
    is(
        "/first_seq",
        &log.events.first().map_or(0, |event| event.seq).into(),
    )?;
    is("/last_seq", &log.head().into())?;
    is("/status", &"idle".into())?;
    let idle = log
        .events
        .iter()
        .rev()
        .find(|event| event.kind == "session.status_idle");
    let reason = idle
        .and_then(|event| event.payload("/stop_reason"))
        .cloned()
        .unwrap_or_default();
    is("/stop_reason", &reason)?;
    cx.saw(format!("idle with {reason} at seq {}", log.head()), &answer);
    cx.pass()
}

async fn retrieve(
    cx: &Context<'_>,
    session: &Session,
) -> Result<(std::sync::Arc<crate::wire::exchange::Exchange>, Value), Stop> {
    let answer = cx.send(Request::get(session.path())).await?;
    expect::status(&answer, 200)?;
    let resource = expect::json(&answer)?;
    Ok((answer, resource))
}
