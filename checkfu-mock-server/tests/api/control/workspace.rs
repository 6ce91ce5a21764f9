//! Principals, deployments and retention, changed from behind.

use checkfu_mock_server::MockServer;
use serde_json::json;

use super::controlled;
use crate::support::world::{World, all, latest};

/// SES-2: Principals and deployments are changed from behind, by handle and over HTTP, and are there after a
/// restart.
#[tokio::test]
async fn the_workspace_is_changed_from_behind() {
    let directory = tempfile::tempdir().unwrap();
    let (world, behind) = controlled(MockServer::builder().data_dir(directory.path())).await;
    let id = "prin_11112222333344445555666677778888";
    let create = json!({"agent_deployment_id": world.server.deployment_id(), "principal_id": id});
    assert_eq!(world.client.post("/v1/sessions", &create).await.status, 404);
    let body = json!({"id": id, "permissions": ["approve"]});
    assert_eq!(
        behind
            .call("POST", "/control/principals", &body.to_string())
            .await,
        (201, body.clone())
    );
    world.client.post("/v1/sessions", &create).await.ok(201);
    let again = json!({"id": id}).to_string();
    assert_eq!(
        behind.call("POST", "/control/principals", &again).await,
        (200, json!({"id": id, "permissions": []}))
    );
    let path = format!("/control/principals/{id}/permissions");
    assert_eq!(behind.call("PUT", &path, r#"{"permissions": []}"#).await.0, 200);
    let yaml = checkfu_mock_server::built_in_scenarios()
        .find(|scenario| scenario.name == "plain")
        .unwrap()
        .yaml;
    let yaml = yaml.replacen("plain", "mine", 1);
    let (status, published) = behind.call("POST", "/control/deployments", &yaml).await;
    assert_eq!(
        (status, &published["name"], &published["revision"]),
        (201, &json!("mine"), &json!(1)),
        "{published}"
    );
    for (method, path, body, status, param) in [
        ("POST", "/control/principals", r#"{"id": "me"}"#, 400, Some("id")),
        (
            "POST",
            "/control/principals",
            r#"{"id": "me", "permissions": 1}"#,
            400,
            Some("permissions"),
        ),
        (
            "PUT",
            &*path,
            r#"{"permissions": [1]}"#,
            400,
            Some("permissions[0]"),
        ),
        ("PUT", &*path, "{}", 400, Some("permissions")),
        (
            "PUT",
            &*path,
            r#"{"permissions": ["foo"]}"#,
            400,
            Some("permissions"),
        ),
        (
            "PUT",
            "/control/principals/me/permissions",
            "{}",
            404,
            Some("principal_id"),
        ),
        ("DELETE", "/control/principals/me", "", 404, Some("principal_id")),
        ("POST", "/control/deployments", "name: [", 400, Some("scenario")),
    ] {
        let (found, answer) = behind.call(method, path, body).await;
        assert_eq!(
            (found, answer["error"]["param"].as_str()),
            (status, param),
            "{answer}"
        );
    }
    behind
        .call("POST", "/control/restart", r#"{"mode": "abrupt"}"#)
        .await;
    let workspace = world.server.control().workspace();
    let found = workspace
        .principals()
        .into_iter()
        .find(|principal| principal.id == id)
        .unwrap();
    assert!(found.permissions.is_empty());
    let listed = behind.get("/control/deployments").await;
    assert!(listed["data"].as_array().unwrap().contains(&published));
    let served = world.client.get("/v1/agent_deployments").await.ok(200);
    assert!(all(served["data"].as_array().unwrap(), "id").contains(&&published["id"]));
    assert_eq!(
        behind
            .call("DELETE", &format!("/control/principals/{id}"), "")
            .await
            .0,
        200
    );
    assert_eq!(world.client.post("/v1/sessions", &create).await.status, 404);
}

/// SES-12, SES-11: a scenario is published under another name, or as the next revision of a deployment; Sessions that were
/// admitted before keep theirs, over a restart too.
#[tokio::test]
async fn revisions_are_published_while_sessions_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let (world, behind) = controlled(MockServer::builder().data_dir(directory.path())).await;
    let scenario = |text: &str| {
        format!(
            "name: mine\nrules:\n  - input: message\n    steps:\n      - ask: Go on?\n      - say: {text}\n"
        )
    };
    let first = behind
        .call("POST", "/control/deployments?name=theirs", &scenario("one"))
        .await;
    assert_eq!(
        (first.0, &first.1["name"], &first.1["revision"]),
        (201, &json!("theirs"), &json!(1))
    );
    let session = world.session_of("theirs").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "paused").await;
    let path = format!(
        "/control/deployments/{}/revisions",
        first.1["id"].as_str().unwrap()
    );
    let second = behind.call("POST", &path, &scenario("two")).await;
    assert_eq!((second.0, &second.1["revision"]), (201, &json!(2)));
    let unknown = format!("/control/deployments/adep_{:032x}/revisions", u128::MAX);
    let (status, answer) = behind.call("POST", &unknown, &scenario("two")).await;
    assert_eq!(
        (status, answer["error"]["param"].as_str()),
        (404, Some("agent_deployment_id")),
        "{answer}"
    );
    assert_eq!(
        behind
            .call("POST", "/control/deployments?name=a%20b", &scenario("two"))
            .await
            .0,
        400
    );
    world.server.shutdown().await;
    let world = World::with(MockServer::builder().data_dir(directory.path())).await;
    let log = world.log(&session).await;
    let question = &latest(&log, "agent.question")["payload"]["question_id"];
    let answer = json!({"question_id": question, "answer": "yes"});
    world.post(&session, "user.question_answer", answer).await.ok(202);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        latest(&log, "agent.message")["payload"]["content"][0]["text"],
        "one"
    );
    let newer = world.session_of("theirs").await;
    assert_eq!(world.read(&newer).await["agent_deployment_revision_number"], 2);
}

/// A-GAP: a log is trimmed and holes are made in it from behind.
#[tokio::test]
async fn events_are_taken_out_from_behind() {
    let (world, behind) = controlled(MockServer::builder()).await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    let path = format!("/control/sessions/{session}");
    let erased = behind
        .call("POST", &format!("{path}/erase"), r#"{"seqs": [5, 6, 999]}"#)
        .await;
    assert_eq!(
        erased,
        (200, json!({"removed": 2, "first_seq": 1, "last_seq": last}))
    );
    let trimmed = behind
        .call("POST", &format!("{path}/trim"), r#"{"before_seq": 4}"#)
        .await;
    assert_eq!(
        trimmed,
        (200, json!({"removed": 3, "first_seq": 4, "last_seq": last}))
    );
    let seqs: Vec<u64> = world
        .log(&session)
        .await
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, [4].into_iter().chain(7..=last).collect::<Vec<_>>());
    for (rest, body, status) in [
        ("trim", r#"{"before_seq": -1}"#, 400),
        ("trim", "{}", 400),
        ("erase", r#"{"seqs": ["x"]}"#, 400),
        ("erase", r#"{"seqs": 7}"#, 400),
    ] {
        assert_eq!(
            behind.call("POST", &format!("{path}/{rest}"), body).await.0,
            status,
            "{rest} {body}"
        );
    }
    let unknown = format!("/control/sessions/sess_{:032x}/trim", 1);
    assert_eq!(behind.call("POST", &unknown, r#"{"before_seq": 2}"#).await.0, 404);
}
