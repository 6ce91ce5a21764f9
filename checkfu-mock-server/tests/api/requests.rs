//! The contract's own requests.

use checkfu_openapi::fixtures;
use serde_json::json;

use crate::support::world::World;

/// EVT-1: every input that the contract shows is taken as it stands, or refused because nothing waits for
/// it; none is malformed to the server.
#[tokio::test]
async fn every_documented_input_is_understood() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let (mut taken, mut unexpected, mut outcomes) = (0, 0, 0);
    for fixture in fixtures().unwrap().documents {
        if fixture.schema != "UserEventInput" {
            continue;
        }
        let answer = world.client.post(&path, &fixture.value).await;
        let answers = [
            "user.custom_tool_result",
            "user.tool_confirmation",
            "user.question_answer",
        ];
        let type_name = fixture.value["type"].as_str().unwrap();
        if answers.contains(&type_name) || fixture.value.pointer("/payload/session_thread_id").is_some() {
            // Well formed, but nothing waits for it here.
            let code = answer.json["error"]["code"].as_str().unwrap();
            assert!(
                ["runtime.unknown_action", "resource.not_found"].contains(&code),
                "{code}"
            );
            unexpected += 1;
        } else if type_name == "user.define_outcome" && outcomes > 0 {
            answer.refused(409, "runtime.invalid_transition");
        } else {
            let accepted = answer.ok(202);
            if type_name == "user.message" && !fixture.value["payload"]["content"].is_string() {
                // A decision that nothing asked for is not kept.
                let mut expected = fixture.value["payload"].clone();
                expected.as_object_mut().unwrap().remove("prompt_integrity");
                assert_eq!(accepted["payload"], expected);
            }
            outcomes += usize::from(type_name == "user.define_outcome");
            taken += 1;
        }
    }
    assert!(
        taken >= 7 && unexpected >= 5 && outcomes == 1,
        "{taken} taken, {unexpected} unexpected"
    );
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
