//! Waits: approvals, Custom-tool calls, Questions, and their answers (WAIT, A-WAIT, A-PARK, A-GEN).

mod approvals;

use std::time::Duration;

use checkfu_mock_server::MockServer;
use serde_json::{Value, json};

use crate::faults::bytes::exchange;
use crate::support::world::{AUTHOR, World, latest, types};

/// A-TURN, up to where the Agent begins.
const BEGINNING: [&str; 6] = [
    "session.status_pending",
    "user.message",
    "run.created",
    "session.status_provisioning",
    "run.started",
    "session.status_running",
];

/// WAIT-1, WAIT-3, WAIT-4, A-WAIT, A-PARK, A-CONT: a call of the application parks its Run, the boundary is written in one
/// commit, and the result continues the same Run.
#[tokio::test]
async fn a_custom_tool_result_continues_the_same_run() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let parked = world.log(&session).await;
    let mut expected: Vec<&str> = BEGINNING.into();
    expected.extend([
        "agent.message",
        "agent.tool_use",
        "run.waiting",
        "session.status_idle",
        "session.status_waiting",
    ]);
    assert_eq!(types(&parked), expected);
    let call = latest(&parked, "agent.tool_use");
    assert_eq!(call["payload"]["kind"], "custom");
    assert_eq!(call["payload"]["evaluated_permission"], "allow");
    let wait = json!({"kind": "custom_tool", "tool_use_id": call["payload"]["tool_use_id"], "generation": 1});
    assert_eq!(
        latest(&parked, "run.waiting")["payload"],
        json!({"wait": wait, "continuation": 0})
    );
    let boundary = latest(&parked, "session.status_idle");
    assert_eq!(
        boundary["payload"],
        json!({"stop_reason": "requires_action", "event_ids": [call["id"]]})
    );
    assert_eq!(
        boundary["created_at"],
        latest(&parked, "session.status_waiting")["created_at"]
    );
    let read = world.read(&session).await;
    assert_eq!(read["stop_reason"], "requires_action");

    let answer = result(&call["payload"]["tool_use_id"], json!({"status": "sent"}));
    let accepted = world
        .post(&session, "user.custom_tool_result", answer)
        .await
        .ok(202);
    assert_eq!(accepted["run_id"], call["run_id"]);
    assert_eq!(accepted["seq"], parked.len() + 1);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[parked.len()..]),
        [
            "user.custom_tool_result",
            "run.resumed",
            "session.status_running",
            "agent.message",
            "run.completed",
            "session.usage",
            "session.status_idle",
        ]
    );
    let resumed = latest(&log, "run.resumed");
    assert_eq!(resumed["payload"]["wait"], wait);
    assert_eq!(resumed["payload"]["continuation"], 1);
    assert_eq!(
        log.iter().filter(|event| event["type"] == "run.created").count(),
        1
    );
    assert_eq!(
        latest(&log, "agent.message")["payload"]["content"][0]["text"],
        r#"The application says: {"status":"sent"}"#
    );
    let path = format!("/v1/sessions/{session}/runs/{}", call["run_id"].as_str().unwrap());
    let run = world.client.get(&path).await.ok(200);
    assert_eq!((&run["attempt"], &run["continuation"]), (&json!(1), &json!(1)));
}

/// THR-9, A-GEN: what an answer gets: accepted once, the original again for a repetition in any spelling, refused when it is
/// another, of another type, of another generation, or for nothing that was ever pending.
#[tokio::test]
async fn an_answer_is_accepted_for_the_exact_wait_and_repeated_for_ever() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let parked = world.log(&session).await;
    let call = latest(&parked, "agent.tool_use");
    let id = &call["payload"]["tool_use_id"];
    let refusals = [
        (
            "user.tool_confirmation",
            json!({"tool_use_id": id, "result": "allow"}),
            409,
            "runtime.stale_wait",
        ),
        (
            "user.custom_tool_result",
            json!({"tool_use_id": id, "result": 1, "wait_generation": 2}),
            409,
            "runtime.stale_wait",
        ),
        (
            "user.custom_tool_result",
            json!({"tool_use_id": id, "result": 1, "wait_generation": 1e30}),
            409,
            "runtime.stale_wait",
        ),
        (
            "user.custom_tool_result",
            result(&json!("toolu_nobody"), json!(1)),
            404,
            "runtime.unknown_action",
        ),
        (
            "user.question_answer",
            json!({"question_id": format!("qst_{:032x}", 7), "answer": 1}),
            404,
            "runtime.unknown_action",
        ),
        (
            "user.custom_tool_result",
            json!({"tool_use_id": id, "result": 1, "session_thread_id": format!("sthr_{:032x}", 9)}),
            404,
            "resource.not_found",
        ),
    ];
    for (type_name, payload, status, code) in refusals {
        world
            .post(&session, type_name, payload)
            .await
            .refused(status, code);
    }
    assert_eq!(world.log(&session).await, parked, "a refusal changes nothing");

    let mut answer = result(id, json!({"a": 1, "b": null}));
    answer["is_error"] = json!(false);
    let accepted = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(202);
    let again = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(200);
    assert_eq!(again, accepted);
    answer.as_object_mut().unwrap().remove("is_error");
    answer["session_thread_id"] = call["session_thread_id"].clone();
    answer["wait_generation"] = json!(1);
    let spelled = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(200);
    assert_eq!(spelled, accepted);
    answer["result"] = json!({"a": 2});
    let other = world.post(&session, "user.custom_tool_result", answer).await;
    other.refused(409, "runtime.stale_wait");
    world.until_status(&session, "idle").await;
    let count = |log: &[Value]| {
        log.iter()
            .filter(|event| event["type"] == "user.custom_tool_result")
            .count()
    };
    assert_eq!(count(&world.log(&session).await), 1);
}

