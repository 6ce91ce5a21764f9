use serde_json::{Value, json};

use super::interrupt::interrupted;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::{LARGEST_PAGE, Log},
        pages::Pages,
        session::Session,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.run.failed-as-logged",
        title: "A failed Run is listed with the trigger, end, error, usage and cost that the log has of it.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-EP"],
        killed_by: &[
            "failed-run-listed-as-completed",
            "failed-run-costs-nothing",
            "failed-run-without-its-error",
        ],
        run: |cx| Box::pin(failed_as_logged(cx)),
    },
    Check {
        id: "srv.run.canceled-as-logged",
        title: "A canceled Run is listed with the trigger, end, usage and cost that the log has of it.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-EP"],
        killed_by: &[
            "canceled-run-listed-as-waiting",
            "canceled-run-costs-more",
            "canceled-run-of-another-trigger",
        ],
        run: |cx| Box::pin(canceled_as_logged(cx)),
    },
    Check {
        id: "srv.run.pages",
        title: "Runs are listed the same in pages of any size; a limit that is no positive number and a foreign token are refused.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-LIST"],
        killed_by: &[
            "run-pages-lose-one",
            "run-list-ignores-limit",
            "run-list-takes-any-token",
        ],
        run: |cx| Box::pin(pages(cx)),
    },
];

async fn failed_as_logged(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Broken).await?;
    cx.turn(&session).await?;
    let log = cx.rested(&session.id).await?;
    as_logged(cx, &session, &log, "run.failed").await
}

async fn canceled_as_logged(cx: &mut Context<'_>) -> Judgement {
    cx.offered("interrupts").await?;
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let ended = interrupted(cx, &session, &parked.log).await;
    let log = ended.map_err(|stop| stop.blocking("srv.interrupt.waiting"))?;
    as_logged(cx, &session, &log, "run.canceled").await
}

/// Holds every Run, listed and retrieved, against what the log says of it; one has to have this end.
async fn as_logged(cx: &mut Context<'_>, session: &Session, log: &Log, end: &str) -> Judgement {
    let list = format!("{}/runs", session.path());
    let runs = Pages::walk(cx.bench, &Request::get(&list), LARGEST_PAGE).await?;
    let created = log.events.iter().filter(|event| event.kind == "run.created");
    for created in created {
        let Some(id) = created.run_id() else { continue };
        let Some(run) = runs.find(id) else {
            return Err(Stop::fail(
                format!("{id} in the list"),
                "not there",
                &runs.evidence,
            ));
        };
        for (member, expected) in recorded(log, created, id) {
            let what = format!("{member} of {id}");
            expect::equal(&runs.evidence, &what, &expected, &run[member])?;
        }
        let shown = cx.send(Request::get(format!("{list}/{id}"))).await?;
        expect::status(&shown, 200)?;
        expect::equal(&shown, "the retrieved Run", run, &expect::json(&shown)?)?;
        cx.saw(format!("{id} is listed as the log has it"), &shown);
    }
    if !log.events.iter().any(|event| event.kind == end) {
        return Err(Stop::Inconclusive(format!("there is no {end} in the log")));
    }
    cx.pass()
}

/// What the log says of a Run, by the members of the resource.
fn recorded(log: &Log, created: &Event, id: &str) -> Vec<(&'static str, Value)> {
    let of_it = |event: &&Event| event.run_id() == Some(id);
    let own = || log.events.iter().filter(of_it);
    let (started, end) = (
        own().find(|event| event.kind == "run.started"),
        own().find(|event| event.settles_run()),
    );
    let moment = |event: Option<&Event>| event.map_or(Value::Null, |event| event.raw["created_at"].clone());
    let told = |pointer: &str| {
        let found = end.and_then(|end| end.payload(pointer));
        found.cloned().unwrap_or_default()
    };
    let mut recorded = vec![
        (
            "trigger",
            created.payload("/trigger").cloned().unwrap_or_default(),
        ),
        ("created_at", moment(Some(created))),
        ("started_at", moment(started)),
        ("settled_at", moment(end)),
    ];
    if let Some(status) = end.and_then(|end| end.kind.strip_prefix("run.")) {
        recorded.push(("status", json!(status)));
        recorded.push(("deadline_at", Value::Null));
        recorded.push(("usage", told("/usage")));
        recorded.push(("cost", told("/cost")));
        recorded.push(("error", told("/error")));
    }
    recorded
}

async fn pages(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let list = Request::get(format!("{}/runs", settled.session.path()));
    let whole = Pages::walk(cx.bench, &list, LARGEST_PAGE).await?;
    let single = Pages::walk(cx.bench, &list, 1).await?;
    expect::equal(
        &single.evidence,
        "the Runs in pages of one",
        &json!(whole.all),
        &json!(single.all),
    )?;
    cx.saw(
        format!("{} Runs in pages of any size", whole.all.len()),
        &single.evidence,
    );
    let clamped = cx.send(list.clone().query("limit", 5_000)).await?;
    expect::status(&clamped, 200)?;
    for limit in ["0", "-1", "many"] {
        let answer = cx.send(list.clone().query("limit", limit)).await?;
        expect::error(&answer, 400, "request.invalid_parameter")?;
        cx.saw(format!("limit {limit} is refused"), &answer);
    }
    let events = cx
        .send(Request::get(settled.session.events()).query("limit", 2))
        .await?;
    let foreign = expect::json(&events)?["next_page"].as_str().map(str::to_owned);
    for token in [Some("made-up".to_owned()), foreign].into_iter().flatten() {
        let answer = cx.send(list.clone().query("page", &token)).await?;
        expect::error(&answer, 400, "request.invalid_page")?;
        cx.saw(format!("the token {token} of another list is refused"), &answer);
    }
    cx.pass()
}
