//! Faults in lists.

use checkfu_mock_server::{Fault, On, Operation, Page, PageEdit, Stale};
use serde_json::Value;

use super::bytes::finished;
use crate::support::world::{World, all};

fn on_list() -> On {
    On::operation(Operation::ListEvents)
}

/// A-LIST: fewer items than asked, an empty page on the way, the item before once more: a walk that follows `next_page`
/// finds every event in order all the same.
#[tokio::test]
async fn a_walk_copes_with_small_empty_and_overlapping_pages() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let list = format!("/v1/sessions/{session}/events?limit=4");
    let faults = world.server.control().faults();
    for page in [
        Page {
            edit: PageEdit::Shorter,
            items: 3,
        },
        Page::new(PageEdit::Empty),
    ] {
        let id = faults.plan(Fault::new(on_list().skip(1), page));
        let (mut seen, mut sizes) = (Vec::new(), Vec::new());
        let mut answer = world.client.get(&list).await.ok(200);
        loop {
            let data = answer["data"].as_array().unwrap().clone();
            sizes.push(data.len());
            seen.extend(data);
            let Some(next) = answer["next_page"].as_str() else {
                break;
            };
            answer = world.client.get(&format!("{list}&page={next}")).await.ok(200);
        }
        assert_eq!(seen, log, "{page:?}");
        let second = if page.edit == PageEdit::Empty { 0 } else { 3 };
        assert_eq!(sizes[..2], [4, second], "{page:?}");
        assert_eq!(faults.remove(&id).unwrap().fired, 1);
    }
    let first = |answer: Value| all(answer["data"].as_array().unwrap(), "seq")[0].as_u64();
    let after = format!("/v1/sessions/{session}/events?after=5");
    faults.plan(Fault::new(on_list(), Page::new(PageEdit::Overlap)));
    assert_eq!(first(world.client.get(&after).await.ok(200)), Some(5));
    faults.plan(Fault::new(on_list(), Page::new(PageEdit::IgnoreAfter)));
    assert_eq!(first(world.client.get(&after).await.ok(200)), Some(1));
    assert_eq!(first(world.client.get(&after).await.ok(200)), Some(6));
}

/// A-LIST: several empty pages in a row have a token each, all of which lead on, and none is taken beside a cursor.
#[tokio::test]
async fn empty_pages_in_a_row_lead_on() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let list = format!("/v1/sessions/{session}/events?limit=3");
    let faults = world.server.control().faults();
    let mut tokens = Vec::new();
    let mut query = list.clone();
    for _ in 0..3 {
        faults.plan(Fault::new(on_list(), Page::new(PageEdit::Empty)));
        let page = world.client.get(&query).await.ok(200);
        assert_eq!(page["data"], serde_json::json!([]));
        let token = page["next_page"].as_str().unwrap().to_owned();
        assert!(!tokens.contains(&token), "{token} again");
        query = format!("{list}&page={token}");
        tokens.push(token);
    }
    let page = world.client.get(&query).await.ok(200);
    assert_eq!(page["data"], serde_json::json!(log[..3]));
    let both = world.client.get(&format!("{query}&after=1")).await;
    both.refused(400, "request.conflicting_parameters");
}

/// A page that leads back to itself, and one that has its last item twice.
#[tokio::test]
async fn pages_loop_and_repeat() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let list = format!("/v1/sessions/{session}/events?limit=2");
    let token = world.client.get(&list).await.ok(200)["next_page"]
        .as_str()
        .unwrap()
        .to_owned();
    let faults = world.server.control().faults();
    faults.plan(Fault::new(on_list(), Page::new(PageEdit::Loop)));
    let page = world.client.get(&format!("{list}&page={token}")).await.ok(200);
    assert_eq!(page["next_page"], token);
    assert_eq!(page["data"][0], log[2]);
    faults.plan(Fault::new(on_list(), Page::new(PageEdit::Duplicate)));
    let page = world.client.get(&list).await.ok(200);
    assert_eq!(page["data"], serde_json::json!([log[0], log[1], log[1]]));
}

/// A replica that lags leaves out the newest events, in the list and in the Session's `last_seq` alike.
#[tokio::test]
async fn a_replica_lags() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let faults = world.server.control().faults();
    faults.plan(Fault::new(
        On::any().session(&*session).times(2),
        Stale { events: 3 },
    ));
    let stale = world.log(&session).await;
    assert_eq!(stale, log[..log.len() - 3]);
    assert_eq!(world.read(&session).await["last_seq"], log.len() as u64 - 3);
    assert_eq!(world.log(&session).await, log);
    assert_eq!(world.read(&session).await["last_seq"], log.len() as u64);
}
