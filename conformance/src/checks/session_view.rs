use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use super::error_order::canceled;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, log::LARGEST_PAGE, operations, pages::Pages},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.session.list-filtered",
        title: "The list of Sessions by status or by deployment has those that fit, and no other.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-EP", "A-LIST"],
        killed_by: &[
            "lists-any-status",
            "lists-any-deployment",
            "hides-canceled-sessions",
            "takes-any-status",
        ],
        run: |cx| Box::pin(list_filtered(cx)),
    },
    Check {
        id: "srv.session.times",
        title: "A Session was updated at the moment of its latest event, and not before it was created.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-EP"],
        killed_by: &["session-updated-before-its-time", "session-never-updated"],
        run: |cx| Box::pin(times(cx)),
    },
];

async fn list_filtered(cx: &mut Context<'_>) -> Judgement {
    let (pending, ended) = (cx.session().await?, canceled(cx).await?);
    let deployment = operations::deployment_of(&pending);
    for (parameter, member, value, there, elsewhere) in [
        ("status", "status", "canceled", &ended, Some(&pending)),
        ("status", "status", "pending", &pending, Some(&ended)),
        (
            "agent_deployment_id",
            "agent_deployment_id",
            deployment,
            &pending,
            None,
        ),
    ] {
        let list = Request::get("/v1/sessions").query(parameter, value);
        let found = Pages::walk(cx.bench, &list, LARGEST_PAGE).await?;
        let other = found.all.iter().find(|session| session[member] != value);
        let expected = format!("no Session but those whose {member} is {value}");
        let actual = other.map_or(String::new(), Value::to_string);
        expect::that(other.is_none(), &found.evidence, expected, actual)?;
        let is_there = found.find(&there.id).is_some();
        let expected = format!("{} among the Sessions whose {member} is {value}", there.id);
        expect::that(is_there, &found.evidence, expected, "not there")?;
        if let Some(elsewhere) = elsewhere {
            let expected = format!("{} not among them", elsewhere.id);
            expect::that(
                found.find(&elsewhere.id).is_none(),
                &found.evidence,
                expected,
                "it is there",
            )?;
        }
        cx.saw(
            format!("{} Sessions by {parameter}", found.all.len()),
            &found.evidence,
        );
    }
    let unknown = Request::get("/v1/sessions").query("status", "no_such_status");
    let answer = cx.send(unknown).await?;
    expect::error(&answer, 400, "request.invalid_parameter")?;
    cx.saw("an unknown status is refused", &answer);
    cx.pass()
}

async fn times(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let answer = cx.send(Request::get(settled.session.path())).await?;
    expect::status(&answer, 200)?;
    let session = expect::json(&answer)?;
    in_order(&answer, &session, "created_at", "updated_at")?;
    let last = settled.log().events.last();
    let latest = last.map_or(Value::Null, |event| event.raw["created_at"].clone());
    expect::equal(
        &answer,
        "updated_at, the moment of the latest event,",
        &latest,
        &session["updated_at"],
    )?;
    cx.saw(format!("updated at {latest}"), &answer);
    cx.pass()
}

/// The first of two moments of a resource is not behind the second.
pub(super) fn in_order(answer: &Exchange, resource: &Value, first: &str, second: &str) -> Result<(), Stop> {
    let (before, after) = (
        moment(answer, resource, first)?,
        moment(answer, resource, second)?,
    );
    expect::that(
        before <= after,
        answer,
        format!("{second} not before {first}"),
        format!("{second} {after}, {first} {before}"),
    )
}

fn moment(answer: &Exchange, resource: &Value, member: &str) -> Result<DateTime<FixedOffset>, Stop> {
    let text = resource[member].as_str().unwrap_or_default();
    DateTime::parse_from_rfc3339(text)
        .map_err(|_| Stop::fail(format!("a moment {member}"), resource[member].to_string(), answer))
}
