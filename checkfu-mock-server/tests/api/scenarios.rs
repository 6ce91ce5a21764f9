//! Every built-in scenario over real HTTP, to its documented end, and recorded and played again.

use std::time::Duration;

use checkfu_mock_server::{MockServer, built_in_scenarios, record_scenario};
use serde_json::{Value, json};

use crate::support::frames::PATIENCE;
use crate::support::world::{World, types};

/// A Session that is driven to its end, with everything answered that it asks.
struct Drive<'a> {
    world: &'a World,
    session: String,
}

impl<'a> Drive<'a> {
    async fn new(world: &'a World, name: &str) -> Self {
        let deployments = world.client.get("/v1/agent_deployments").await.ok(200);
        let found = deployments["data"]
            .as_array()
            .unwrap()
            .iter()
            .find(|deployment| deployment["name"] == name);
        let body = json!({
            "agent_deployment_id": found.unwrap_or_else(|| panic!("no {name}"))["id"],
            "principal_id": world.server.principal_id(),
        });
        let created = world.client.post("/v1/sessions", &body).await.ok(201);
        let session = created["id"].as_str().unwrap().to_owned();
        Self { world, session }
    }

    async fn post(&self, kind: &str, mut payload: Value) {
        payload["authored_by"] = json!(self.world.server.principal_id());
        payload["caused_by"] = json!({"kind": "api"});
        let path = format!("/v1/sessions/{}/events", self.session);
        let answer = self
            .world
            .client
            .post(&path, &json!({"type": kind, "payload": payload}))
            .await;
        answer.ok(202);
    }

    async fn input(&self, input: &str) {
        match input.strip_prefix("outcome: ") {
            Some(description) => {
                let rubric = json!({"type": "text", "content": "It is good."});
                let payload = json!({"description": description, "rubric": rubric, "max_iterations": 3});
                self.post("user.define_outcome", payload).await;
            }
            None => self.post("user.message", json!({"content": input})).await,
        }
        self.settle().await;
    }

