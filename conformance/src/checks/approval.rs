use std::sync::Arc;

use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session, wait},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.approval.resource",
        title: "A call that needs approval is listed and retrievable as pending, then as allowed or denied and by whom.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-EP", "SES-5"],
        killed_by: &[
            "approvals-stay-pending",
            "approvals-are-not-listed",
            "forgets-who-decided",
        ],
        run: |cx| Box::pin(resource(cx)),
    },
    Check {
        id: "srv.approval.denied-call-fails",
        title: "A denied call has an error for a result, with the words of the denial.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-PARK", "A-EP"],
        killed_by: &["runs-what-is-denied"],
        run: |cx| Box::pin(denied_call_fails(cx)),
    },
    Check {
        id: "srv.approval.unknown",
        title: "An ActionApproval that does not exist is 404.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-EP", "A-ERR"],
        killed_by: &["unknown-approval-is-empty"],
        run: |cx| Box::pin(unknown(cx)),
    },
];

async fn resource(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    for (place, (decision, status)) in [("allow", "allowed"), ("deny", "denied")].into_iter().enumerate() {
        let parked = cx.parked(&session).await?;
        let action = parked.action();
        let (answer, pending) = shown(cx, &session, place).await?;
        let is = |pointer: &str, expected: &Value| {
            expect::equal(
                &answer,
                pointer,
                expected,
                expect::member(&answer, &pending, pointer)?,
            )
        };
        is("/status", &"pending".into())?;
        is("/decided_by", &Value::Null)?;
        is("/run_id", &parked.run_id()?.into())?;
        for member in ["/tool_use_id", "/name", "/input"] {
            is(member, action.payload(member).unwrap_or(&Value::Null))?;
        }
        cx.saw(format!("approval {} is pending", place + 1), &answer);
        cx.accepted(&session, &wait::confirmation(cx.bench, action, decision))
            .await?;
        let (answer, decided) = shown(cx, &session, place).await?;
        let is = |pointer: &str, expected: Value| {
            expect::equal(
                &answer,
                pointer,
                &expected,
                expect::member(&answer, &decided, pointer)?,
            )
        };
        is("/status", status.into())?;
        is("/decided_by", cx.bench.target.principal.as_str().into())?;
        let at = expect::member(&answer, &decided, "/decided_at")?;
        expect::that(at.is_string(), &answer, "a time at /decided_at", at.to_string())?;
        cx.saw(format!("then it is {status}"), &answer);
        cx.still(&session, parked.log.head()).await?;
    }
    cx.pass()
}

/// The approval at this place of the list, as retrieving it shows it.
async fn shown(cx: &Context<'_>, session: &Session, place: usize) -> Result<(Arc<Exchange>, Value), Stop> {
    let path = format!("{}/action_approvals", session.path());
    let list = cx.send(Request::get(&path)).await?;
    expect::status(&list, 200)?;
    let page = expect::json(&list)?;
    let entry = expect::member(&list, &page, &format!("/data/{place}"))?;
    let id = expect::string(&list, entry, "/id")?;
    let answer = cx.send(Request::get(format!("{path}/{id}"))).await?;
    expect::status(&answer, 200)?;
    let retrieved = expect::json(&answer)?;
    expect::equal(&answer, "the retrieved ActionApproval", entry, &retrieved)?;
    Ok((answer, retrieved))
}

async fn denied_call_fails(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let mut denial = wait::confirmation(cx.bench, parked.action(), "deny");
    let words = cx.bench.fresh_name("denied");
    denial["payload"]["deny_message"] = words.as_str().into();
    cx.accepted(&session, &denial).await?;
    let log = cx.still(&session, parked.log.head()).await?;
    let id = parked.action().payload("/tool_use_id");
    let result = log
        .above(parked.log.head())
        .iter()
        .find(|event| event.kind == "agent.tool_result");
    let result = result.filter(|event| event.payload("/tool_use_id") == id);
    let shown = result.map_or("none".to_owned(), |event| event.raw["payload"].to_string());
    let failed = result.is_some_and(|event| event.payload("/is_error") == Some(&true.into()));
    let expected = "an agent.tool_result that is an error and has the words of the denial";
    expect::that(failed && shown.contains(&words), &log.evidence, expected, shown)?;
    cx.saw(
        "the denied call failed with the words of the denial",
        &log.evidence,
    );
    cx.pass()
}

async fn unknown(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    cx.parked(&session).await?;
    let (known, _) = shown(cx, &session, 0).await?;
    cx.saw("an ActionApproval that exists is shown", &known);
    let path = format!("{}/action_approvals", session.path());
    let answer = cx.send(Request::get(format!("{path}/appr_{:032}", 0))).await?;
    expect::error(&answer, 404, "resource.not_found")?;
    cx.saw("an unknown one is 404", &answer);
    cx.pass()
}
