//! The contract's own requests.

use checkfu_openapi::fixtures;
use serde_json::json;

use crate::support::world::World;

/// EVT-1, WIRE-5: every input that the contract shows is taken as it stands, or refused for the capability it needs;
/// none is malformed to the server.
#[tokio::test]
async fn every_documented_input_is_taken_or_fenced() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let (mut taken, mut fenced) = (0, 0);
    for fixture in fixtures().unwrap().documents {
        if fixture.schema != "UserEventInput" {
            continue;
        }
        let answer = world.client.post(&path, &fixture.value).await;
        let plain = fixture.value["type"] == "user.message";
        if plain && fixture.value.pointer("/payload/prompt_integrity").is_none() {
            let accepted = answer.ok(202);
            if !fixture.value["payload"]["content"].is_string() {
                assert_eq!(accepted["payload"], fixture.value["payload"]);
            }
            taken += 1;
        } else {
            answer.refused(403, "capability.disabled");
            fenced += 1;
        }
    }
    assert!(taken >= 4 && fenced >= 8, "{taken} taken, {fenced} fenced");
}

/// A-EP: so is what a Session is created from, once the deployment and the Principal are this server's.
#[tokio::test]
async fn every_documented_session_is_created_or_fenced() {
    let world = World::new().await;
    let (mut created, mut fenced) = (0, 0);
    for fixture in fixtures().unwrap().documents {
        if fixture.schema != "CreateSessionRequest" {
            continue;
        }
        let mut body = fixture.value;
        body["agent_deployment_id"] = json!(world.server.deployment_id());
        body["principal_id"] = json!(world.server.principal_id());
        if body.get("agent_deployment_revision_number").is_some() {
            body["agent_deployment_revision_number"] = json!(1);
        }
        let answer = world.client.post("/v1/sessions", &body).await;
        if body.get("project_mounts").is_some() || body.get("memory_mounts").is_some() {
            answer.refused(403, "capability.disabled");
            fenced += 1;
        } else {
            answer.ok(201);
            created += 1;
        }
    }
    assert!(created >= 1 && fenced >= 1, "{created} created, {fenced} fenced");
}
