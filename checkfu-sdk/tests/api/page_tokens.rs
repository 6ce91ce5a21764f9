//! Page tokens that are no words: each is one parameter of the list that it came from, and nothing else.

use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::{Client, Error, Seq};
use futures::TryStreamExt;
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::event::{message, session};

/// A server that gives this token after the first page of every list, and remembers what it was asked.
async fn lists(token: &str) -> MockServer {
    let server = MockServer::start().await;
    let token = token.to_owned();
    let respond = move |request: &Request| {
        let query: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
        let has_token = query.iter().any(|(name, _)| name == "page");
        let place = query.iter().find(|(name, _)| name == "after");
        let item = match request.url.path() {
            path if path.ends_with("/events") => message(if has_token { 9 } else { 8 }),
            path if path.ends_with("/threads") => json!({"id": "sthr_1"}),
            path if path.ends_with("/runs") => json!({"id": "run_1"}),
            _ => session("idle", json!(null), 1),
        };
        let data: Vec<Value> = if place.is_some() { Vec::new() } else { vec![item] };
        let is_last = has_token || place.is_some_and(|(_, seq)| seq == "9");
        let next = (!is_last).then_some(&token);
        ResponseTemplate::new(200).set_body_json(json!({"data": data, "next_page": next}))
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

/// Walks every kind of list; gives the path of each.
async fn walk(client: &Client) -> Result<Vec<&'static str>, Error> {
    let sessions = client.sessions();
    let events = sessions.events("sess_1");
    events.list().items().try_collect::<Vec<_>>().await?;
    let by_seq = events.list().after(Seq::from(7));
    by_seq.items().try_collect::<Vec<_>>().await?;
    let threads = sessions.threads("sess_1");
    threads.list().items().try_collect::<Vec<_>>().await?;
    let runs = sessions.runs("sess_1");
    runs.list().items().try_collect::<Vec<_>>().await?;
    sessions.list().items().try_collect::<Vec<_>>().await?;
    Ok(vec![
        "/v1/sessions/sess_1/events",
        "/v1/sessions/sess_1/events",
        "/v1/sessions/sess_1/threads",
        "/v1/sessions/sess_1/runs",
        "/v1/sessions",
    ])
}

/// LST-2, A-LIST, WIRE-1: a token that looks like an address, a path or a query, or that holds what means something in a
/// URL, comes back as it was, as the one parameter `page` of the same list on the same server; no other server, which it may
/// name, hears anything, the key least of all.
#[tokio::test]
async fn a_token_is_a_parameter_and_nothing_else() {
    let stranger = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({"data": []})))
        .mount(&stranger)
        .await;
    let address = stranger.uri();
    let whole = format!("{address}/v1/sessions?page=2");
    for token in [
        &*whole,
        address.trim_start_matches("http:"),
        "/v1/agent_deployments",
        "../../../v1/capabilities",
        "?limit=1",
        "a&limit=1&after=3",
        "a=b;c",
        "a#b",
        "a+b %2B%00",
        "a\r\nx-other: 1",
        "\u{2603}\u{0}",
        " ",
    ] {
        let server = lists(token).await;
        let builder = Client::builder()
            .base_url(server.uri())
            .api_key("key-of-the-test");
        let client = builder.retry_policy(RetryPolicy::never()).build().unwrap();
        let paths = walk(&client).await.unwrap();
        let requests = server.received_requests().await.unwrap();
        let mut with_token = Vec::new();
        for request in &requests {
            let query: Vec<_> = request.url.query_pairs().into_owned().collect();
            match &query[..] {
                [(name, value)] if name == "page" => {
                    assert_eq!(value, token);
                    with_token.push(request.url.path());
                }
                [] => {}
                [(name, _)] if name == "after" => {}
                other => panic!("{token:?}: {other:?}"),
            }
            assert!(!request.headers.contains_key("x-other"));
        }
        assert_eq!(with_token, paths, "{token:?}");
        assert_eq!(requests.len(), 10 + 1, "{token:?}");
    }
    let heard = stranger.received_requests().await.unwrap();
    assert_eq!(heard.len(), 0, "a token led to another server");
}
