//! Who wrote what, and why it entered the Session (SES-4, A-AUTHOR).

use serde_json::{Value, json};

use crate::support::world::{World, latest};

/// SES-4, A-AUTHOR: every event that a person writes names its author and its cause; without either it is refused, by the
/// member that is missing, and nothing is appended.
#[tokio::test]
async fn an_event_without_author_or_cause_is_refused() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let before = world.log(&session).await;
    let tool = &latest(&before, "agent.tool_use")["payload"]["tool_use_id"];
    let path = format!("/v1/sessions/{session}/events");
    for (type_name, payload) in inputs(tool) {
        for missing in ["authored_by", "caused_by"] {
            let mut payload = payload.clone();
            payload["authored_by"] = json!(world.server.principal_id());
            payload["caused_by"] = json!({"kind": "api"});
            payload.as_object_mut().unwrap().remove(missing);
            let body = json!({"type": type_name, "payload": payload});
            let refused = world.client.post(&path, &body).await;
            let refused = refused.refused(400, "request.invalid_body");
            assert_eq!(
                refused.param(),
                Some(&*format!("payload.{missing}")),
                "{type_name}"
            );
        }
    }
    assert_eq!(world.log(&session).await, before);
}

/// SES-4, A-AUTHOR: author and cause are kept as they were sent, whatever the kind of the cause.
#[tokio::test]
async fn author_and_cause_are_kept() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    let cause = json!({"kind": "schedule", "event_id": format!("evt_{:032x}", 5)});
    let post = async |type_name: &str, mut payload: Value| {
        payload["authored_by"] = json!(world.server.principal_id());
        payload["caused_by"] = cause.clone();
        let body = json!({"type": type_name, "payload": payload});
        let path = format!("/v1/sessions/{session}/events");
        world.client.post(&path, &body).await.ok(202)
    };
    post("user.message", json!({"content": "hello"})).await;
    world.until_status(&session, "waiting").await;
    let log = world.log(&session).await;
    let tool = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
    post(
        "user.custom_tool_result",
        json!({"tool_use_id": tool, "result": 1}),
    )
    .await;
    world.until_status(&session, "idle").await;
    post(
        "user.define_outcome",
        json!({"description": "d", "rubric": {"type": "text", "content": "c"}}),
    )
    .await;
    post("user.interrupt", json!({})).await;
    let log = world.log(&session).await;
    let written: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"].as_str().unwrap().starts_with("user."))
        .collect();
    assert_eq!(written.len(), 4);
    for event in written {
        assert_eq!(event["payload"]["authored_by"], world.server.principal_id());
        assert_eq!(event["payload"]["caused_by"], cause);
    }
}

fn inputs(tool: &Value) -> Vec<(&'static str, Value)> {
    vec![
        ("user.message", json!({"content": "hello"})),
        ("user.interrupt", json!({})),
        (
            "user.custom_tool_result",
            json!({"tool_use_id": tool, "result": 1}),
        ),
        (
            "user.tool_confirmation",
            json!({"tool_use_id": tool, "result": "allow"}),
        ),
        (
            "user.question_answer",
            json!({"question_id": format!("qst_{:032x}", 1), "answer": 1}),
        ),
        (
            "user.define_outcome",
            json!({"description": "d", "rubric": {"type": "text", "content": "c"}}),
        ),
    ]
}
