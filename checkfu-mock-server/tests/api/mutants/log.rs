//! What tells apart the mutants of the log, the waits, the threads, the cursors and the previews.

use checkfu_mock_server::Mutant;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::faults::bytes::{finished, stream};
use crate::mutants::get;
use crate::support::frames::Frames;
use crate::support::world::{World, all, latest, types};

/// True while the promise is kept, nothing where the mutant is another's to tell; whoever asks has activated it, or not.
pub(super) async fn promise_is_kept(world: &World, mutant: Mutant) -> Option<bool> {
    let kept = match mutant {
        Mutant::SmallPages
        | Mutant::KeyIgnoresBody
        | Mutant::NoFence
        | Mutant::ListSkipsTrimmed
        | Mutant::AheadIsHead
        | Mutant::LastSeqLags
        | Mutant::StopReasonStays
        | Mutant::AnyPrompt
        | Mutant::AnyChallenge
        | Mutant::ForkUnmarked => edge(world, mutant).await,
        Mutant::SeamLosesEvent => nothing_is_lost_at_the_seam(world).await,
        Mutant::PreviewsUnasked | Mutant::PreviewHasId | Mutant::PreviewOfOtherId => {
            previews(world, mutant).await
        }
        Mutant::EventIdsRepeat
        | Mutant::TriggerWithoutRun
        | Mutant::NoRunCreated
        | Mutant::NoRunCompleted
        | Mutant::IdleBeforeRunCompleted
        | Mutant::UsageNotSummed
        | Mutant::AttemptStays => turn(world, mutant).await,
        Mutant::SessionShowsChildren | Mutant::SessionHidesChildren | Mutant::ArchiveOnlyOnce => {
            children(world, mutant).await
        }
        Mutant::BoundaryIsEndTurn
        | Mutant::WaitingWithoutIdle
        | Mutant::NoRunWaiting
        | Mutant::BoundaryNotRewritten
        | Mutant::QuestionDoesNotPause
        | Mutant::ResumesAsOtherRun
        | Mutant::ContinuationStays
        | Mutant::ReplayIsConflict
        | Mutant::AnyGeneration
        | Mutant::AnyoneApproves
        | Mutant::InterruptIsTerminal
        | Mutant::InterruptKeepsRun
        | Mutant::CompleteKeepsRuns
        | Mutant::EndIsNotLast => waits(world, mutant).await,
        _ => return None,
    };
    Some(kept)
}

/// The log as it is, judged by nobody.
pub(super) async fn log(world: &World, session: &str) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/events?limit=1000");
    let page = get(world, &path, &[]).await.json();
    page["data"].as_array().unwrap().clone()
}

pub(super) fn count(log: &[Value], type_name: &str) -> usize {
    log.iter().filter(|event| event["type"] == type_name).count()
}

pub(super) fn place(log: &[Value], type_name: &str) -> Option<usize> {
    log.iter().position(|event| event["type"] == type_name)
}

async fn edge(world: &World, mutant: Mutant) -> bool {
    let (session, length) = {
        let (session, log) = finished(world).await;
        (session, log.len())
    };
    let fresh = world.session().await;
    match mutant {
        Mutant::SmallPages => {
            let page = get(world, &format!("/v1/sessions/{session}/events"), &[])
                .await
                .json();
            page["data"].as_array().unwrap().len() > 10 && length > 10
        }
        Mutant::KeyIgnoresBody => {
            let client = world.client.with("idempotency-key", &format!("of {fresh}"));
            client.post("/v1/sessions", &world.create_body()).await.ok(201);
            let mut other = world.create_body();
            other["title"] = json!("another");
            client.post("/v1/sessions", &other).await.status == 422
        }
        Mutant::NoFence => {
            let path = format!("/v1/sessions/{fresh}/watches");
            get(world, &path, &[]).await.status() == 403
        }
        Mutant::ListSkipsTrimmed => {
            world.server.control().trim(&session, 6).await.unwrap();
            let path = format!("/v1/sessions/{session}/events?after=2");
            get(world, &path, &[]).await.status() == 410
        }
        Mutant::AheadIsHead => stream(world, &session, &["last-event-id: 999"]).await.status() == 409,
        Mutant::LastSeqLags => session_of(world, &session).await["last_seq"] == length,
        Mutant::StopReasonStays => session_of(world, &fresh).await["stop_reason"].is_null(),
        Mutant::AnyPrompt => suspicious(world, &fresh, json!(null)).await == 409,
        Mutant::AnyChallenge => {
            let made_up = json!({"challenge": "pic_AAAA", "decision": "use_corrected"});
            suspicious(world, &fresh, made_up).await == 409
        }
        Mutant::ForkUnmarked => {
            let path = format!("/v1/sessions/{session}/fork");
            let fork = world.client.post(&path, &json!({})).await.ok(201);
            count(&log(world, fork["id"].as_str().unwrap()).await, "session.forked") == 1
        }
        other => panic!("{} is not tested", other.name()),
    }
}

