//! Creating, listing and retrieving Sessions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::world::{AUTHOR, World};

/// SES-2: a new Session is pending, with ids of the documented forms and everything that it was given.
#[tokio::test]
async fn a_new_session_is_pending_and_keeps_what_it_was_given() {
    let world = World::new().await;
    let mut body = world.create_body();
    body["title"] = json!("Release 2.4 — “final”");
    body["metadata"] = json!({"team": "release", "note": ""});
    let created = world.client.post("/v1/sessions", &body).await.ok(201);
    assert_eq!(created["status"], "pending");
    assert_eq!(created["principal_id"], world.server.principal_id());
    assert_eq!(created["workspace_id"], world.server.workspace_id());
    assert_eq!(
        (&created["title"], &created["metadata"]),
        (&body["title"], &body["metadata"])
    );
    let id = created["id"].as_str().unwrap();
    assert_eq!(world.read(id).await, created);
    let log = world.log(id).await;
    assert_eq!(log.len(), 1);
    assert_eq!(
        (&log[0]["type"], &log[0]["seq"]),
        (&json!("session.status_pending"), &json!(1))
    );
}

/// SES-11, SES-12: no number means the current revision at admission; a number means that one; the Session keeps the
/// revision's coordinates, and its Agent behaves by them.
#[tokio::test]
async fn a_session_pins_one_revision() {
    let world = World::new().await;
    let path = format!("/v1/agent_deployments/{}", world.server.deployment_id());
    let deployment = world.client.get(&path).await.ok(200);
    assert_eq!(deployment["current_revision_number"], 2);
    let mut said = Vec::new();
    // As in JSON Schema, 1.0 is a whole number.
    for (number, expected) in [
        (None, 2),
        (Some(json!(1)), 1),
        (Some(json!(2)), 2),
        (Some(json!(1.0)), 1),
    ] {
        let mut body = world.create_body();
        if let Some(number) = number {
            body["agent_deployment_revision_number"] = number;
        }
        let created = world.client.post("/v1/sessions", &body).await.ok(201);
        assert_eq!(created["agent_deployment_revision_number"], expected);
        let revision = &deployment["revisions"][expected - 1];
        for member in [
            "release",
            "harness_profile",
            "model_routing",
            "sandbox_profile",
            "skills",
        ] {
            assert_eq!(created["agent"][member], revision[member], "{member}");
        }
        let id = created["id"].as_str().unwrap();
        world.say(id, "hello").await;
        world.until_status(id, "idle").await;
        said.push(
            world
                .types(id)
                .await
                .iter()
                .filter(|name| *name == "agent.message")
                .count(),
        );
    }
    assert_eq!(said, [3, 2, 3, 2]);
}

/// A-EP: what a Session is to be made of must exist.
#[tokio::test]
async fn unknown_deployments_revisions_and_principals_are_not_found() {
    let world = World::new().await;
    let wrong = [
        (
            "agent_deployment_id",
            json!("adep_ffffffffffffffffffffffffffffffff"),
        ),
        ("agent_deployment_revision_number", json!(3)),
        ("principal_id", json!(AUTHOR)),
    ];
    for (member, value) in wrong {
        let mut body = world.create_body();
        body[member] = value;
        let answer = world
            .client
            .post("/v1/sessions", &body)
            .await
            .refused(404, "resource.not_found");
        assert_eq!(answer.param(), Some(member));
    }
    let page = world.client.get("/v1/sessions").await.ok(200);
    assert_eq!(page["data"], json!([]));
}

/// Another Principal can be made known, and a malformed one is refused before anything starts.
#[tokio::test]
async fn more_principals_can_be_made_known() {
    let builder = checkfu_mock_server::MockServer::builder();
    let world = World::with(builder.principal(AUTHOR).unwrap()).await;
    let mut body = world.create_body();
    body["principal_id"] = json!(AUTHOR);
    assert_eq!(
        world.client.post("/v1/sessions", &body).await.ok(201)["principal_id"],
        AUTHOR
    );
    let error = checkfu_mock_server::MockServer::builder()
        .principal("prin_1")
        .unwrap_err();
    assert!(error.to_string().contains("prin_1"), "{error}");
}

/// A-EP: each wrong member is named, and nothing is made.
#[tokio::test]
async fn a_wrong_create_body_is_refused_by_member() {
    let world = World::new().await;
    let long = |length: usize| "x".repeat(length);
    let many: serde_json::Map<String, Value> = (0..17).map(|n| (n.to_string(), json!(""))).collect();
    let wrong = [
        ("agent_deployment_id", json!("adep_1"), "agent_deployment_id"),
        ("agent_deployment_id", json!(7), "agent_deployment_id"),
        ("agent_deployment_id", Value::Null, "agent_deployment_id"),
        (
            "principal_id",
            json!("prin_ABCDEF0123456789abcdef0123456789"),
            "principal_id",
        ),
        (
            "agent_deployment_revision_number",
            json!(0),
            "agent_deployment_revision_number",
        ),
        (
            "agent_deployment_revision_number",
            json!(1.5),
            "agent_deployment_revision_number",
        ),
        (
            "agent_deployment_revision_number",
            json!("1"),
            "agent_deployment_revision_number",
        ),
        (
            "agent_deployment_revision_number",
            json!(-1.0),
            "agent_deployment_revision_number",
        ),
        // A member is left out by leaving it out.
        (
            "agent_deployment_revision_number",
            Value::Null,
            "agent_deployment_revision_number",
        ),
        ("title", Value::Null, "title"),
        ("metadata", Value::Null, "metadata"),
        ("project_mounts", Value::Null, "project_mounts"),
        ("memory_mounts", Value::Null, "memory_mounts"),
        ("title", json!({}), "title"),
        ("metadata", json!([]), "metadata"),
        ("metadata", json!({"a": 1}), "metadata.a"),
        ("metadata", json!({(long(65)): "a"}), "metadata"),
        ("metadata", json!({"a": long(513)}), "metadata.a"),
        ("metadata", Value::Object(many), "metadata"),
        ("titel", json!("misspelt"), "titel"),
    ];
    for (member, value, param) in wrong {
        let mut body = world.create_body();
        body[member] = value;
        let answer = world
            .client
            .post("/v1/sessions", &body)
            .await
            .refused(400, "request.invalid_body");
        assert_eq!(answer.param(), Some(param), "{}", answer.json);
    }
    assert_eq!(world.client.get("/v1/sessions").await.ok(200)["data"], json!([]));
}

