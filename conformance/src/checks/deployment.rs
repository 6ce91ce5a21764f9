use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session},
    stop::Stop,
    wire::request::Request,
};

const DEPLOYMENTS: &str = "/v1/agent_deployments";
/// A walk longer than this does not end.
const LONGEST_WALK: usize = 1_000;
/// What a revision pins beside its number.
const PINNED: [&str; 5] = [
    "release",
    "harness_profile",
    "model_routing",
    "sandbox_profile",
    "skills",
];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.deployment.list-and-retrieve",
        title: "Deployments are listed the same in pages of any size, retrieved as listed, and have their current revision.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-EP", "A-LIST"],
        killed_by: &[
            "deployment-pages-lose-one",
            "stale-deployment-entry",
            "deployment-without-its-current-revision",
            "unknown-deployment-is-there",
        ],
        run: |cx| Box::pin(list_and_retrieve(cx)),
    },
    Check {
        id: "srv.deployment.session-pins-a-revision",
        title: "A Session shows every coordinate of the revision it pinned, the current or an older one, and a turn changes none.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["SES-11", "SES-12", "A-EP"],
        killed_by: &[
            "session-of-another-release",
            "pins-the-current-anyway",
            "pin-moves-with-a-turn",
        ],
        run: |cx| Box::pin(session_pins_a_revision(cx)),
    },
    Check {
        id: "srv.capability.listed",
        title: "Each capability is listed once, on or off, and the list does not flip.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-CAP", "A-EP"],
        killed_by: &[
            "capability-listed-twice",
            "capability-neither-on-nor-off",
            "capability-flips",
        ],
        run: |cx| Box::pin(capability_listed(cx)),
    },
];

async fn walk(cx: &Context<'_>, limit: usize) -> Result<Vec<Value>, Stop> {
    let mut all = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..LONGEST_WALK {
        let mut request = Request::get(DEPLOYMENTS).query("limit", limit);
        if let Some(token) = &token {
            request = request.query("page", token);
        }
        let answer = cx.send(request).await?;
        expect::status(&answer, 200)?;
        let page = expect::json(&answer)?;
        let data = expect::member(&answer, &page, "/data")?
            .as_array()
            .cloned()
            .unwrap_or_default();
        let actual = format!("{} deployments", data.len());
        expect::that(
            data.len() <= limit,
            &answer,
            format!("at most {limit} deployments"),
            actual,
        )?;
        all.extend(data);
        match page["next_page"].as_str() {
            Some(next) => token = Some(next.to_owned()),
            None => return Ok(all),
        }
    }
    Err(Stop::Inconclusive(format!(
        "the list of deployments has no end within {LONGEST_WALK} pages"
    )))
}

async fn list_and_retrieve(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let all = walk(cx, 1000).await?;
    let single = walk(cx, 1).await?;
    let unknown = cx
        .send(Request::get(format!(
            "{DEPLOYMENTS}/adep_00000000000000000000000000000000"
        )))
        .await?;
    expect::equal(
        &unknown,
        "the deployments in pages of one",
        &json!(all),
        &json!(single),
    )?;
    expect::error(&unknown, 404, "resource.not_found")?;
    cx.saw("an unknown deployment is 404", &unknown);
    let own = &settled.session.resource["agent_deployment_id"];
    let Some(entry) = all.iter().find(|entry| entry["id"] == *own) else {
        return Err(Stop::fail(
            format!("{own} in the list of deployments"),
            "not there",
            &unknown,
        ));
    };
    let path = format!("{DEPLOYMENTS}/{}", own.as_str().unwrap_or_default());
    let answer = cx.send(Request::get(path)).await?;
    expect::status(&answer, 200)?;
    expect::equal(
        &answer,
        "the retrieved deployment",
        entry,
        &expect::json(&answer)?,
    )?;
    let numbers = entry["revisions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|revision| &revision["number"]);
    let current = numbers
        .into_iter()
        .any(|number| *number == entry["current_revision_number"]);
    expect::that(
        current,
        &answer,
        "the current revision among the revisions",
        entry.to_string(),
    )?;
    cx.saw(
        format!("{} deployments; {own} is as its entry", all.len()),
        &answer,
    );
    cx.pass()
}

async fn session_pins_a_revision(cx: &mut Context<'_>) -> Judgement {
    let creation = session::creation(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let made = cx.session().await?;
    let id = creation["agent_deployment_id"].as_str().unwrap_or_default();
    let answer = cx.send(Request::get(format!("{DEPLOYMENTS}/{id}"))).await?;
    expect::status(&answer, 200)?;
    let deployment = expect::json(&answer)?;
    let revisions = deployment["revisions"].as_array().cloned().unwrap_or_default();
    for revision in &revisions {
        let mut asked = creation.clone();
        asked["agent_deployment_revision_number"] = revision["number"].clone();
        let pinned = session::created(cx.bench.mutate(Request::post("/v1/sessions", &asked)).await?)?;
        let number = &pinned.resource["agent_deployment_revision_number"];
        expect::equal(&pinned.answer, "the pinned number", &revision["number"], number)?;
        for member in PINNED {
            let shown = &pinned.resource["agent"][member];
            expect::equal(
                &pinned.answer,
                &format!("the pinned {member}"),
                &revision[member],
                shown,
            )?;
        }
        cx.saw(
            format!("revision {number} is pinned with all its coordinates"),
            &pinned.answer,
        );
    }
    expect::that(!revisions.is_empty(), &answer, "at least one revision", "none")?;
    cx.turn(&made).await?;
    let answer = cx.send(Request::get(made.path())).await?;
    let now = expect::json(&answer)?;
    for member in ["agent", "agent_deployment_revision_number"] {
        expect::equal(
            &answer,
            &format!("{member} after a turn"),
            &made.resource[member],
            &now[member],
        )?;
    }
    cx.saw("a turn changes none of it", &answer);
    cx.pass()
}

async fn capability_listed(cx: &mut Context<'_>) -> Judgement {
    cx.readable().await?;
    let mut before = None;
    for _ in 0..2 {
        let answer = cx.send(Request::get("/v1/capabilities")).await?;
        expect::status(&answer, 200)?;
        let body = expect::json(&answer)?;
        let listed = expect::member(&answer, &body, "/data")?
            .as_array()
            .cloned()
            .unwrap_or_default();
        expect::that(!listed.is_empty(), &answer, "capabilities", "none")?;
        let mut ids = Vec::new();
        for entry in &listed {
            let id = expect::string(&answer, entry, "/id")?;
            expect::that(
                !ids.contains(&id),
                &answer,
                "each capability once",
                format!("{id} twice"),
            )?;
            ids.push(id);
            let told = entry["enabled"].is_boolean();
            expect::that(told, &answer, format!("{id} enabled or not"), entry.to_string())?;
        }
        if let Some(before) = &before {
            expect::equal(&answer, "the capabilities at a second look", before, &body)?;
        }
        cx.saw(format!("{} capabilities, each on or off", ids.len()), &answer);
        before = Some(body);
    }
    cx.pass()
}