/// EVT-1: the result of a tool is any JSON, null too.
#[tokio::test]
async fn a_result_is_any_json() {
    let world = World::new().await;
    for value in [
        json!(null),
        json!(false),
        json!([1, "two", {}]),
        json!("text"),
        json!(1.5),
    ] {
        let session = world.session_of("custom_tool").await;
        world.say(&session, "hello").await;
        world.until_status(&session, "waiting").await;
        let log = world.log(&session).await;
        let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
        let accepted = world
            .post(&session, "user.custom_tool_result", result(id, value.clone()))
            .await
            .ok(202);
        assert_eq!(accepted["payload"]["result"], value);
    }
}

/// EVT-1, LST-3, A-GEN: numbers that no machine word can hold come back as they were written, from the answer, the list
/// and after a restart; the same answer in another spelling is the same, and the next number is another.
#[tokio::test]
async fn a_result_keeps_every_digit() {
    let directory = tempfile::tempdir().unwrap();
    let builder = || {
        MockServer::builder()
            .data_dir(directory.path())
            .step_delay(Duration::ZERO)
    };
    let world = World::with(builder()).await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let id = latest(&world.log(&session).await, "agent.tool_use")["payload"]["tool_use_id"].clone();
    let send = |server: &MockServer, method: &str, result: &str| {
        let body = if method == "GET" {
            String::new()
        } else {
            format!(
                r#"{{"type": "user.custom_tool_result", "payload": {{"tool_use_id": {id}, "result": {result},
                    "authored_by": "{AUTHOR}", "caused_by": {{"kind": "api"}}}}}}"#
            )
        };
        let request = format!(
            "{method} /v1/sessions/{session}/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {}\r\n\
             content-length: {}\r\n\r\n{body}",
            server.api_key(),
            body.len()
        );
        let address = server.address();
        async move { String::from_utf8(exchange(address, &request).await.bytes).unwrap() }
    };
    let sent = "{\"z\": 1e400 ,\n \"a\": [ 12345678901234567890123.10, -0.0, \" \\u0041 \" ]}";
    let kept = r#""result":{"z":1e400,"a":[12345678901234567890123.10,-0.0," \u0041 "]}"#;
    let accepted = send(&world.server, "POST", sent).await;
    assert!(
        accepted.starts_with("HTTP/1.1 202") && accepted.contains(kept),
        "{accepted}"
    );
    let same = r#"{"a":[123456789012345678901231e-1,0," A "],"z":10e399}"#;
    let repeated = send(&world.server, "POST", same).await;
    assert!(
        repeated.starts_with("HTTP/1.1 200") && repeated.contains(kept),
        "{repeated}"
    );
    let other = r#"{"a":[12345678901234567890123.11,0," A "],"z":10e399}"#;
    let refused = send(&world.server, "POST", other).await;
    assert!(refused.contains("runtime.stale_wait"), "{refused}");
    let listed = send(&world.server, "GET", "").await;
    assert_eq!(listed.matches(kept).count(), 1, "{listed}");
    world.server.shutdown().await;
    let server = builder().start().await.unwrap();
    assert!(send(&server, "GET", "").await.contains(kept));
    assert!(send(&server, "POST", same).await.contains(kept));
}

