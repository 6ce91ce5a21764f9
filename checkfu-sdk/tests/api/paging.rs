use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::{Client, Error, Seq, SessionStatus};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::event::{message, session};

/// A list that answers by what its query says; no answer is a 400.
async fn list(
    at: &str,
    answer: impl Fn(&[(String, String)]) -> Option<Value> + Send + Sync + 'static,
) -> MockServer {
    let server = MockServer::start().await;
    let respond = move |request: &Request| {
        let query: Vec<_> = request.url.query_pairs().into_owned().collect();
        match answer(&query) {
            Some(page) => ResponseTemplate::new(200)
                .set_body_json(page)
                .insert_header("request-id", "req_1"),
            None => ResponseTemplate::new(400).set_body_string(format!("{query:?}")),
        }
    };
    Mock::given(method("GET"))
        .and(path(at))
        .respond_with(respond)
        .mount(&server)
        .await;
    server
}

async fn events(answer: impl Fn(&[(&str, &str)]) -> Option<Value> + Send + Sync + 'static) -> MockServer {
    list("/v1/sessions/sess_1/events", move |query| {
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        answer(&query)
    })
    .await
}

fn client(server: &MockServer) -> Client {
    let builder = Client::builder().base_url(server.uri()).api_key("k");
    builder.retry_policy(RetryPolicy::never()).build().unwrap()
}

fn page(seqs: &[u64], next_page: Option<&str>) -> Option<Value> {
    Some(json!({ "data": seqs.iter().map(|&seq| message(seq)).collect::<Vec<_>>(), "next_page": next_page }))
}

async fn queries(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    requests
        .iter()
        .map(|request| request.url.query().unwrap_or_default().to_owned())
        .collect()
}

fn seqs(events: &[checkfu_sdk::Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq().get()).collect()
}

/// LST-2, A-LIST, REP-66, REP-70: a walk by page starts without a cursor and echoes each token; an empty page with a
/// token is followed.
#[tokio::test]
async fn a_walk_by_page_echoes_tokens() {
    let server = events(|query| match query {
        [("limit", "2")] => page(&[1, 2], Some("t 1&")),
        [("limit", "2"), ("page", "t 1&")] => page(&[], Some("t2")),
        [("limit", "2"), ("page", "t2")] => page(&[5], Some("t3")),
        [("limit", "2"), ("page", "t3")] => page(&[9], None),
        _ => None,
    })
    .await;
    let walk = client(&server).sessions().events("sess_1").list().limit(2);
    let all: Vec<_> = walk.items().try_collect().await.unwrap();
    assert_eq!(seqs(&all), [1, 2, 5, 9]);
    assert_eq!(queries(&server).await.len(), 4);
    let walk = client(&server)
        .sessions()
        .events("sess_1")
        .list()
        .limit(2)
        .page("t2");
    let pages: Vec<_> = walk.pages().try_collect().await.unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(pages[0].next_page.as_deref(), Some("t3"));
}

/// LST-2, A-LIST, REP-66: a walk by `after` goes on after the last event it got, never with both parameters, until a
/// page is empty and names no next one; a token is followed only from an empty page.
#[tokio::test]
async fn a_walk_by_seq_goes_on_after_its_last_event() {
    let server = events(|query| match query {
        [("after", "4")] => page(&[5, 8], Some("never used")),
        [("after", "8")] => page(&[], Some("t1")),
        [("page", "t1")] => page(&[], Some("t2")),
        [("page", "t2")] => page(&[11], Some("t3")),
        [("after", "11")] => page(&[], None),
        _ => None,
    })
    .await;
    let walk = client(&server)
        .sessions()
        .events("sess_1")
        .list()
        .after(Seq::from(4));
    let all: Vec<_> = walk.items().try_collect().await.unwrap();
    assert_eq!(seqs(&all), [5, 8, 11]);
    assert_eq!(
        queries(&server).await,
        ["after=4", "after=8", "page=t1", "page=t2", "after=11"]
    );
}

/// A-LIST: the same token twice is an error in both walks, not a loop.
#[tokio::test]
async fn a_token_that_comes_twice_is_an_error() {
    let server = events(|query| match query {
        [] => page(&[1], Some("t1")),
        [("page", "t1")] => page(&[2], Some("t2")),
        [("page", "t2")] => page(&[3], Some("t1")),
        [("after", "7")] => page(&[], Some("t4")),
        [("page", "t4")] => page(&[], Some("t4")),
        _ => None,
    })
    .await;
    let list = client(&server).sessions().events("sess_1").list();
    for walk in [list.clone(), list.after(Seq::from(7))] {
        let results: Vec<_> = walk.items().collect().await;
        let Some(Err(Error::Protocol(error))) = results.last() else {
            panic!("{results:?}")
        };
        assert!(error.repeated_page().is_some());
        assert_eq!(error.request_id().unwrap().as_str(), "req_1");
        assert!(
            results[..results.len() - 1].iter().all(Result::is_ok),
            "an error comes last"
        );
    }
}

