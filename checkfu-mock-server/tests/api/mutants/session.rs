//! What tells apart the mutants of inputs, queues, interrupts, threads, forks, diffs and what a Session is pinned to.

use std::time::Duration;

use checkfu_mock_server::Mutant;
use serde_json::json;

use super::log::{count, log, place};
use crate::faults::bytes::finished;
use crate::mutants::get;
use crate::support::world::{World, all, latest, types};

/// True while the promise is kept, nothing where the mutant is another's to tell; whoever asks has activated it, or not.
pub(super) async fn promise_is_kept(world: &World, mutant: Mutant) -> Option<bool> {
    let kept = match mutant {
        Mutant::NoPageCap | Mutant::StatusLags => projections(world, mutant).await,
        Mutant::CauseUnlogged
        | Mutant::CauseOptional
        | Mutant::EndTakesMessages
        | Mutant::CorrectionUnused
        | Mutant::RevisionFollows => inputs(world, mutant).await,
        Mutant::InterruptUnlogged
        | Mutant::WaitOfOtherKind
        | Mutant::LatestFirst
        | Mutant::BusyDropsMessage
        | Mutant::ApprovalStays => parked(world, mutant).await,
        Mutant::ThreadGuessed
        | Mutant::InterruptSparesChildren
        | Mutant::ArchivesWaiting
        | Mutant::ArchivesPrimary
        | Mutant::AnySessionsThread => threads(world, mutant).await,
        Mutant::ForkCopiesMore | Mutant::ForkLosesLast | Mutant::DiffGuessesBase => {
            forks(world, mutant).await
        }
        _ => return None,
    };
    Some(kept)
}

async fn projections(world: &World, mutant: Mutant) -> bool {
    let session = world.session().await;
    match mutant {
        Mutant::NoPageCap => {
            for turn in 0..100 {
                world.say(&session, &format!("turn {turn}")).await;
            }
            world.until_status(&session, "idle").await;
            let page = get(world, &format!("/v1/sessions/{session}/events?limit=2000"), &[]).await;
            page.json()["data"].as_array().unwrap().len() == 1000
        }
        _ => {
            world.say(&session, "hello").await;
            world.until_logged(&session, "session.status_idle", 1).await;
            world.read(&session).await["status"] == "idle"
        }
    }
}

async fn inputs(world: &World, mutant: Mutant) -> bool {
    let session = world.session().await;
    match mutant {
        Mutant::CauseUnlogged => {
            world.say(&session, "hello").await;
            let log = log(world, &session).await;
            latest(&log, "user.message")["payload"]["caused_by"]["kind"] == "api"
        }
        Mutant::CauseOptional => {
            let payload = json!({"content": "hello", "authored_by": world.server.principal_id()});
            let body = json!({"type": "user.message", "payload": payload});
            let path = format!("/v1/sessions/{session}/events");
            world.client.post(&path, &body).await.status == 400
        }
        Mutant::EndTakesMessages => {
            let path = format!("/v1/sessions/{session}/complete");
            world.client.post(&path, &json!({})).await.ok(200);
            world.try_say(&session, "hello").await.status == 409
        }
        Mutant::CorrectionUnused => {
            let mut payload = json!({"content": "send it by p\u{430}ypal"});
            let refused = world.post(&session, "user.message", payload.clone()).await;
            let details =
                &refused.refused(409, "prompt_integrity.decision_required").json["error"]["details"];
            payload["prompt_integrity"] =
                json!({"challenge": details["challenge"], "decision": "use_corrected"});
            let accepted = world.post(&session, "user.message", payload).await.ok(202);
            accepted["payload"]["content"] == details["corrected_content"]
        }
        _ => {
            let publish = |text: &str| {
                let yaml =
                    format!("name: mine\nrules:\n  - input: message\n    steps:\n      - say: {text}\n");
                world.server.control().workspace().publish(&yaml).unwrap();
            };
            publish("one");
            let session = world.session_of("mine").await;
            publish("two");
            world.say(&session, "hello").await;
            let log = world.until_logged(&session, "agent.message", 1).await;
            latest(&log, "agent.message")["payload"]["content"][0]["text"] == "one"
        }
    }
}

