//! The contract's own fixtures: the SDK reads each and keeps every member.

use checkfu_openapi::{FixtureGroup, StreamFixture, fixtures};
use checkfu_sdk::input::{
    CustomToolResult, DefineOutcome, Interrupt, QuestionAnswer, ToolConfirmation, UserInput, UserMessage,
};
use checkfu_sdk::model::payload::{Content, ContentBlock, IntegrityDecision, PromptIntegrity};
use checkfu_sdk::model::{Cause, CauseKind, Page};
use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::settlement::SettlementFold;
use checkfu_sdk::sse::Decoder;
use checkfu_sdk::{Error, Event, EventData, Seq, Session};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::support::event::session;
use crate::support::fake_api::{FakeApi, STREAM_HEAD, Step, answer};

/// The JSON of a typed payload, without the members that it does not have.
macro_rules! typed {
    ($data:expr; $($variant:ident)+) => {
        match $data {
            $(EventData::$variant(payload) => serde_json::to_value(payload).unwrap(),)+
            other => panic!("no typed payload: {other:?}"),
        }
    };
}

fn typed_payload(event: &Event) -> Value {
    let value = typed!(event.data();
        UserMessage UserInterrupt UserCustomToolResult UserToolConfirmation UserQuestionAnswer UserDefineOutcome
        AgentMessage AgentThinking AgentToolUse AgentToolResult AgentQuestion AgentThreadMessageSent
        AgentThreadMessageReceived SessionStatusPending SessionStatusProvisioning SessionStatusRunning
        SessionStatusWaiting SessionStatusPaused SessionStatusReconciling SessionStatusIdle
        SessionStatusCompleted SessionStatusFailed SessionStatusCanceled SessionForked SessionError SessionUsage
        SessionThreadCreated SessionThreadStatusRunning SessionThreadStatusIdle SessionThreadStatusRescheduled
        SessionThreadStatusTerminated RunCreated RunStarted RunRequeued RunWaiting RunResumed RunCompleted
        RunFailed RunCanceled ActionApprovalRequested ActionApprovalDecided ActionApprovalExpired
        OutcomeEvaluationStarted OutcomeEvaluated WatchCreated WatchHinted WatchEvaluated WatchFired WatchExpired
        ProjectMounted ProjectWriteback MemoryMounted MemoryWritebackSettled CheckpointCreated);
    without_nulls(value)
}

