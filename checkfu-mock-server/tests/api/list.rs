//! The log by list.

use serde_json::{Value, json};

use crate::support::frames::Frames;
use crate::support::world::World;

async fn long_log(world: &World, turns: usize) -> String {
    let session = world.session().await;
    for turn in 0..turns {
        world.say(&session, &format!("turn {turn}")).await;
    }
    world.until_status(&session, "idle").await;
    session
}

/// LST-1: 100 by default, 1000 at most, never an error above it.
#[tokio::test]
async fn a_page_has_100_events_by_default_and_1000_at_most() {
    let world = World::new().await;
    let session = long_log(&world, 100).await;
    let path = format!("/v1/sessions/{session}/events");
    let count = async |query: &str| {
        let page = world.client.get(&format!("{path}{query}")).await.ok(200);
        (
            page["data"].as_array().unwrap().len(),
            page["next_page"].is_string(),
        )
    };
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    assert!(last > 1000, "{last}");
    assert_eq!(count("").await, (100, true));
    assert_eq!(count("?limit=1000").await, (1000, true));
    assert_eq!(count("?limit=5000").await, (1000, true));
    assert_eq!(count("?limit=99999999999999999999999").await, (1000, true));
    assert_eq!(count(&format!("?after={}", last - 3)).await, (3, false));
}

/// LST-2, A-SEQ: `after` and `page` walk the same log for every page size; 0 is the beginning.
#[tokio::test]
async fn walks_by_after_and_by_page_give_the_same_log() {
    let world = World::new().await;
    let session = long_log(&world, 2).await;
    let log = world.log(&session).await;
    let path = format!("/v1/sessions/{session}/events");
    for limit in 1..=log.len() + 1 {
        let mut by_page: Vec<Value> = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let page = token
                .as_ref()
                .map_or(String::new(), |token| format!("&page={token}"));
            let page = world
                .client
                .get(&format!("{path}?limit={limit}{page}"))
                .await
                .ok(200);
            by_page.extend(page["data"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next_page"].as_str() else {
                break;
            };
            token = Some(next.to_owned());
        }
        assert_eq!(by_page, log, "limit {limit}");
        let mut by_after: Vec<Value> = Vec::new();
        let mut after = 0;
        loop {
            let page = world
                .client
                .get(&format!("{path}?limit={limit}&after={after}"))
                .await
                .ok(200);
            let data = page["data"].as_array().unwrap();
            let Some(last) = data.last() else { break };
            after = last["seq"].as_u64().unwrap();
            by_after.extend(data.iter().cloned());
        }
        assert_eq!(by_after, log, "limit {limit}");
    }
}

/// LST-3: the stream and the list return the same persisted envelopes.
#[tokio::test]
async fn stream_and_list_return_the_same_envelopes() {
    let world = World::new().await;
    let session = long_log(&world, 3).await;
    let log = world.log(&session).await;
    let mut stream = Frames::open(&world.client, &session, None).await;
    for expected in &log {
        assert_eq!(stream.event().await.as_ref(), Some(expected));
    }
}

/// A-LIST, A-GAP: at or past the head there is an empty page, however far past.
#[tokio::test]
async fn at_or_past_the_head_the_page_is_empty() {
    let world = World::new().await;
    let session = world.session().await;
    for after in ["1", "2", "9007199254740991", "18446744073709551616"] {
        let page = world
            .client
            .get(&format!("/v1/sessions/{session}/events?after={after}"))
            .await
            .ok(200);
        assert_eq!(page, json!({"data": [], "next_page": null}), "{after}");
    }
}

/// A-LIST, A-GAP, LST-2: every parameter that makes no sense has its code and is named.
#[tokio::test]
async fn senseless_parameters_are_refused() {
    let world = World::new().await;
    let session = long_log(&world, 1).await;
    let path = format!("/v1/sessions/{session}/events");
    let page = world.client.get(&format!("{path}?limit=1")).await.ok(200);
    let token = page["next_page"].as_str().unwrap().to_owned();
    let other = long_log(&world, 1).await;
    let foreign = world
        .client
        .get(&format!("/v1/sessions/{other}/events?limit=1"))
        .await
        .ok(200);
    let foreign = foreign["next_page"].as_str().unwrap().to_owned();
    let resource = world.client.get(&format!("/v1/sessions/{session}")).await.ok(200);
    let primary = resource["primary_thread_id"].as_str().unwrap();
    let of_thread = format!("/v1/sessions/{session}/threads/{primary}/events?limit=1");
    let of_thread = world.client.get(&of_thread).await.ok(200);
    let of_thread = of_thread["next_page"].as_str().unwrap().to_owned();
    let mut forged = token.clone().into_bytes();
    forged[0] = if forged[0] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).unwrap();
    let cases = [
        ("limit=0".to_owned(), "request.invalid_parameter", "limit"),
        ("limit=-1".to_owned(), "request.invalid_parameter", "limit"),
        ("limit=ten".to_owned(), "request.invalid_parameter", "limit"),
        ("limit=".to_owned(), "request.invalid_parameter", "limit"),
        ("limit=1&limit=2".to_owned(), "request.invalid_parameter", "limit"),
        ("limt=1".to_owned(), "request.invalid_parameter", "limt"),
        ("after=-1".to_owned(), "request.invalid_cursor", "after"),
        ("after=1.0".to_owned(), "request.invalid_cursor", "after"),
        ("after=".to_owned(), "request.invalid_cursor", "after"),
        ("after=evt_1".to_owned(), "request.invalid_cursor", "after"),
        (
            format!("after=1&page={token}"),
            "request.conflicting_parameters",
            "page",
        ),
        ("page=".to_owned(), "request.invalid_page", "page"),
        ("page=1".to_owned(), "request.invalid_page", "page"),
        (format!("page={forged}"), "request.invalid_page", "page"),
        (format!("page={foreign}"), "request.invalid_page", "page"),
        (format!("page={of_thread}"), "request.invalid_page", "page"),
    ];
    for (query, code, param) in cases {
        let answer = world
            .client
            .get(&format!("{path}?{query}"))
            .await
            .refused(400, code);
        assert_eq!(answer.param(), Some(param), "{query}");
    }
}

/// A-LIST: a token is good for a day and not longer.
#[tokio::test]
async fn a_page_token_expires() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    let path = format!("/v1/sessions/{session}/events");
    let page = world.client.get(&format!("{path}?limit=1")).await.ok(200);
    let next = format!("{path}?page={}", page["next_page"].as_str().unwrap());
    clock.advance(std::time::Duration::from_secs(24 * 3600 - 1));
    world.client.get(&next).await.ok(200);
    clock.advance(std::time::Duration::from_secs(1));
    world.client.get(&next).await.refused(400, "request.invalid_page");
}
