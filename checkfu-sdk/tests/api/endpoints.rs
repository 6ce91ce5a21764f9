//! Every request that the SDK makes, judged by the contract: path, method, parameters, headers and body.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use checkfu_openapi::{Judge, Operation};
use checkfu_sdk::input::{
    CustomToolResult, DefineOutcome, Interrupt, QuestionAnswer, ToolConfirmation, UserMessage,
};
use checkfu_sdk::model::PreviewType;
use checkfu_sdk::model::payload::{IntegrityDecision, PromptIntegrity};
use checkfu_sdk::retry::{ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{Client, Error, Seq, SessionId, SessionStatus};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const SESSION: &str = "sess_0123456789abcdef0123456789abcdef";
const THREAD: &str = "sthr_0123456789abcdef0123456789abcdef";
const PRINCIPAL: &str = "prin_0123456789abcdef0123456789abcdef";
const EVENT: &str = "evt_0123456789abcdef0123456789abcdef";

/// What the SDK has no call for: Watches are set up by others, and their hooks are the providers'.
const WITHOUT_A_CALL: [&str; 5] = [
    "createWatch",
    "deleteWatch",
    "listWatches",
    "receiveHook",
    "retrieveWatch",
];

/// Answers every operation with the status and the example of the contract.
async fn contract(judge: &Arc<Judge>) -> MockServer {
    let server = MockServer::start().await;
    let judge = Arc::clone(judge);
    let respond = move |request: &Request| {
        let operation = judge.operation(request.method.as_str(), request.url.path());
        let Some(operation) = operation else {
            return ResponseTemplate::new(404);
        };
        let status = operation.statuses.iter().copied().find(|status| *status < 300);
        let status = status.unwrap();
        let content = &described(&judge, operation)["responses"][status.to_string()]["content"];
        if !content["text/event-stream"].is_null() {
            return ResponseTemplate::new(status).set_body_raw("", "text/event-stream");
        }
        let json = &content["application/json"];
        let mut examples = json["examples"].as_object().into_iter().flatten();
        let example = json["example"].as_object().map(|_| json["example"].clone());
        let example = example.or_else(|| Some(resolved(&judge, examples.next()?.1)["value"].clone()));
        let mut example = example.unwrap_or_else(|| panic!("{} has no example", operation.id));
        // A list is asked for once.
        if let Some(next) = example.get_mut("next_page") {
            *next = Value::Null;
        }
        ResponseTemplate::new(status).set_body_json(example)
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

fn described<'j>(judge: &'j Judge, operation: &Operation) -> &'j Value {
    &judge.document().root()["paths"][&operation.path][operation.method.to_lowercase()]
}

/// What a reference stands for, and anything else as it is.
fn resolved<'j>(judge: &'j Judge, value: &'j Value) -> &'j Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            let pointer = reference.trim_start_matches('#');
            judge.document().root().pointer(pointer).unwrap()
        }
        None => value,
    }
}

/// The names of the parameters that an operation has in the query or in the head.
fn parameters(judge: &Judge, operation: &Operation, place: &str) -> BTreeSet<String> {
    let all = described(judge, operation)["parameters"].as_array().unwrap();
    let all = all.iter().map(|parameter| resolved(judge, parameter));
    let here = all.filter(|parameter| parameter["in"] == place);
    here.map(|parameter| parameter["name"].as_str().unwrap().to_lowercase())
        .collect()
}

/// Judges one request; gives its operation.
fn check(judge: &Judge, request: &Request) -> String {
    let (method, path) = (request.method.as_str(), request.url.path());
    let body = match &request.body[..] {
        [] => Value::Null,
        bytes => serde_json::from_slice(bytes).unwrap(),
    };
    if let Err(violations) = judge.check_request(method, path, &body) {
        panic!("{violations}\n{body:#}");
    }
    let operation = judge.operation(method, path).unwrap();
    let known = parameters(judge, operation, "query");
    for (name, _) in request.url.query_pairs() {
        assert!(known.contains(&*name), "{} has no parameter {name}", operation.id);
    }
    let known = parameters(judge, operation, "header");
    for name in [
        "checkfu-version",
        "checkfu-workspace",
        "idempotency-key",
        "last-event-id",
    ] {
        assert!(
            known.contains(name) || !request.headers.contains_key(name),
            "{} has no header {name}",
            operation.id
        );
    }
    let is_mutation = known.contains("idempotency-key");
    assert_eq!(request.headers.contains_key("idempotency-key"), is_mutation);
    assert!(request.headers.contains_key("checkfu-version") && request.headers.contains_key("authorization"));
    operation.id.clone()
}