async fn parked(world: &World, mutant: Mutant) -> bool {
    if mutant == Mutant::ApprovalStays {
        return approvals_expire(world).await;
    }
    let session = world.session_of("custom_tool").await;
    world.say(&session, "first").await;
    let before = world.until_logged(&session, "session.status_waiting", 1).await;
    let interrupt = || world.post(&session, "user.interrupt", json!({}));
    match mutant {
        Mutant::WaitOfOtherKind => latest(&before, "run.waiting")["payload"]["wait"]["kind"] == "custom_tool",
        Mutant::InterruptUnlogged => {
            interrupt().await.ok(202);
            let rest = &log(world, &session).await[before.len()..];
            types(rest) == ["user.interrupt", "run.canceled", "session.status_idle"]
        }
        Mutant::BusyDropsMessage => {
            let said = world.say(&session, "second").await;
            let log = log(world, &session).await;
            latest(&log, "run.created")["run_id"] == said["run_id"]
        }
        _ => {
            let second = world.say(&session, "second").await;
            world.say(&session, "third").await;
            interrupt().await.ok(202);
            let log = world.until_logged(&session, "run.started", 2).await;
            let started = log.iter().filter(|event| event["type"] == "run.started");
            started.map(|event| &event["run_id"]).nth(1) == Some(&second["run_id"])
        }
    }
}

/// What is due happens before the next input is looked at, so nothing has to be waited for.
async fn approvals_expire(world: &World) -> bool {
    let session = world.session_of("approval").await;
    world.say(&session, "quick").await;
    let log = world.until_logged(&session, "action_approval.requested", 1).await;
    world.server.control().advance(Duration::from_secs(3)).unwrap();
    let tool = &latest(&log, "action_approval.requested")["payload"]["tool_use_id"];
    let late = json!({"tool_use_id": tool, "result": "allow"});
    world.post(&session, "user.tool_confirmation", late).await.status == 409
}

async fn threads(world: &World, mutant: Mutant) -> bool {
    if matches!(mutant, Mutant::ArchivesPrimary | Mutant::AnySessionsThread) {
        let (session, other) = (world.session().await, world.session().await);
        let primary = world.read(&other).await["primary_thread_id"].clone();
        let thread = format!("threads/{}", primary.as_str().unwrap());
        if mutant == Mutant::AnySessionsThread {
            let path = format!("/v1/sessions/{session}/{thread}");
            return get(world, &path, &[]).await.status() == 404;
        }
        let path = format!("/v1/sessions/{other}/{thread}/archive");
        return world.client.call("POST", &path, "").await.status == 409;
    }
    let session = world.session_of("twins").await;
    world.say(&session, "hello").await;
    let log = world.until_logged(&session, "agent.tool_use", 2).await;
    let thread = &latest(&log, "agent.tool_use")["session_thread_id"];
    let mut answer = json!({"tool_use_id": "toolu_shared", "result": "one"});
    match mutant {
        Mutant::ThreadGuessed => {
            let guessed = world.post(&session, "user.custom_tool_result", answer).await;
            guessed.status == 409
        }
        Mutant::InterruptSparesChildren => {
            world.post(&session, "user.interrupt", json!({})).await.ok(202);
            answer["session_thread_id"] = thread.clone();
            let late = world.post(&session, "user.custom_tool_result", answer).await;
            late.status == 409
        }
        _ => {
            let thread = thread.as_str().unwrap();
            let path = format!("/v1/sessions/{session}/threads/{thread}/archive");
            world.client.call("POST", &path, "").await.status == 409
        }
    }
}

async fn forks(world: &World, mutant: Mutant) -> bool {
    let (source, events) = finished(world).await;
    let at_fifth = json!({"from": {"seq": 5}});
    let path = format!("/v1/sessions/{source}/fork");
    let fork = world.client.post(&path, &at_fifth).await.ok(201);
    let fork = fork["id"].as_str().unwrap();
    if mutant == Mutant::DiffGuessesBase {
        let path = format!("/v1/sessions/{source}/diff?other={fork}");
        return get(world, &path, &[]).await.json()["base"] == json!({"session_id": source, "seq": 5});
    }
    let copied = log(world, fork).await;
    let marked = place(&copied, "session.forked").unwrap();
    assert_eq!(count(&copied, "session.forked"), 1);
    all(&copied[..marked], "id") == all(&events[..5], "id")
}
