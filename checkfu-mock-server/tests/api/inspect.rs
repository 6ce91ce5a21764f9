//! What a test sees of the server from behind.

use std::time::Duration;

use checkfu_mock_server::{Expected, InspectError, Inspected, ManualClock, MockServer, Restart};
use serde_json::{Value, json};

use crate::support::frames::PATIENCE;
use crate::support::world::{World, latest};

/// A limit that is sure to be over.
const AT_ONCE: Duration = Duration::from_millis(50);

/// A Session that waits for `toolu_1`: its id and what it is.
async fn parked(world: &World) -> (String, Inspected) {
    let yaml = "
name: parked
rules:
  - input: message
    steps:
      - say: A moment.
      - call: {tool: refund, id: toolu_1, input: {order: A-7}}
      - say: Done.
";
    world.server.control().workspace().publish(yaml).unwrap();
    let id = world.session_of("parked").await;
    world.say(&id, "Refund order A-7.").await;
    let waits = |session: &Inspected| session.status() == "waiting";
    let session = world.server.until(&id, waits, PATIENCE).await.unwrap();
    (id, session)
}

/// What is seen from behind is what clients list, and the waits are those that are open.
#[tokio::test]
async fn a_session_is_seen_as_its_log_has_it() {
    let world = World::new().await;
    let (id, session) = parked(&world).await;
    let log = world.log(&id).await;
    let seen: Vec<&Value> = session.events().iter().map(|event| event.envelope()).collect();
    assert_eq!(seen, log.iter().collect::<Vec<_>>());
    let [.., last] = session.events() else { panic!() };
    let listed = log.last().unwrap();
    assert_eq!(listed["id"], last.id.as_str());
    assert_eq!(listed["seq"], last.seq);
    assert_eq!(listed["type"], last.event_type.as_str());
    assert_eq!(listed["payload"], last.payload);
    let call = latest(&log, "agent.tool_use");
    let [wait] = session.pending() else {
        panic!("{session:?}")
    };
    assert_eq!(
        (wait.kind, &*wait.id, wait.generation),
        ("custom_tool", "toolu_1", 1)
    );
    assert_eq!(call["run_id"], wait.run.as_str());
    assert_eq!(call["session_thread_id"], wait.thread.as_str());
    assert_eq!(wait.request.as_ref().unwrap().envelope(), call);
    assert_eq!(
        (session.stop_reason(), session.is_settled()),
        (Some("requires_action"), false)
    );

    let answer = json!({"tool_use_id": "toolu_1", "result": {"refunded": 12}});
    world.post(&id, "user.custom_tool_result", answer).await.ok(202);
    let settled = world.server.until_settled(&id, PATIENCE).await.unwrap();
    assert_eq!(
        (settled.status(), settled.stop_reason()),
        ("idle", Some("end_turn"))
    );
    assert!(settled.is_settled() && settled.pending().is_empty());
    assert_eq!(settled.types().last(), Some(&"session.status_idle"));
    assert_eq!(settled.received().events().len(), 2);
}

/// The events that are local to a child are seen too, and so is what was posted to it.
#[tokio::test]
async fn children_are_seen_too() {
    let world = World::new().await;
    let id = world.session_of("coordinator").await;
    world.say(&id, "write").await;
    let asked = world
        .server
        .until(&id, |session| session.pending().len() == 1, PATIENCE);
    let asked = asked.await.unwrap();
    let [wait] = asked.pending() else { panic!() };
    let answer = json!({"tool_use_id": wait.id, "result": "short", "session_thread_id": wait.thread});
    world.post(&id, "user.custom_tool_result", answer).await.ok(202);
    let done = |session: &Inspected| {
        let said = |event: &&checkfu_mock_server::LoggedEvent| {
            event.thread.as_ref() == Some(&wait.thread) && event.event_type == "agent.message"
        };
        session.events().iter().filter(said).count() == 1
    };
    world.server.until(&id, done, PATIENCE).await.unwrap();
    // The primary goes on with the report, so what is inspected must not be older than what is listed.
    let listed = world.types(&id).await;
    let seen = world.server.until(&id, done, PATIENCE).await.unwrap();
    assert!(
        seen.events().len() > listed.len(),
        "local events are not in the Session's view"
    );
    let expected = Expected::tool_result(&*wait.id, json!("short")).with("session_thread_id", &*wait.thread);
    seen.received()
        .exactly([Expected::message("write"), expected])
        .unwrap();
}