/// A-LIST: a walk by `page` gives every Session once, in the order in which they were made, for every page size.
#[tokio::test]
async fn a_walk_gives_every_session_once_in_order() {
    let world = World::new().await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(world.session().await);
    }
    for limit in [1, 2, 3, 7, 8, 1000] {
        let mut walked = Vec::new();
        let mut path = format!("/v1/sessions?limit={limit}");
        loop {
            let page = world.client.get(&path).await.ok(200);
            let data = page["data"].as_array().unwrap();
            assert!(data.len() <= limit);
            walked.extend(
                data.iter()
                    .map(|session| session["id"].as_str().unwrap().to_owned()),
            );
            let Some(next) = page["next_page"].as_str() else {
                break;
            };
            path = format!("/v1/sessions?limit={limit}&page={next}");
        }
        assert_eq!(walked, made, "limit {limit}");
    }
}

/// A-EP: the filters narrow the list, and a page token carries on only the list that it came from.
#[tokio::test]
async fn sessions_are_filtered_by_status_and_deployment() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(world.session().await);
    }
    for id in &ids[..3] {
        world
            .client
            .post(&format!("/v1/sessions/{id}/cancel"), &json!({}))
            .await
            .ok(200);
    }
    let listed = async |query: &str| -> BTreeSet<String> {
        let page = world.client.get(&format!("/v1/sessions?{query}")).await.ok(200);
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let set = |ids: &[String]| -> BTreeSet<String> { ids.iter().cloned().collect() };
    assert_eq!(listed("status=canceled").await, set(&ids[..3]));
    assert_eq!(listed("status=pending").await, set(&ids[3..]));
    assert_eq!(listed("status=failed").await, set(&[]));
    let deployment = format!("agent_deployment_id={}", world.server.deployment_id());
    assert_eq!(listed(&deployment).await, set(&ids));
    assert_eq!(
        listed("agent_deployment_id=adep_ffffffffffffffffffffffffffffffff").await,
        set(&[])
    );

    let page = world
        .client
        .get("/v1/sessions?status=canceled&limit=1")
        .await
        .ok(200);
    let token = page["next_page"].as_str().unwrap();
    world
        .client
        .get(&format!("/v1/sessions?status=canceled&limit=2&page={token}"))
        .await
        .ok(200);
    let rest = listed(&format!("page={token}")).await;
    assert_eq!(
        rest,
        set(&ids[1..3]),
        "a walk keeps the filters that it began with"
    );
    let foreign = world
        .client
        .get(&format!("/v1/sessions?status=pending&page={token}"))
        .await;
    foreign.refused(400, "request.invalid_page");
    let unknown = world
        .client
        .get("/v1/sessions?status=sleeping")
        .await
        .refused(400, "request.invalid_parameter");
    assert_eq!(unknown.param(), Some("status"));
    let malformed = world.client.get("/v1/sessions?agent_deployment_id=7").await;
    malformed.refused(400, "request.invalid_parameter");
}

/// A-VER: ids of another Workspace are the same 404 as ids that never were; its lists are empty.
#[tokio::test]
async fn another_workspace_sees_nothing() {
    let world = World::new().await;
    let session = world.session().await;
    let own = world
        .client
        .with("checkfu-workspace", world.server.workspace_id());
    own.get(&format!("/v1/sessions/{session}")).await.ok(200);
    let other = world
        .client
        .with("checkfu-workspace", "wksp_ffffffffffffffffffffffffffffffff");
    let foreign = other
        .get(&format!("/v1/sessions/{session}"))
        .await
        .refused(404, "resource.not_found");
    let unknown = world
        .client
        .get("/v1/sessions/sess_ffffffffffffffffffffffffffffffff")
        .await;
    let unknown = unknown.refused(404, "resource.not_found");
    assert_eq!(foreign.json["error"], unknown.json["error"]);
    for path in ["events", "runs", "events/stream"] {
        other
            .get(&format!("/v1/sessions/{session}/{path}"))
            .await
            .refused(404, "resource.not_found");
    }
    other
        .post("/v1/sessions", &world.create_body())
        .await
        .refused(404, "resource.not_found");
    assert_eq!(other.get("/v1/sessions").await.ok(200)["data"], json!([]));
    assert_eq!(
        other.get("/v1/agent_deployments").await.ok(200)["data"],
        json!([])
    );
}

/// A Run is found only under its own Session.
#[tokio::test]
async fn a_run_belongs_to_its_session() {
    let world = World::new().await;
    let (one, two) = (world.session().await, world.session().await);
    let accepted = world.say(&one, "hello").await;
    let run = accepted["run_id"].as_str().unwrap();
    world
        .client
        .get(&format!("/v1/sessions/{one}/runs/{run}"))
        .await
        .ok(200);
    for path in [
        format!("{two}/runs/{run}"),
        format!("{one}/runs/run_0"),
        format!("{one}/runs/%FF"),
    ] {
        world
            .client
            .get(&format!("/v1/sessions/{path}"))
            .await
            .refused(404, "resource.not_found");
    }
}