    /// Answers what is open until every Run has settled.
    async fn settle(&self) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let log = self.world.log(&self.session).await;
            if let Some((kind, payload)) = open(&log) {
                self.post(kind, payload).await;
                continue;
            }
            let path = format!("/v1/sessions/{}/runs", self.session);
            let runs = self.world.client.get(&path).await.ok(200);
            let settled = |run: &Value| {
                ["completed", "failed", "canceled"]
                    .map(Value::from)
                    .contains(&run["status"])
            };
            if runs["data"].as_array().unwrap().iter().all(settled) {
                return;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "unsettled: {:#}",
                runs["data"]
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The logs of the Session and of its children, as they would be saved.
    async fn saved(&self) -> Vec<String> {
        let mut saved = vec![json!(self.world.log(&self.session).await).to_string()];
        let path = format!("/v1/sessions/{}/threads", self.session);
        for thread in self.world.client.get(&path).await.ok(200)["data"]
            .as_array()
            .unwrap()
            .iter()
            .skip(1)
        {
            let path = format!("{path}/{}/events?limit=1000", thread["id"].as_str().unwrap());
            saved.push(self.world.client.get(&path).await.ok(200).to_string());
        }
        saved
    }
}

/// The answer to the first thing in the log that has none.
fn open(log: &[Value]) -> Option<(&'static str, Value)> {
    let about = |kind: &str, call: &Value, member: &str| {
        log.iter().any(|event| {
            event["type"] == kind
                && event["payload"][member] == call["payload"][member]
                && event["session_thread_id"] == call["session_thread_id"]
        })
    };
    log.iter().find_map(|event| {
        let payload = &event["payload"];
        let mut answer = json!({"session_thread_id": event["session_thread_id"]});
        if event["type"] == "agent.question" && !about("user.question_answer", event, "question_id") {
            answer["question_id"] = payload["question_id"].clone();
            answer["answer"] = json!("blue");
            return Some(("user.question_answer", answer));
        }
        if event["type"] != "agent.tool_use" {
            return None;
        }
        answer["tool_use_id"] = payload["tool_use_id"].clone();
        if payload["evaluated_permission"] == "ask" && !about("user.tool_confirmation", event, "tool_use_id")
        {
            answer["result"] = json!("allow");
            return Some(("user.tool_confirmation", answer));
        }
        if payload["kind"] == "custom" && !about("user.custom_tool_result", event, "tool_use_id") {
            answer["result"] = json!({"ok": true});
            return Some(("user.custom_tool_result", answer));
        }
        None
    })
}

/// What a scenario is given, how its Session ends, and an event that shows what it is for.
const FLOWS: &[(&str, &[&str], &str, &str, &str)] = &[
    ("plain", &["hello"], "idle", "end_turn", "agent.message"),
    ("previews", &["hello"], "idle", "end_turn", "agent.thinking"),
    (
        "tools",
        &["hello", "a broken one"],
        "idle",
        "end_turn",
        "agent.tool_result",
    ),
    (
        "custom_tool",
        &["hello"],
        "idle",
        "end_turn",
        "user.custom_tool_result",
    ),
    (
        "approval",
        &["deploy"],
        "idle",
        "end_turn",
        "action_approval.decided",
    ),
    (
        "governed_tool",
        &["send"],
        "idle",
        "end_turn",
        "user.custom_tool_result",
    ),
    (
        "several_actions",
        &["measure"],
        "idle",
        "end_turn",
        "session.status_waiting",
    ),
    (
        "question",
        &["ask me", "ask me twice"],
        "idle",
        "end_turn",
        "session.status_paused",
    ),
    (
        "outcome",
        &["outcome: a note", "outcome: a hopeless note"],
        "idle",
        "end_turn",
        "outcome.evaluated",
    ),
    (
        "coordinator",
        &["checkfu"],
        "idle",
        "end_turn",
        "agent.thread_message_received",
    ),
    ("twins", &["go"], "idle", "end_turn", "session.thread_created"),
    ("flaky", &["go"], "idle", "end_turn", "run.requeued"),
    ("exhausted", &["go"], "idle", "retries_exhausted", "run.failed"),
    (
        "exhausted",
        &["a child", "again"],
        "idle",
        "end_turn",
        "session.thread_status_rescheduled",
    ),
    ("broken", &["go"], "idle", "run_failed", "run.failed"),
    (
        "broken",
        &["a child"],
        "idle",
        "end_turn",
        "session.thread_status_terminated",
    ),
    ("broken", &["the session"], "failed", "", "session.status_failed"),
    (
        "reconcile",
        &["go"],
        "idle",
        "end_turn",
        "session.status_reconciling",
    ),
    ("budget", &["go"], "idle", "budget_reached", "run.completed"),
    ("refusal", &["go"], "idle", "refusal", "run.completed"),
    ("parallel", &["slow", "fast"], "idle", "end_turn", "run.completed"),
    (
        "waiting_style",
        &["go"],
        "idle",
        "end_turn",
        "session.status_waiting",
    ),
    (
        "idle_style",
        &["go"],
        "idle",
        "end_turn",
        "user.custom_tool_result",
    ),
];

/// Every built-in scenario that needs no hand on the clock reaches its documented end.
#[tokio::test]
async fn every_flow_reaches_its_end() {
    let world = World::new().await;
    for (name, inputs, status, stop_reason, shows) in FLOWS {
        let drive = Drive::new(&world, name).await;
        for input in *inputs {
            drive.input(input).await;
        }
        let session = world.read(&drive.session).await;
        assert_eq!(session["status"], *status, "{name} {inputs:?}");
        if !stop_reason.is_empty() {
            assert_eq!(session["stop_reason"], *stop_reason, "{name} {inputs:?}");
        }
        let types = world.types(&drive.session).await;
        assert!(
            types.iter().any(|kind| kind == shows),
            "{name}: no {shows} in {types:?}"
        );
    }
}

/// Every deployment is listed under the name of its scenario.
#[tokio::test]
async fn every_built_in_scenario_is_listed() {
    let world = World::new().await;
    let deployments = world.client.get("/v1/agent_deployments").await.ok(200);
    let names: Vec<&str> = deployments["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deployment| deployment["name"].as_str().unwrap())
        .collect();
    let expected: Vec<&str> = built_in_scenarios().map(|scenario| scenario.name).collect();
    assert_eq!(names, expected);
    assert_eq!(deployments["data"][0]["id"], world.server.deployment_id());
}

/// A recording, played with the same inputs, gives the same types of events, messages, calls and costs; children work
/// at the same time, so there the order is left out, and how often the Session rested between.
#[tokio::test]
async fn a_recording_plays_the_same() {
    let world = World::new().await;
    for (name, inputs, ..) in FLOWS.iter().filter(|(name, ..)| *name != "parallel") {
        let original = Drive::new(&world, name).await;
        for input in *inputs {
            original.input(input).await;
        }
        let saved = original.saved().await;
        let logs: Vec<&str> = saved.iter().map(String::as_str).collect();
        let recording = record_scenario("recorded", &logs).unwrap_or_else(|error| panic!("{name}: {error}"));
        let builder = MockServer::builder()
            .step_delay(Duration::ZERO)
            .scenario(recording.yaml.as_str())
            .unwrap();
        let other = World::with(builder).await;
        let replayed = Drive::new(&other, "recorded").await;
        for input in *inputs {
            replayed.input(input).await;
        }
        let (mut expected, mut seen) = (essence(&original).await, essence(&replayed).await);
        if types(&world.log(&original.session).await)
            .iter()
            .any(|kind| kind == "session.thread_created")
        {
            for lines in [&mut expected, &mut seen] {
                lines.retain(|line| !line.starts_with("session.status_"));
                lines.sort();
            }
        }
        assert_eq!(seen, expected, "{name} {inputs:?}\n{}", recording.yaml);
    }
}

/// The log without what two Sessions cannot share.
async fn essence(drive: &Drive<'_>) -> Vec<String> {
    let log = drive.world.log(&drive.session).await;
    let kept = [
        "content",
        "name",
        "input",
        "usage",
        "cost",
        "stop_reason",
        "error",
        "result",
        "prompt",
        "reason",
    ];
    let lines = log
        .iter()
        .filter(|event| event["type"] != "session.usage")
        .map(|event| {
            let members = kept
                .iter()
                .filter_map(|member| event["payload"].get(member))
                .map(Value::to_string);
            let members: Vec<String> = members.collect();
            format!("{} {}", event["type"].as_str().unwrap(), members.join(" "))
        });
    lines.collect()
}

/// DLN-1, DLN-2, A-GEN: what takes too long, by a clock that is moved by hand: a start-up gets a fresh attempt, a turn fails
/// with its Run or with its Session, an approval expires and counts as denied.
#[tokio::test]
async fn what_takes_too_long_ends_as_documented() {
    let flows = [
        (
            "slow_start",
            "go",
            "idle",
            "end_turn",
            "run.requeued",
            "It took a while.",
        ),
        (
            "slow_start",
            "never",
            "idle",
            "retries_exhausted",
            "run.failed",
            "runtime.startup_failed",
        ),
        (
            "overtime",
            "go",
            "idle",
            "run_failed",
            "run.failed",
            "runtime.turn_deadline_exceeded",
        ),
        (
            "overtime_fails",
            "go",
            "failed",
            "",
            "session.status_failed",
            "runtime.turn_deadline_exceeded",
        ),
        (
            "approval",
            "quick",
            "idle",
            "end_turn",
            "action_approval.expired",
            "I leave it: expired.",
        ),
    ];
    for (name, input, status, stop_reason, shows, says) in flows {
        let (world, clock) = World::standing_still().await;
        let drive = Drive::new(&world, name).await;
        drive.post("user.message", json!({"content": input})).await;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let session = loop {
            clock.advance(Duration::from_secs(1));
            tokio::time::sleep(Duration::from_millis(2)).await;
            let session = world.read(&drive.session).await;
            let waits = session["stop_reason"] == "requires_action";
            if session["status"] == status && !waits {
                break session;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "{name} {input}: {session:#}"
            );
        };
        if !stop_reason.is_empty() {
            assert_eq!(session["stop_reason"], stop_reason, "{name} {input}");
        }
        let log = world.log(&drive.session).await;
        assert!(
            types(&log).iter().any(|kind| kind == shows),
            "{name}: no {shows} in {:?}",
            types(&log)
        );
        assert!(
            json!(log).to_string().contains(says),
            "{name}: nothing says {says}: {:#}",
            json!(log)
        );
    }
}