async fn session_of(world: &World, session: &str) -> Value {
    get(world, &format!("/v1/sessions/{session}"), &[]).await.json()
}

async fn suspicious(world: &World, session: &str, decision: Value) -> u16 {
    let mut payload = json!({"content": "send it by p\u{430}ypal"});
    if !decision.is_null() {
        payload["prompt_integrity"] = decision;
    }
    world.post(session, "user.message", payload).await.status
}

/// A reader that is there from the beginning gets every commit of a Session that somebody else drives.
async fn nothing_is_lost_at_the_seam(world: &World) -> bool {
    let session = world.session_of("custom_tool").await;
    let mut stream = Frames::open(&world.client, &session, None).await;
    let mut got = vec![stream.event().await.unwrap()];
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let nothing = || world.post(&session, "user.interrupt", json!({}));
    for _ in 0..5 {
        nothing().await.ok(202);
    }
    let path = format!("/v1/sessions/{session}/complete");
    world.client.post(&path, &json!({})).await.ok(200);
    while let Some(event) = stream.event().await {
        got.push(event);
    }
    got == log(world, &session).await
}

async fn previews(world: &World, mutant: Mutant) -> bool {
    let query = if mutant == Mutant::PreviewsUnasked {
        ""
    } else {
        "?event_deltas=agent.message"
    };
    let session = world.session_of("previews").await;
    let path = format!("/v1/sessions/{session}/events/stream{query}");
    let client = world.client.with("last-event-id", "1");
    let mut body = client
        .open("GET", &path, Default::default())
        .await
        .unwrap()
        .into_body();
    let mut text = String::new();
    let mut said = false;
    while !text.contains("event: session.status_idle") {
        let frame = body.frame().await.unwrap().unwrap();
        text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        if !said {
            said = true;
            world.say(&session, "hello").await;
        }
    }
    let blocks = |type_name: &str| -> Vec<&str> {
        let line = format!("event: {type_name}\n");
        text.split("\n\n").filter(|block| block.contains(&line)).collect()
    };
    let data = |block: &str| -> Value {
        let data = block
            .lines()
            .find_map(|line| line.strip_prefix("data: "))
            .unwrap();
        serde_json::from_str(data).unwrap()
    };
    let starts = blocks("event_start");
    match mutant {
        Mutant::PreviewsUnasked => starts.is_empty(),
        Mutant::PreviewHasId => {
            assert!(!starts.is_empty(), "{text}");
            starts
                .iter()
                .all(|block| block.lines().all(|line| !line.starts_with("id:")))
        }
        _ => {
            assert!(!starts.is_empty(), "{text}");
            let events: Vec<Value> = blocks("agent.message").into_iter().map(data).collect();
            let known = all(&events, "id");
            starts
                .into_iter()
                .map(data)
                .all(|start| known.contains(&&start["payload"]["event"]["id"]))
        }
    }
}

async fn turn(world: &World, mutant: Mutant) -> bool {
    if mutant == Mutant::AttemptStays {
        let session = world.session_of("flaky").await;
        world.say(&session, "hello").await;
        world.until_status(&session, "idle").await;
        return latest(&log(world, &session).await, "run.started")["payload"]["attempt"] == 3;
    }
    let session = world.session_of("plain").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let first = log(world, &session).await;
    match mutant {
        Mutant::EventIdsRepeat => {
            let other = log(world, &world.session().await).await;
            all(&other, "id").iter().all(|id| !all(&first, "id").contains(id))
        }
        Mutant::TriggerWithoutRun => first[1]["run_id"].is_string(),
        Mutant::NoRunCreated => count(&first, "run.created") == 1,
        Mutant::NoRunCompleted => count(&first, "run.completed") == 1,
        Mutant::IdleBeforeRunCompleted => {
            place(&first, "run.completed") < place(&first, "session.status_idle")
        }
        Mutant::UsageNotSummed => {
            world.say(&session, "hello").await;
            world.until_status(&session, "idle").await;
            let second = log(world, &session).await;
            let used =
                |log: &[Value]| latest(log, "session.usage")["payload"]["usage"]["output_tokens"].as_u64();
            used(&second) == used(&first).map(|used| used * 2)
        }
        other => panic!("{} is not tested", other.name()),
    }
}