/// The value without nulls, and with each time in one spelling.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::String(text) => match text.parse::<jiff::Timestamp>() {
            Ok(time) => json!(time),
            Err(_) => Value::String(text),
        },
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, member)| !member.is_null());
            members
                .map(|(name, member)| (name, without_nulls(member)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// A-ENV: every event of the contract has a typed payload, which names every documented member, and the event
/// keeps every member.
#[test]
fn every_event_is_typed_and_kept_whole() {
    let fixtures = fixtures().unwrap().documents;
    let events: Vec<_> = fixtures
        .iter()
        .filter(|fixture| fixture.group == FixtureGroup::Event)
        .collect();
    for fixture in &events {
        let event: Event = serde_json::from_value(fixture.value.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(&event).unwrap(),
            fixture.value,
            "{}",
            fixture.name
        );
        let mut payload = without_nulls(fixture.value["payload"].clone());
        if payload["stop_reason"].is_object() {
            payload["stop_reason"] = payload["stop_reason"]["type"].clone();
        }
        assert_eq!(typed_payload(&event), payload, "{}", fixture.name);
        let text = |name: &str| fixture.value[name].as_str().map(str::to_owned);
        assert_eq!(
            event.session_id().map(ToString::to_string),
            text("session_id"),
            "{}",
            fixture.name
        );
        assert_eq!(
            event.run_id().map(ToString::to_string),
            text("run_id"),
            "{}",
            fixture.name
        );
        assert!(event.created_at().is_some(), "{}", fixture.name);
    }
    for known in EventData::KNOWN_TYPES {
        assert!(
            events.iter().any(|fixture| fixture.value["type"] == *known),
            "no fixture of {known}"
        );
    }
    for fixture in &events {
        let name = fixture.value["type"].as_str().unwrap();
        assert!(
            EventData::KNOWN_TYPES.contains(&name),
            "{name} is documented and not known"
        );
    }
}

/// Sessions, pages and preview frames of the contract are read, and sessions and pages keep every member.
#[test]
fn every_resource_of_the_slice_is_kept_whole() {
    let mut seen = 0;
    for fixture in fixtures().unwrap().documents {
        let kept = match fixture.schema.as_str() {
            "Session" => serde_json::from_value::<Session>(fixture.value.clone()).map(serde_json::to_value),
            "SessionPage" => {
                serde_json::from_value::<Page<Session>>(fixture.value.clone()).map(serde_json::to_value)
            }
            "EventPage" => {
                serde_json::from_value::<Page<Event>>(fixture.value.clone()).map(serde_json::to_value)
            }
            _ => continue,
        };
        assert_eq!(kept.unwrap().unwrap(), fixture.value, "{}", fixture.name);
        seen += 1;
    }
    assert!(seen >= 15, "only {seen}");
}

/// Every member of the Session that the slice reads has its value.
#[test]
fn a_session_is_read_member_by_member() {
    let fixtures = fixtures().unwrap().documents;
    for fixture in fixtures.iter().filter(|fixture| fixture.schema == "Session") {
        let session: Session = serde_json::from_value(fixture.value.clone()).unwrap();
        let value = |name: &str| {
            Some(&fixture.value[name])
                .filter(|value| !value.is_null())
                .cloned()
        };
        let number = |seq: Option<Seq>| seq.map(|seq| json!(seq.get()));
        let text = |text: Option<&str>| text.map(Value::from);
        assert_eq!(
            text(session.status().map(|status| status.as_str())),
            value("status")
        );
        assert_eq!(
            text(session.stop_reason().map(|reason| reason.as_str())),
            value("stop_reason")
        );
        assert_eq!(number(session.first_seq()), value("first_seq"));
        assert_eq!(number(session.last_seq()), value("last_seq"));
        assert_eq!(text(session.title()), value("title"));
        assert_eq!(
            text(session.principal_id().map(|id| id.as_str())),
            value("principal_id")
        );
        assert_eq!(
            text(session.workspace_id().map(|id| id.as_str())),
            value("workspace_id")
        );
        assert_eq!(
            text(session.agent_deployment_id().map(|id| id.as_str())),
            value("agent_deployment_id")
        );
        assert_eq!(
            text(session.primary_thread_id().map(|id| id.as_str())),
            value("primary_thread_id")
        );
        assert_eq!(
            session.agent_deployment_revision_number().map(Value::from),
            value("agent_deployment_revision_number")
        );
        assert_eq!(
            session
                .forked_from()
                .map(|fork| serde_json::to_value(fork).unwrap()),
            value("forked_from")
        );
        assert_eq!(
            session.usage().map(|usage| serde_json::to_value(usage).unwrap()),
            value("usage")
        );
        assert_eq!(
            session
                .metadata()
                .map(|pairs| serde_json::to_value(pairs).unwrap()),
            value("metadata")
        );
        assert_eq!(session.created_at().is_some(), value("created_at").is_some());
    }
}

/// EVT-1, A-AUTHOR: each documented input can be written with the typed inputs, member for member.
#[test]
fn every_input_of_the_contract_can_be_written() {
    let mut seen = 0;
    for fixture in fixtures().unwrap().documents {
        if fixture.schema != "UserEventInput" {
            continue;
        }
        let mut expected = fixture.value.clone();
        if expected["payload"]["content"].is_string() {
            expected["payload"]["content"] =
                json!([{ "type": "text", "text": expected["payload"]["content"] }]);
        }
        let input = serde_json::to_value(written(&fixture.value)).unwrap();
        assert_eq!(input, expected, "{}", fixture.name);
        seen += 1;
    }
    assert!(seen >= 14, "only {seen}");
}

fn written(value: &Value) -> UserInput {
    let payload = &value["payload"];
    let text = |name: &str| payload[name].as_str();
    let author = text("authored_by").unwrap();
    let thread = text("session_thread_id");
    let generation = payload["wait_generation"].as_u64();
    let input = match value["type"].as_str().unwrap() {
        "user.message" => {
            let content: Content = serde_json::from_value(payload["content"].clone()).unwrap();
            let mut message = UserMessage::new(content);
            if let Some(challenge) = payload["prompt_integrity"]["challenge"].as_str() {
                let decision = payload["prompt_integrity"]["decision"].as_str().unwrap();
                let decision = PromptIntegrity::new(challenge, IntegrityDecision::from(decision));
                message = message.prompt_integrity(decision);
            }
            message.by(author)
        }
        "user.interrupt" => thread.map_or_else(Interrupt::turn, Interrupt::thread).by(author),
        "user.custom_tool_result" => {
            let mut result = CustomToolResult::new(text("tool_use_id").unwrap(), payload["result"].clone());
            if payload["is_error"] == true {
                result = result.error();
            }
            let result = thread
                .into_iter()
                .fold(result, |result, thread| result.on_thread(thread));
            generation
                .into_iter()
                .fold(result, CustomToolResult::wait_generation)
                .by(author)
        }
        "user.tool_confirmation" => {
            let tool_use_id = text("tool_use_id").unwrap();
            let mut confirmation = match text("result").unwrap() {
                "allow" => ToolConfirmation::allow(tool_use_id),
                _ => ToolConfirmation::deny(tool_use_id),
            };
            if let Some(message) = text("deny_message") {
                confirmation = confirmation.message(message);
            }
            let confirmation = thread
                .into_iter()
                .fold(confirmation, |it, thread| it.on_thread(thread));
            generation
                .into_iter()
                .fold(confirmation, ToolConfirmation::wait_generation)
                .by(author)
        }
        "user.question_answer" => {
            let answer = QuestionAnswer::new(text("question_id").unwrap(), payload["answer"].clone());
            let answer = thread
                .into_iter()
                .fold(answer, |answer, thread| answer.on_thread(thread));
            generation
                .into_iter()
                .fold(answer, QuestionAnswer::wait_generation)
                .by(author)
        }
        "user.define_outcome" => {
            let outcome = DefineOutcome::new(text("description").unwrap(), payload["rubric"].clone());
            payload["max_iterations"]
                .as_u64()
                .into_iter()
                .fold(outcome, DefineOutcome::max_iterations)
                .by(author)
        }
        other => panic!("{other}"),
    };
    let cause = &payload["caused_by"];
    let id = |name: &str| cause[name].as_str();
    input.caused_by(match cause["kind"].as_str().unwrap() {
        "event" => Cause::event(id("event_id").unwrap()),
        "watch" => Cause::watch(id("watch_id").unwrap()),
        kind => Cause::new(CauseKind::from(kind)),
    })
}

/// A-ERR: each documented refusal is told by its code and says whether a retry helps.
#[tokio::test]
async fn every_error_of_the_contract_is_told() {
    let fixtures = fixtures().unwrap().documents;
    let errors = fixtures
        .iter()
        .filter(|fixture| fixture.group == FixtureGroup::Error);
    for fixture in errors {
        let api = FakeApi::start().await;
        let body = fixture.value.to_string();
        api.on_session(answer(fixture.status.unwrap(), "", &body));
        let client = api.builder().retry_policy(RetryPolicy::never()).build().unwrap();
        let error = client.sessions().retrieve(&api.session_id()).await.unwrap_err();
        let expected = &fixture.value["error"];
        assert_eq!(
            json!(error.is_retryable()),
            expected["retryable"],
            "{}",
            fixture.name
        );
        assert_eq!(
            json!(error.request_id().unwrap().as_str()),
            fixture.value["request_id"]
        );
        let Error::Api(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(json!(error.code().unwrap().as_str()), expected["code"]);
        assert_eq!(json!(error.message()), expected["message"]);
        assert_eq!(json!(error.error_type()), expected["type"]);
        assert_eq!(json!(error.param()), expected["param"]);
        assert_eq!(*error.details(), expected["details"]);
    }
}

/// What a stream that starts after `after` makes of these bytes, over one connection.
pub(crate) async fn read(bytes: &[u8], after: u64) -> (Vec<Event>, Option<Error>, Option<Seq>) {
    let api = FakeApi::start().await;
    let mut script = vec![Step::Send(STREAM_HEAD.as_bytes().to_vec())];
    script.extend(bytes.chunks(7).map(|chunk| Step::Send(chunk.to_vec())));
    api.set_session(session("running", Value::Null, u64::from(u32::MAX)))
        .on_stream(script);
    let policy = checkfu_sdk::retry::ReconnectPolicy::default().max_reconnects(0);
    let events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .reconnect_policy(policy);
    let mut events = events.after(Seq::new(after).unwrap()).open();
    let mut delivered = Vec::new();
    let mut failure = None;
    while let Some(item) = events.next().await {
        match item {
            Ok(event) => delivered.push(event),
            Err(error) => failure = Some(error),
        }
    }
    (delivered, failure, events.last_seq())
}

pub(crate) async fn check_stream(stream: &StreamFixture) {
    let name = &stream.name;
    let mut decoder = Decoder::new();
    let mut input = &stream.bytes[..];
    let mut frames = Vec::new();
    while let Some(block) = decoder.next_block(&mut input).unwrap() {
        frames.push(json!({
            "event": block.event(), "data": block.data(), "id": block.id(), "has_id_line": block.has_id_line(),
        }));
    }
    assert_eq!(json!(frames), stream.expect["frames"], "{name}");
    assert_eq!(
        json!(decoder.last_event_id()),
        stream.expect["final"]["last_event_id"],
        "{name}"
    );
    assert_eq!(json!(decoder.retry()), stream.expect["final"]["retry"], "{name}");

    let client = &stream.expect["client"];
    let after = client["after"].as_u64().unwrap();
    let (delivered, failure, cursor) = read(&stream.bytes, after).await;
    let seen: Vec<_> = delivered
        .iter()
        .map(|event| (event.seq().get(), event.id().as_str()))
        .collect();
    let expected: Vec<_> = client["delivered"].as_array().unwrap().iter().collect();
    let wanted: Vec<_> = expected
        .iter()
        .map(|event| (event["seq"].as_u64().unwrap(), event["id"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, wanted, "{name}");
    for (event, expected) in delivered.iter().zip(expected) {
        assert_eq!(json!(event.event_type()), expected["type"], "{name}");
        check_kind(event, expected["as"].as_str().unwrap(), name);
    }
    assert_eq!(json!(cursor.map(Seq::get)), client["cursor"], "{name}");
    let fatal = client["ends"] == "protocol_error";
    assert_eq!(
        matches!(failure, Some(Error::Protocol(_))),
        fatal,
        "{name}: {failure:?}"
    );

    let mut fold = SettlementFold::after(Seq::new(after).unwrap());
    let settlement = delivered.iter().find_map(|event| fold.observe(event).cloned());
    assert_eq!(
        json!(settlement.map(|settled| settled.seq.get())),
        client["settlement"]["seq"],
        "{name}"
    );
}

pub(crate) fn check_kind(event: &Event, kind: &str, name: &str) {
    let is = match event.data() {
        EventData::Unknown => "unknown",
        EventData::Undecodable(_) => "raw",
        _ => "known",
    };
    assert!(
        kind.split("_or_").any(|kind| kind == is),
        "{name}: {is} is not {kind}"
    );
}

/// STR-3, STR-5, PRV-4: every stream of the contract is decoded, delivered and settled as it says.
#[tokio::test]
async fn every_stream_of_the_contract_is_read() {
    let streams = fixtures().unwrap().streams;
    assert!(streams.len() >= 18);
    for stream in &streams {
        check_stream(stream).await;
    }
}

#[test]
fn a_block_that_is_no_plain_text_is_kept() {
    let redacted: Content = serde_json::from_value(json!([{ "type": "redacted" }])).unwrap();
    assert!(matches!(&redacted.blocks()[0], ContentBlock::Other(members) if members["type"] == "redacted"));
}
