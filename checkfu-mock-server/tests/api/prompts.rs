//! Prompt integrity over the wire (PIN-1, PIN-2, A-PIN).

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::client::Answer;
use crate::support::world::{World, latest};

/// "paypal" with a Cyrillic letter.
const LOOKALIKE: &str = "send it by p\u{430}ypal";

/// PIN-1, A-PIN: nothing is appended until the author has decided; the original is kept as it was sent if that is the
/// decision.
#[tokio::test]
async fn the_author_may_preserve_the_original() {
    let world = World::new().await;
    let session = world.session().await;
    let details = refused(say(&world, &session, LOOKALIKE, None).await);
    assert_eq!(
        details["findings"],
        json!([{"kind": "mixed_script_confusable", "block": 0, "start": 11, "end": 17, "codepoints": ["U+0430"]}])
    );
    assert_eq!(
        details["corrected_content"],
        json!([{"type": "text", "text": "send it by paypal"}])
    );
    assert_eq!(world.log(&session).await.len(), 1);
    let decision = json!({"challenge": details["challenge"], "decision": "preserve_original"});
    let accepted = say(&world, &session, LOOKALIKE, Some(&decision)).await.ok(202);
    assert_eq!(
        accepted["payload"]["content"],
        json!([{"type": "text", "text": LOOKALIKE}])
    );
    assert_eq!(accepted["payload"]["prompt_integrity"], decision);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(latest(&log, "user.message"), &accepted);
}

/// PIN-1, A-PIN: or have the corrected text stored, which is what the Agent reads.
#[tokio::test]
async fn the_author_may_use_the_correction() {
    let world = World::new().await;
    let session = world.session().await;
    let text = "\u{202e}reversed\u{202c}";
    let details = refused(say(&world, &session, text, None).await);
    assert_eq!(details["findings"][0]["kind"], "bidi_control");
    let decision = json!({"challenge": details["challenge"], "decision": "use_corrected"});
    let accepted = say(&world, &session, text, Some(&decision)).await.ok(202);
    assert_eq!(
        accepted["payload"]["content"],
        json!([{"type": "text", "text": "reversed"}])
    );
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    let answer = latest(&log[..log.len() - 4], "agent.message");
    assert!(
        answer["payload"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("reversed")
    );
}

/// A-PIN: a challenge is used once, for its Session, author and content, within ten minutes; otherwise there is a fresh one.
#[tokio::test]
async fn a_challenge_is_used_once_for_what_it_was_made_for() {
    let (world, clock) = World::frozen().await;
    let (session, other) = (world.session().await, world.session().await);
    let details = refused(say(&world, &session, LOOKALIKE, None).await);
    let decision = json!({"challenge": details["challenge"], "decision": "preserve_original"});
    for (session, text) in [(&other, LOOKALIKE), (&session, "p\u{430}ypal")] {
        let fresh = refused(say(&world, session, text, Some(&decision)).await);
        assert_ne!(fresh["challenge"], details["challenge"]);
    }
    let made_up = json!({"challenge": "pic_AAAA", "decision": "use_corrected"});
    refused(say(&world, &session, LOOKALIKE, Some(&made_up)).await);
    say(&world, &session, LOOKALIKE, Some(&decision)).await.ok(202);
    let again = refused(say(&world, &session, LOOKALIKE, Some(&decision)).await);
    assert_ne!(again["challenge"], details["challenge"]);
    let late = json!({"challenge": again["challenge"], "decision": "preserve_original"});
    clock.advance(Duration::from_secs(600));
    let fresh = refused(say(&world, &session, LOOKALIKE, Some(&late)).await);
    let in_time = json!({"challenge": fresh["challenge"], "decision": "preserve_original"});
    clock.advance(Duration::from_millis(599_999));
    say(&world, &session, LOOKALIKE, Some(&in_time)).await.ok(202);
}

/// A-PIN, SES-1: that a challenge was used is in the log, and so outlives a restart.
#[tokio::test]
async fn a_used_challenge_stays_used_over_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let builder = || checkfu_mock_server::MockServer::builder().data_dir(directory.path());
    let world = World::with(builder()).await;
    let session = world.session().await;
    let (one, two) = (
        refused(say(&world, &session, LOOKALIKE, None).await),
        refused(say(&world, &session, LOOKALIKE, None).await),
    );
    let decide =
        |details: &Value| json!({"challenge": details["challenge"], "decision": "preserve_original"});
    say(&world, &session, LOOKALIKE, Some(&decide(&one)))
        .await
        .ok(202);
    world.server.shutdown().await;
    let world = World::with(builder()).await;
    refused(say(&world, &session, LOOKALIKE, Some(&decide(&one))).await);
    // One that was not used is still good: the secret is kept too.
    say(&world, &session, LOOKALIKE, Some(&decide(&two)))
        .await
        .ok(202);
}

/// PIN-2, A-PIN: what is no authored message text is not judged: tool results, answers, documents.
#[tokio::test]
async fn only_authored_text_is_judged() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    let document = json!([{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": LOOKALIKE}}]);
    let payload = json!({"content": document});
    world.post(&session, "user.message", payload).await.ok(202);
    world.until_status(&session, "waiting").await;
    let log = world.log(&session).await;
    let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
    let result = json!({"tool_use_id": id, "result": LOOKALIKE});
    world
        .post(&session, "user.custom_tool_result", result)
        .await
        .ok(202);
    world.until_status(&session, "idle").await;
    for clean in [
        "Привет means hello",
        "日本語とRust",
        "\u{5e9}\u{5dc}\u{200f} (shalom)",
        "naïve café, 100 µm",
    ] {
        say(&world, &session, clean, None).await.ok(202);
    }
}

/// A-ORDER: a terminal Session refuses a message for its state, whatever its letters.
#[tokio::test]
async fn the_state_comes_before_the_letters() {
    let world = World::new().await;
    let session = world.session().await;
    let cancel = format!("/v1/sessions/{session}/cancel");
    world.client.call("POST", &cancel, "").await.ok(200);
    let late = say(&world, &session, LOOKALIKE, None).await;
    late.refused(409, "runtime.invalid_transition");
}

async fn say(world: &World, session: &str, text: &str, decision: Option<&Value>) -> Answer {
    let mut payload = json!({"content": text});
    if let Some(decision) = decision {
        payload["prompt_integrity"] = decision.clone();
    }
    world.post(session, "user.message", payload).await
}

#[track_caller]
fn refused(answer: Answer) -> Value {
    let refused = answer.refused(409, "prompt_integrity.decision_required");
    refused.json["error"]["details"].clone()
}