/// Comparisons pass for what was received, and say what differs otherwise.
#[tokio::test]
async fn comparisons_say_what_differs() {
    let world = World::new().await;
    let (id, _) = parked(&world).await;
    let result = json!({"refunded": 12, "to": ["card"]});
    let answer = json!({"tool_use_id": "toolu_1", "result": result});
    world.post(&id, "user.custom_tool_result", answer).await.ok(202);
    let session = world.server.until_settled(&id, PATIENCE).await.unwrap();
    world.post(&id, "user.interrupt", json!({})).await.ok(202);
    let received = world.server.session(&id).await.unwrap().received();
    let (message, answer) = (
        || Expected::message("Refund order A-7."),
        || Expected::tool_result("toolu_1", json!({"refunded": 12, "to": ["card"]})),
    );
    received
        .exactly([message(), answer(), Expected::interrupt()])
        .unwrap();
    received
        .exactly([
            message().by(world.server.principal_id()),
            answer(),
            Expected::interrupt(),
        ])
        .unwrap_err();
    received.in_order([message(), Expected::interrupt()]).unwrap();
    received.in_order([]).unwrap();
    received.contains(answer()).unwrap();
    session.received().exactly([message(), answer()]).unwrap();

    let problem = |compared: Result<(), checkfu_mock_server::Mismatch>| {
        let mismatch = compared.unwrap_err();
        assert_eq!(format!("{mismatch}"), format!("{mismatch:?}"));
        assert_eq!(mismatch.session(), id);
        assert!(
            mismatch.to_string().contains("received:\n  1. user.message {"),
            "{mismatch}"
        );
        mismatch.problem().to_owned()
    };
    let differs = Expected::tool_result("toolu_1", json!({"refunded": 12, "to": ["cash"]}));
    assert_eq!(
        problem(received.exactly([message(), differs.clone(), Expected::interrupt()])),
        r#"event 2 differs in payload.result.to[0]: expected "cash", received "card""#
    );
    assert_eq!(
        problem(received.contains(differs)),
        r#"it was not received, seq 12 differs in payload.result.to[0]: expected "cash", received "card""#
    );
    assert_eq!(
        problem(received.exactly([message(), Expected::tool_error("toolu_1", result)])),
        "event 2 differs in payload.is_error: expected true, received null"
    );
    assert_eq!(
        problem(received.exactly([message(), answer()])),
        "expected 2 events, received 3: event 3 was not expected"
    );
    assert_eq!(
        problem(received.exactly([message(), answer(), Expected::interrupt(), message()])),
        "expected 4 events, received 3: event 4 is missing"
    );
    assert_eq!(
        problem(received.exactly([answer()])),
        "event 1 differs in type: expected user.custom_tool_result, received user.message"
    );
    assert_eq!(
        problem(received.in_order([answer(), message()])),
        "event 2 was not received after event 1"
    );
    assert_eq!(
        problem(received.contains(Expected::allow("toolu_1"))),
        "it was not received"
    );
    assert_eq!(
        problem(received.exactly([])),
        "expected 0 events, received 3: event 1 was not expected"
    );
}