/// A-PARK: of several blockers some are answered: nothing resumes, and the boundary is written again with the rest.
#[tokio::test]
async fn a_run_resumes_when_its_last_blocker_is_answered() {
    let world = World::new().await;
    let session = world.session_of("several_actions").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let mut log = world.log(&session).await;
    let calls: Vec<Value> = log
        .iter()
        .filter(|event| event["type"] == "agent.tool_use")
        .cloned()
        .collect();
    assert_eq!(calls.len(), 3);
    let pending = |log: &[Value]| latest(log, "session.status_idle")["payload"]["event_ids"].clone();
    assert_eq!(
        pending(&log),
        json!([calls[0]["id"], calls[1]["id"], calls[2]["id"]])
    );
    let before = log.len();
    let answer = result(&calls[1]["payload"]["tool_use_id"], json!(20));
    world
        .post(&session, "user.custom_tool_result", answer)
        .await
        .ok(202);
    log = world.log(&session).await;
    assert_eq!(
        types(&log[before..]),
        [
            "user.custom_tool_result",
            "session.status_idle",
            "session.status_waiting"
        ]
    );
    assert_eq!(pending(&log), json!([calls[0]["id"], calls[2]["id"]]));
    confirm(&world, &session, &calls[2], "allow").await;
    log = world.log(&session).await;
    assert_eq!(pending(&log), json!([calls[0]["id"]]));
    let answer = result(&calls[0]["payload"]["tool_use_id"], json!(10));
    world
        .post(&session, "user.custom_tool_result", answer)
        .await
        .ok(202);
    world.until_status(&session, "idle").await;
    log = world.log(&session).await;
    assert_eq!(
        log.iter().filter(|event| event["type"] == "run.resumed").count(),
        1
    );
}

/// WAIT-2, SES-7, A-PARK: a Question pauses the Session without a deadline; its answer starts the continuation with
/// a claim, under the same Run.
#[tokio::test]
async fn a_question_pauses_the_session_until_it_is_answered() {
    let world = World::new().await;
    let session = world.session_of("question").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "paused").await;
    let parked = world.log(&session).await;
    let mut expected: Vec<&str> = BEGINNING.into();
    expected.extend(["agent.question", "run.waiting", "session.status_paused"]);
    assert_eq!(types(&parked), expected);
    let question = latest(&parked, "agent.question");
    assert_eq!(question["payload"]["options"], json!(["blue", "green"]));
    let path = format!(
        "/v1/sessions/{session}/runs/{}",
        question["run_id"].as_str().unwrap()
    );
    let run = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&run["status"], &run["deadline_at"]),
        (&json!("waiting"), &Value::Null)
    );

    let answer = json!({"question_id": question["payload"]["question_id"], "answer": "blue"});
    let accepted = world
        .post(&session, "user.question_answer", answer.clone())
        .await
        .ok(202);
    assert_eq!(accepted["run_id"], question["run_id"]);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[parked.len()..]),
        [
            "user.question_answer",
            "run.resumed",
            "session.status_provisioning",
            "session.status_running",
            "agent.message",
            "run.completed",
            "session.usage",
            "session.status_idle",
        ]
    );
    assert_eq!(
        latest(&log, "agent.message")["payload"]["content"][0]["text"],
        "blue it is."
    );
    assert_eq!(
        world.post(&session, "user.question_answer", answer).await.ok(200),
        accepted
    );
}

/// A-WAIT: a deployment may mark a wait with one of the two statuses alone.
#[tokio::test]
async fn a_wait_may_be_marked_by_one_status() {
    let world = World::new().await;
    for (deployment, marks) in [
        ("idle_style", vec!["session.status_idle"]),
        ("waiting_style", vec!["session.status_waiting"]),
    ] {
        let session = world.session_of(deployment).await;
        world.say(&session, "hello").await;
        let log = world.until_logged(&session, "run.waiting", 1).await;
        let from = log
            .iter()
            .position(|event| event["type"] == "run.waiting")
            .unwrap();
        assert_eq!(types(&log[from + 1..]), marks);
        let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
        world
            .post(&session, "user.custom_tool_result", result(id, json!(1)))
            .await
            .ok(202);
        let log = world.until_logged(&session, "run.completed", 1).await;
        assert_eq!(
            latest(&log, "session.status_idle")["payload"]["stop_reason"],
            "end_turn"
        );
    }
}

/// A-OVERLAP: a message during a wait is accepted and queued; it starts when the parked Run has settled.
#[tokio::test]
async fn a_message_during_a_wait_is_queued() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "first").await;
    world.until_status(&session, "waiting").await;
    let queued = world.say(&session, "second").await;
    let parked = world.log(&session).await;
    assert_eq!(
        types(&parked)[parked.len() - 2..],
        ["user.message", "run.created"]
    );
    assert_eq!(world.read(&session).await["status"], "waiting");
    let id = &latest(&parked, "agent.tool_use")["payload"]["tool_use_id"];
    world
        .post(&session, "user.custom_tool_result", result(id, json!(1)))
        .await
        .ok(202);
    let log = world.until_logged(&session, "agent.tool_use", 2).await;
    let second = latest(&log, "agent.tool_use");
    assert_eq!(second["run_id"], queued["run_id"]);
    assert_ne!(second["payload"]["tool_use_id"], *id);
}

fn result(tool_use_id: &Value, result: Value) -> Value {
    json!({"tool_use_id": tool_use_id, "result": result})
}

async fn confirm(world: &World, session: &str, call: &Value, decision: &str) -> Value {
    let payload = json!({"tool_use_id": call["payload"]["tool_use_id"], "result": decision});
    world
        .post(session, "user.tool_confirmation", payload)
        .await
        .ok(202)
}