/// A server that ignores the cursor makes a walk neither repeat an event nor go on for ever.
#[tokio::test]
async fn a_server_that_ignores_the_cursor_ends_the_walk() {
    let server = events(|_| page(&[1, 2, 3], None)).await;
    let walk = client(&server)
        .sessions()
        .events("sess_1")
        .list()
        .after(Seq::from(1));
    let all: Vec<_> = walk.items().try_collect().await.unwrap();
    assert_eq!(seqs(&all), [2, 3]);
    assert_eq!(queries(&server).await.len(), 2);
}

/// LST-2: place and token exclude each other; the list is not asked at all.
#[tokio::test]
async fn a_walk_has_one_beginning() {
    let server = events(|_| page(&[], None)).await;
    let walk = client(&server)
        .sessions()
        .events("sess_1")
        .list()
        .after(Seq::from(1))
        .page("t");
    let results: Vec<_> = walk.pages().collect().await;
    assert!(matches!(results[..], [Err(Error::Config(_))]), "{results:?}");
    assert_eq!(queries(&server).await.len(), 0);
}

/// Sessions are listed page by page, with their filters.
#[tokio::test]
async fn sessions_are_listed() {
    let server = list("/v1/sessions", |query| {
        let page_of = query
            .iter()
            .find(|(name, _)| name == "page")
            .map(|(_, token)| token.as_str());
        match page_of {
            None => Some(json!({ "data": [session("idle", json!(null), 1)], "next_page": "t1" })),
            Some("t1") => Some(json!({ "data": [], "next_page": "t2" })),
            Some("t2") => Some(json!({ "data": [session("idle", json!(null), 2)] })),
            Some(_) => None,
        }
    })
    .await;
    let list = client(&server)
        .sessions()
        .list()
        .limit(1)
        .status(&SessionStatus::Idle);
    let all: Vec<_> = list
        .agent_deployment_id(&"adep_1".into())
        .items()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(all.len(), 2);
    let filters = "limit=1&status=idle&agent_deployment_id=adep_1";
    let expected = [
        filters.to_owned(),
        format!("{filters}&page=t1"),
        format!("{filters}&page=t2"),
    ];
    assert_eq!(queries(&server).await, expected);
}

/// An error is the last item of a walk, and nothing is asked before the walk is polled.
#[tokio::test]
async fn an_error_ends_a_walk() {
    let server = events(|query| {
        if query.is_empty() {
            page(&[1], Some("t1"))
        } else {
            None
        }
    })
    .await;
    let mut items = client(&server).sessions().events("sess_1").list().items();
    assert_eq!(queries(&server).await.len(), 0);
    assert!(items.next().await.unwrap().is_ok());
    assert!(items.next().await.unwrap().is_err());
    assert!(items.next().await.is_none());
}

/// A-LIST: a list of nothing but new tokens ends in a typed error after 10,000 empty pages in a row, in both walks;
/// pages with items in between start the count again.
#[tokio::test]
async fn empty_pages_without_end_are_an_error() {
    let place = |query: &[(&str, &str)]| match query {
        [("page", token)] => token.parse::<u64>().unwrap(),
        _ => 0,
    };
    let server = events(move |query| {
        let place = place(query);
        let items: &[u64] = if place == 100 { &[100] } else { &[] };
        page(items, Some(&(place + 1).to_string()))
    })
    .await;
    let list = client(&server).sessions().events("sess_1").list();
    let results: Vec<_> = list.items().collect().await;
    assert!(
        matches!(results[..], [Ok(_), Err(Error::Protocol(_))]),
        "{results:?}"
    );
    assert_eq!(queries(&server).await.len(), 101 + 10_000);

    let server = events(move |query| page(&[], Some(&(place(query) + 1).to_string()))).await;
    let list = client(&server)
        .sessions()
        .events("sess_1")
        .list()
        .after(Seq::from(3));
    let results: Vec<_> = list.items().collect().await;
    assert!(matches!(results[..], [Err(Error::Protocol(_))]), "{results:?}");
    assert_eq!(queries(&server).await.len(), 10_000);
}

/// A-LIST: a page token of more than 4 KiB is a typed error that does not repeat it.
#[tokio::test]
async fn a_token_has_a_size() {
    for (size, taken) in [(4096, true), (4097, false)] {
        let server = events(move |query| match query {
            [] => page(&[1], Some(&"t".repeat(size))),
            _ => page(&[2], None),
        })
        .await;
        let list = client(&server).sessions().events("sess_1").list();
        let results: Vec<_> = list.items().collect().await;
        assert_eq!(results.iter().all(Result::is_ok), taken, "{size}");
        if let Some(Err(error)) = results.last() {
            assert!(matches!(error, Error::Protocol(_)) && format!("{error:?}").len() < 1000);
        }
    }
}