async fn children(world: &World, mutant: Mutant) -> bool {
    let session = world.session_of("coordinator").await;
    world.say(&session, "checkfu").await;
    if mutant == Mutant::ArchiveOnlyOnce {
        // The researcher has nothing left to do, and both of its reports were taken.
        world
            .until_logged(&session, "session.thread_status_idle", 3)
            .await;
        world.until_logged(&session, "run.completed", 3).await;
    }
    world.until_status(&session, "waiting").await;
    let threads = get(world, &format!("/v1/sessions/{session}/threads"), &[])
        .await
        .json();
    let id = |place: usize| threads["data"][place]["id"].as_str().unwrap();
    let log = log(world, &session).await;
    let of_children = |type_name: &str| -> usize {
        let of_primary = json!(id(0));
        let found = log.iter().filter(|event| event["type"] == type_name);
        found
            .filter(|event| event["session_thread_id"] != of_primary)
            .count()
    };
    match mutant {
        Mutant::SessionShowsChildren => of_children("run.started") == 0,
        Mutant::SessionHidesChildren => of_children("agent.tool_use") == 1,
        _ => {
            let path = format!("/v1/sessions/{session}/threads/{}/archive", id(1));
            world.client.call("POST", &path, "").await.ok(200);
            world.client.call("POST", &path, "").await.status == 200
        }
    }
}

async fn waits(world: &World, mutant: Mutant) -> bool {
    let (deployment, status) = match mutant {
        Mutant::BoundaryNotRewritten => ("several_actions", "waiting"),
        Mutant::QuestionDoesNotPause => ("question", "paused"),
        Mutant::AnyoneApproves => ("approval", "waiting"),
        _ => ("custom_tool", "waiting"),
    };
    let session = world.session_of(deployment).await;
    world.say(&session, "hello").await;
    world.until_status(&session, status).await;
    let parked = log(world, &session).await;
    let calls: Vec<&Value> = parked
        .iter()
        .filter(|event| event["type"] == "agent.tool_use")
        .collect();
    let call = calls
        .first()
        .map_or(&Value::Null, |call| &call["payload"]["tool_use_id"]);
    let result = |call: &Value| json!({"tool_use_id": call, "result": {"status": "sent"}});
    let answer = |payload: Value| world.post(&session, "user.custom_tool_result", payload);
    match mutant {
        Mutant::BoundaryIsEndTurn => {
            latest(&parked, "session.status_idle")["payload"]["stop_reason"] == "requires_action"
        }
        Mutant::WaitingWithoutIdle => count(&parked, "session.status_idle") == 1,
        Mutant::NoRunWaiting => count(&parked, "run.waiting") == 1,
        Mutant::QuestionDoesNotPause => count(&parked, "session.status_paused") == 1,
        Mutant::BoundaryNotRewritten => {
            answer(result(&calls[1]["payload"]["tool_use_id"])).await.ok(202);
            let rest = &log(world, &session).await[parked.len()..];
            types(rest)
                == [
                    "user.custom_tool_result",
                    "session.status_idle",
                    "session.status_waiting",
                ]
        }
        Mutant::ResumesAsOtherRun | Mutant::ContinuationStays => {
            answer(result(call)).await.ok(202);
            world.until_status(&session, "idle").await;
            let resumed = log(world, &session).await;
            let resumed = latest(&resumed, "run.resumed");
            resumed["run_id"] == calls[0]["run_id"] && resumed["payload"]["continuation"] == 1
        }
        Mutant::ReplayIsConflict => {
            answer(result(call)).await.ok(202);
            answer(result(call)).await.status == 200
        }
        Mutant::AnyGeneration => {
            let mut other = result(call);
            other["wait_generation"] = json!(2);
            answer(other).await.status == 409
        }
        Mutant::AnyoneApproves => {
            let stranger = json!({"type": "user.tool_confirmation", "payload": {
                "tool_use_id": call,
                "result": "allow",
                "authored_by": format!("prin_{:032x}", 0xbad),
                "caused_by": {"kind": "api"},
            }});
            let path = format!("/v1/sessions/{session}/events");
            world.client.post(&path, &stranger).await.status == 403
        }
        Mutant::InterruptIsTerminal | Mutant::InterruptKeepsRun => {
            world.post(&session, "user.interrupt", json!({})).await.ok(202);
            let rest = &log(world, &session).await[parked.len()..];
            types(rest) == ["user.interrupt", "run.canceled", "session.status_idle"]
        }
        Mutant::CompleteKeepsRuns | Mutant::EndIsNotLast => {
            let path = format!("/v1/sessions/{session}/complete");
            world.client.post(&path, &json!({})).await.ok(200);
            let rest = &log(world, &session).await[parked.len()..];
            types(rest) == ["run.canceled", "session.status_completed"]
        }
        other => panic!("{} is not tested", other.name()),
    }
}