/// Makes every call on Sessions that sends one request.
async fn call_sessions(client: &Client, session: &SessionId) -> Result<(), Error> {
    let sessions = client.sessions();
    let create = sessions.create("adep_c0ffee00c0ffee00c0ffee00c0ffee00", PRINCIPAL);
    create.clone().send().await?;
    create
        .revision(3)
        .title("T")
        .metadata("team", "ops")
        .idempotency_key("mine")
        .send()
        .await?;
    sessions.retrieve(session).await?;
    let list = sessions.list().limit(5).status(&SessionStatus::Idle);
    let list = list.agent_deployment_id(&"adep_c0ffee00c0ffee00c0ffee00c0ffee00".into());
    list.items().try_collect::<Vec<_>>().await?;
    sessions.list().page("t").items().try_collect::<Vec<_>>().await?;
    sessions.complete(session).await?;
    sessions.cancel(session).await?;
    sessions.fork(session).send().await?;
    sessions.fork(session).from_seq(Seq::from(3)).send().await?;
    let fork = sessions.fork(session).from_event(EVENT);
    fork.checkpoint("ckpt_0123456789abcdef0123456789abcdef")
        .send()
        .await?;
    sessions
        .diff(session, &"sess_00000000000000000000000000000001".into())
        .await?;
    let checkpoints = sessions.checkpoints(session).limit(5).items();
    checkpoints.try_collect::<Vec<_>>().await?;
    let runs = sessions.runs(session);
    runs.list()
        .limit(5)
        .page("t")
        .items()
        .try_collect::<Vec<_>>()
        .await?;
    runs.retrieve(&"run_0123456789abcdef0123456789abcdef".into())
        .await?;
    let approvals = sessions.action_approvals(session);
    let listed = approvals.list().limit(5).page("t").items();
    listed.try_collect::<Vec<_>>().await?;
    approvals
        .retrieve(&"appr_0123456789abcdef0123456789abcdef".into())
        .await?;
    let threads = sessions.threads(session);
    let listed = threads.list().limit(5).page("t").items();
    listed.try_collect::<Vec<_>>().await?;
    threads.retrieve(&THREAD.into()).await?;
    threads.archive(&THREAD.into()).await?;
    let deployments = client.agent_deployments();
    let listed = deployments.list().limit(5).page("t").items();
    listed.try_collect::<Vec<_>>().await?;
    deployments
        .retrieve(&"adep_c0ffee00c0ffee00c0ffee00c0ffee00".into())
        .await?;
    client.capabilities().await?;
    Ok(())
}

/// Sends every input in its fullest form.
async fn send(client: &Client, session: &SessionId) -> Result<(), Error> {
    let events = client.sessions().events(session);
    let decision = PromptIntegrity::new("pic_1", IntegrityDecision::UseCorrected);
    let tool = "toolu_0123456789abcdef0123456789abcdef";
    for input in [
        UserMessage::new("hi").by(PRINCIPAL),
        UserMessage::new("hi").prompt_integrity(decision).by(PRINCIPAL),
        Interrupt::turn().by(PRINCIPAL),
        Interrupt::thread(THREAD).by(PRINCIPAL),
        CustomToolResult::new(tool, 7)
            .error()
            .on_thread(THREAD)
            .wait_generation(1)
            .by(PRINCIPAL),
        ToolConfirmation::allow(tool).by(PRINCIPAL),
        ToolConfirmation::deny(tool)
            .message("no")
            .on_thread(THREAD)
            .wait_generation(1)
            .by(PRINCIPAL),
        QuestionAnswer::new("qst_0123456789abcdef0123456789abcdef", "yes")
            .on_thread(THREAD)
            .wait_generation(1)
            .by(PRINCIPAL),
        DefineOutcome::new("done", json!({"type": "text", "content": "tests pass"}))
            .max_iterations(3)
            .by(PRINCIPAL),
    ] {
        events.send(input).await?;
    }
    Ok(())
}

/// Reads the logs of a Session and a thread in every way.
async fn read(client: &Client, session: &SessionId) {
    let sessions = client.sessions();
    let (events, own) = (sessions.events(session), sessions.threads(session).events(THREAD));
    for list in [events.list(), own.list()] {
        let after = list.clone().limit(5).after(Seq::from(3)).items();
        let _ = after.try_collect::<Vec<_>>().await.unwrap();
        let _ = list.page("t").items().try_collect::<Vec<_>>().await.unwrap();
    }
    for stream in [events.stream(), own.stream()] {
        let mut plain = stream.clone().after(Seq::from(3)).open();
        while let Some(Ok(_)) = plain.next().await {}
        let kinds = [PreviewType::AgentMessage, PreviewType::AgentThinking];
        let mut previews = stream.open_with_previews(kinds);
        while let Some(Ok(_)) = previews.next().await {}
    }
}

/// A-EP, WIRE-1, A-IDEM, EVT-1: whatever the SDK asks for is an operation of the contract, with parameters and a body that
/// it has, and with a key where it changes something; the answer that the contract gives, status and example, is
/// understood. Nothing of the contract lacks a call but Watches.
#[tokio::test]
async fn every_request_is_one_of_the_contract() {
    let judge = Arc::new(Judge::closed().unwrap());
    let server = contract(&judge).await;
    let builder = Client::builder().base_url(server.uri()).api_key("k");
    let builder = builder.workspace("wksp_00aa11bb22cc33dd44ee55ff66778899");
    let never = ReconnectPolicy::default().max_reconnects(0);
    let client = builder
        .retry_policy(RetryPolicy::never())
        .reconnect_policy(never)
        .build()
        .unwrap();
    let session = SessionId::from(SESSION);
    call_sessions(&client, &session).await.unwrap();
    send(&client, &session).await.unwrap();
    read(&client, &session).await;
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    for request in server.received_requests().await.unwrap() {
        *made.entry(check(&judge, &request)).or_default() += 1;
    }
    let all = judge.document().operations();
    let without: Vec<_> = all
        .iter()
        .map(|operation| operation.id.as_str())
        .filter(|id| !made.contains_key(*id))
        .collect();
    let without: BTreeSet<_> = without.into_iter().collect();
    assert_eq!(without, WITHOUT_A_CALL.into(), "{made:?}");
    assert_eq!(made["postEvent"], 9);
}
