//! Prompts that the reference server questions, and what their author decides.

use checkfu_mock_server::MockServer;
use checkfu_sdk::error::{ApiError, ErrorCode, PromptFindingKind, QuestionedPrompt};
use checkfu_sdk::events::SessionEvents;
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::model::payload::{Content, IntegrityDecision};
use checkfu_sdk::{Client, Error, Event, EventData};
use futures::TryStreamExt;
use http::StatusCode;
use serde_json::json;

use crate::support::fake_api::{FakeApi, answer};

/// "paypal" with a Cyrillic letter.
const LOOKALIKE: &str = "send it by p\u{430}ypal";

async fn started() -> (MockServer, SessionEvents) {
    let server = MockServer::builder().start().await.unwrap();
    let client = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = client.build().unwrap();
    let create = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    let events = client.sessions().events(create.send().await.unwrap().id());
    (server, events)
}

fn refusal(error: Error) -> Box<ApiError> {
    match error {
        Error::Api(refusal) => refusal,
        error => panic!("{error:?}"),
    }
}

async fn question(events: &SessionEvents, message: UserMessage, server: &MockServer) -> QuestionedPrompt {
    let refusal = refusal(events.send(message.by(server.principal_id())).await.unwrap_err());
    assert_eq!(
        (refusal.status(), refusal.code()),
        (StatusCode::CONFLICT, Some(&ErrorCode::DecisionRequired))
    );
    assert!(!refusal.is_retryable() && refusal.attempts().unwrap().count == 1);
    refusal.questioned_prompt().unwrap()
}

async fn log(events: &SessionEvents) -> Vec<Event> {
    events.list().items().try_collect().await.unwrap()
}

fn said(event: &Event) -> String {
    match event.data() {
        EventData::UserMessage(message) => message.content.to_text(),
        data => panic!("{data:?}"),
    }
}

/// PIN-1, A-PIN: a questioned prompt is refused once, with its findings, a correction and a challenge, and is not in the
/// log; the author's decision is another call with the original content, and either text is stored as decided. A challenge
/// answers once.
#[tokio::test]
async fn the_author_of_a_questioned_prompt_decides() {
    for (decision, stored) in [
        (IntegrityDecision::PreserveOriginal, LOOKALIKE),
        (IntegrityDecision::UseCorrected, "send it by paypal"),
    ] {
        let (server, events) = started().await;
        let message = UserMessage::new(LOOKALIKE);
        let asked = question(&events, message.clone(), &server).await;
        let [finding] = &asked.findings[..] else {
            panic!("{asked:?}")
        };
        assert_eq!(finding.kind, PromptFindingKind::MixedScriptConfusable);
        assert_eq!((finding.block, finding.start, finding.end), (0, 11, 17));
        assert_eq!(finding.codepoints, ["U+0430"]);
        assert_eq!(asked.corrected_content, Some(Content::text("send it by paypal")));
        assert_eq!(log(&events).await.len(), 1, "it was appended");

        let decided = message.prompt_integrity(asked.decide(decision.clone()));
        let accepted = events
            .send(decided.clone().by(server.principal_id()))
            .await
            .unwrap();
        assert_eq!(said(&accepted), stored);
        let EventData::UserMessage(kept) = accepted.data() else {
            unreachable!()
        };
        assert_eq!(kept.prompt_integrity.as_ref().unwrap().decision, decision);
        let again = question(&events, decided, &server).await;
        assert_ne!(again.challenge, asked.challenge);
        let messages = log(&events).await;
        let messages = messages
            .iter()
            .filter(|event| event.event_type() == "user.message");
        assert_eq!(messages.collect::<Vec<_>>(), [&accepted]);
        server.shutdown().await;
    }
}

/// A-PIN: a prompt of 100,000 characters is told with all that there is to decide.
#[tokio::test]
async fn a_long_prompt_is_questioned_in_full() {
    let (server, events) = started().await;
    let text = format!("{LOOKALIKE} {}", "and so on ".repeat(10_000));
    let asked = question(&events, UserMessage::new(&*text), &server).await;
    let corrected = asked.corrected_content.as_ref().unwrap().to_text();
    assert_eq!(corrected, text.replace('\u{430}', "a"));
    let decided = UserMessage::new(&*text).prompt_integrity(asked.decide(IntegrityDecision::UseCorrected));
    let accepted = events.send(decided.by(server.principal_id())).await.unwrap();
    assert_eq!(said(&accepted), corrected);
    server.shutdown().await;
}

/// A-PIN, A-IDEM: the decision is a call of its own, under a key of its own, with the content as it was and the challenge.
/// What a server tells in another shape is left out, and without a challenge, or under another code, there is no question.
#[tokio::test]
async fn a_decision_is_a_call_of_its_own() {
    let body = |code: &str, details| json!({"error": {"code": code, "details": details}}).to_string();
    let decide = "prompt_integrity.decision_required";
    let findings = json!([{"kind": "new", "block": 0, "start": 1, "end": 2, "more": 1}, {"kind": 7}, "odd"]);
    let asked = json!({"findings": findings, "corrected_content": 7, "challenge": "pic_1"});
    let api = FakeApi::start().await;
    let events = api.client().sessions().events("sess_1");
    for (body, kinds) in [
        (body(decide, asked.clone()), Some(vec!["new"])),
        (body(decide, json!({"challenge": "pic_1"})), Some(vec![])),
        (body(decide, json!({"challenge": 1})), None),
        (body(decide, json!([])), None),
        (body("runtime.stale_wait", asked), None),
    ] {
        api.on_list(answer(409, "", &body));
        let message = UserMessage::new("x");
        let refusal = refusal(events.send(message.clone().by("prin_1")).await.unwrap_err());
        let question = refusal.questioned_prompt();
        let told = |question: &QuestionedPrompt| -> Vec<String> {
            let kinds = question.findings.iter().map(|finding| finding.kind.to_string());
            kinds.collect()
        };
        let kinds = kinds.map(|kinds| kinds.into_iter().map(str::to_owned).collect());
        assert_eq!(question.as_ref().map(told), kinds, "{body}");
        if let Some(question) = question {
            assert_eq!(question.corrected_content, None);
            api.on_list(answer(409, "", "{}"));
            let decided = message.prompt_integrity(question.decide(IntegrityDecision::UseCorrected));
            assert!(events.send(decided.by("prin_1")).await.is_err());
        }
    }
    let requests = api.requests();
    let mut keys: Vec<_> = requests
        .iter()
        .map(|request| &request.headers["idempotency-key"])
        .collect();
    assert_eq!(keys.len(), 7, "a refusal was tried again");
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 7, "a key came twice");
}
