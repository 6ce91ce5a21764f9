use checkfu_sdk::model::Page;
use checkfu_sdk::paging::{Items, Pages};
use checkfu_sdk::{Event, Seq};
use futures::StreamExt;
use serde_json::json;

use super::Cuts;
use crate::support::event::message;
use crate::support::fake_api::{FakeApi, answer};
use crate::support::random::cancel_after;

const LOG: [u64; 5] = [1, 2, 4, 5, 9];

/// A log of five events, two on a page.
async fn api() -> FakeApi {
    let api = FakeApi::start().await;
    api.set_log(LOG.map(message).to_vec()).set_page(2);
    api
}

async fn read_pages(pages: &mut Pages<Event>, seen: &mut Vec<u64>) {
    while let Some(page) = pages.next().await {
        let Page { data, .. } = page.unwrap();
        seen.extend(data.iter().map(|event| event.seq().get()));
    }
}

async fn read_items(items: &mut Items<Event>, seen: &mut Vec<u64>) {
    while let Some(event) = items.next().await {
        seen.push(event.unwrap().seq().get());
    }
}

/// LST-2: a read of a page or an item that is dropped, also while the page is asked for again after a refusal, costs no event
/// and brings none twice.
#[tokio::test]
async fn a_dropped_read_of_a_list_costs_nothing() {
    let api = api().await;
    let list = || {
        api.on_list(answer(503, "", ""));
        api.client().sessions().events("sess_1").list().after(Seq::ZERO)
    };
    let mut cuts = Cuts::of(&["Pages::next"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let mut pages = list().pages();
        let mut seen = Vec::new();
        cuts.cut(cancel_after(waits, read_pages(&mut pages, &mut seen)).await);
        read_pages(&mut pages, &mut seen).await;
        assert_eq!(seen, LOG, "dropped after {waits}");
        assert!(pages.next().await.is_none());
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["Items::next"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let mut items = list().items();
        let mut seen = Vec::new();
        cuts.cut(cancel_after(waits, read_items(&mut items, &mut seen)).await);
        read_items(&mut items, &mut seen).await;
        assert_eq!(seen, LOG, "dropped after {waits}");
        assert!(items.next().await.is_none());
    }
    cuts.waited();
}

/// LST-2: so it is on a walk by page tokens.
#[tokio::test]
async fn a_dropped_read_of_pages_by_token_costs_nothing() {
    let api = FakeApi::start().await;
    let client = api.client();
    let mut cuts = Cuts::of(&["Items::next"]).at_least(3);
    while let Some(waits) = cuts.place() {
        for page in [
            json!({"data": [message(1)], "next_page": "two"}),
            json!({"data": [], "next_page": "three"}),
            json!({"data": [message(4), message(5)], "next_page": null}),
        ] {
            api.on_list(answer(
                200,
                "content-type: application/json\r\n",
                &page.to_string(),
            ));
        }
        let mut items = client.sessions().events("sess_1").list().items();
        let mut seen = Vec::new();
        cuts.cut(cancel_after(waits, read_items(&mut items, &mut seen)).await);
        read_items(&mut items, &mut seen).await;
        assert_eq!(seen, [1, 4, 5], "dropped after {waits}");
        assert!(items.next().await.is_none());
    }
    cuts.waited();
}