/// SET-1: a Session that was never driven, one that waits, and one whose turn has begun have not settled; one that has
/// ended has. Whoever waits in vain is told why.
#[tokio::test]
async fn a_wait_ends_with_a_settlement_and_nothing_else() {
    let world = World::new().await;
    let fresh = world.session().await;
    let (waiting, _) = parked(&world).await;
    for (id, status, waits_for) in [
        (&fresh, "pending", ""),
        (&waiting, "waiting", "waits for custom_tool toolu_1"),
    ] {
        let error = world.server.until_settled(id, AT_ONCE).await.unwrap_err();
        let InspectError::Timeout {
            status: told, types, ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!(told, status);
        assert_eq!(*types, world.types(id).await);
        let text = format!("{error:?}");
        assert!(
            text.contains(&format!("{id} has not settled within 50ms: it is {status}")),
            "{text}"
        );
        assert!(
            text.contains(waits_for) && text.contains("     1 session.status_pending"),
            "{text}"
        );
    }
    let path = format!("/v1/sessions/{waiting}/cancel");
    let empty = json!({});
    let canceled = world.client.post(&path, &empty);
    let (settled, canceled) = tokio::join!(world.server.until_settled(&waiting, PATIENCE), canceled);
    canceled.ok(200);
    assert_eq!(settled.unwrap().status(), "canceled");
}

/// A wait lets a restart have the log, and goes on with the life after it.
#[tokio::test]
async fn a_wait_goes_on_over_a_restart() {
    let world = World::new().await;
    let (id, _) = parked(&world).await;
    let restart = async {
        for restart in [Restart::graceful(), Restart::abrupt().down(AT_ONCE)] {
            world.server.control().restart(restart).await.unwrap();
        }
        let answer = json!({"tool_use_id": "toolu_1", "result": "done"});
        world.post(&id, "user.custom_tool_result", answer).await.ok(202);
    };
    let (settled, ()) = tokio::join!(world.server.until_settled(&id, PATIENCE), restart);
    assert!(settled.unwrap().is_settled());
}

/// All Sessions are seen in the order of their creation; a fork has received what was posted to itself alone.
#[tokio::test]
async fn sessions_are_listed_and_forks_begin_with_nothing() {
    let world = World::new().await;
    let first = world.session().await;
    world.say(&first, "one").await;
    world.server.until_settled(&first, PATIENCE).await.unwrap();
    let fork = world
        .client
        .post(&format!("/v1/sessions/{first}/fork"), &json!({}))
        .await
        .ok(201);
    let fork = fork["id"].as_str().unwrap();
    world.say(fork, "two").await;
    let all = world.server.sessions().await.unwrap();
    let ids: Vec<&str> = all.iter().map(Inspected::id).collect();
    assert_eq!(ids, [&*first, fork]);
    assert_eq!(all[0].deployment_id(), world.server.deployment_id());
    all[0].received().exactly([Expected::message("one")]).unwrap();
    all[1].received().exactly([Expected::message("two")]).unwrap();
}

/// Nothing of it is a request, and what does not exist is told by name.
#[tokio::test]
async fn looking_leaves_no_trace_and_names_what_is_missing() {
    let world = World::new().await;
    let id = world.session().await;
    let before = world.server.control().journal();
    world.server.session(&id).await.unwrap();
    world.server.sessions().await.unwrap();
    world.server.until(&id, |_| true, Duration::ZERO).await.unwrap();
    world
        .server
        .until(&id, |_| false, Duration::ZERO)
        .await
        .unwrap_err();
    assert_eq!(world.server.control().journal(), before);
    for missing in ["sess_ffffffffffffffffffffffffffffffff", "x"] {
        let error = world.server.session(missing).await.unwrap_err();
        assert_eq!(
            error,
            InspectError::UnknownSession {
                id: missing.to_owned()
            }
        );
    }
    let error = world.server.deployment("plane").unwrap_err().to_string();
    assert!(
        error.contains("\"plane\"") && error.contains("plain, "),
        "{error}"
    );
    let environment = world.server.environment();
    assert_eq!(
        environment[0],
        ("CHECKFU_BASE_URL", world.server.url().to_owned())
    );
    assert_eq!(
        environment[1],
        ("CHECKFU_API_KEY", world.server.api_key().to_owned())
    );
    let mine = world.server.environment_of("approval").unwrap();
    let approval = world.server.deployment("approval").unwrap();
    assert_eq!(mine[3], ("CHECKFU_AGENT_DEPLOYMENT_ID", approval));
    assert_eq!((&mine[..3], &mine[4]), (&environment[..3], &environment[4]));
    assert!(world.server.environment_of("plane").is_err());
}

/// A wait that ends without what it waited for says so where nothing can happen: the server's clock stands still.
#[tokio::test]
async fn a_wait_tells_that_the_clock_stands_still() {
    let clock = ManualClock::starting_at("2026-08-31T12:00:00Z".parse().unwrap());
    for (builder, told) in [
        (MockServer::builder().clock(clock), true),
        (MockServer::builder().step_delay(PATIENCE), false),
    ] {
        let world = World::with(builder).await;
        let id = world.session().await;
        world.say(&id, "hello").await;
        let error = world.server.until_settled(&id, AT_ONCE).await.unwrap_err();
        let tells = error
            .to_string()
            .contains("the server's clock stands still at 2026-08-31T12:00:00Z until it is advanced");
        assert_eq!(tells, told, "{error}");
    }
}
