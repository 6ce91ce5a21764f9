//! Mutants: each breaks the promise that it names, as an outsider sees it, and no other server beside it.

mod log;
mod session;

use std::panic::AssertUnwindSafe;

use checkfu_mock_server::{MockServer, Mutant};
use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::faults::bytes::{Raw, exchange, finished, request, stream};
use crate::support::client::Client;
use crate::support::world::{World, message};

async fn mutant(mutant: Mutant) -> World {
    World::with(
        MockServer::builder()
            .step_delay(std::time::Duration::ZERO)
            .mutant(mutant),
    )
    .await
}

pub(crate) async fn get(world: &World, path: &str, fields: &[&str]) -> Raw {
    exchange(world.server.address(), &request(world, "GET", path, fields, "")).await
}

/// What an outsider can tell the mutants apart by; true while the promise is kept.
async fn promise_is_kept(world: &World, mutant: Mutant, active: &[Mutant]) -> bool {
    world.server.control().set_mutants(active);
    if let Some(kept) = log::promise_is_kept(world, mutant).await {
        return kept;
    }
    if let Some(kept) = session::promise_is_kept(world, mutant).await {
        return kept;
    }
    let address = world.server.address();
    // Everything is prepared by a server that keeps its promises.
    world.server.control().set_mutants(&[]);
    let (session, log) = finished(world).await;
    let fresh = world.session().await;
    world.server.control().set_mutants(active);
    let events = format!("/v1/sessions/{session}/events");
    let frames = |raw: &Raw| -> Vec<String> {
        let text = String::from_utf8(raw.body()).unwrap();
        let blocks = text
            .split("\n\n")
            .filter(|block| !block.starts_with(": ") && !block.is_empty());
        blocks.map(str::to_owned).collect()
    };
    let plain = frames(&stream_without(world, &session, active).await);
    match mutant {
        Mutant::AnyKey => {
            let wrong =
                request(world, "GET", "/v1/sessions", &[], "").replace(world.server.api_key(), "wrong");
            exchange(address, &wrong).await.status() == 401
        }
        Mutant::AnyVersion => {
            get(world, "/v1/sessions", &["checkfu-version: 1999-01-01"])
                .await
                .status()
                == 400
        }
        Mutant::VersionFirst => {
            let wrong = request(world, "GET", "/v1/sessions", &["checkfu-version: 1999-01-01"], "");
            exchange(address, &wrong.replace(world.server.api_key(), "wrong"))
                .await
                .status()
                == 401
        }
        Mutant::AnyWorkspace | Mutant::ForbiddenWorkspace => {
            let other = "checkfu-workspace: wksp_00000000000000000000000000000009";
            get(world, &format!("/v1/sessions/{session}"), &[other])
                .await
                .status()
                == 404
        }
        Mutant::NoRequestId => get(world, "/healthz", &[]).await.head().contains("request-id: "),
        Mutant::OtherRequestId => {
            let raw = get(world, "/v1/none", &[]).await;
            raw.head().contains(raw.json()["request_id"].as_str().unwrap())
        }
        Mutant::PlainTextErrors => get(world, "/v1/none", &[])
            .await
            .head()
            .contains("content-type: application/json"),
        Mutant::AnyMediaType => {
            let post = request(
                world,
                "POST",
                "/v1/sessions",
                &["content-type: text/plain"],
                &world.create_body().to_string(),
            );
            exchange(address, &post).await.status() == 415
        }
        Mutant::PostIsOk => {
            let path = format!("/v1/sessions/{fresh}/events");
            let post = request(world, "POST", &path, &[], &message("hello").to_string());
            exchange(address, &post).await.status() == 202
        }
        Mutant::NoIdempotency => {
            let body = world.create_body().to_string();
            let post = request(world, "POST", "/v1/sessions", &["idempotency-key: once"], &body);
            exchange(address, &post).await.json()["id"] == exchange(address, &post).await.json()["id"]
        }
        Mutant::ListIgnoresAfter | Mutant::ListIsInclusive => {
            get(world, &format!("{events}?after=3"), &[]).await.json()["data"][0] == log[3]
        }
        Mutant::PageLoops => {
            let token = get(world, &format!("{events}?limit=2"), &[]).await.json()["next_page"].clone();
            let page = get(
                world,
                &format!("{events}?limit=2&page={}", token.as_str().unwrap()),
                &[],
            )
            .await;
            page.json()["next_page"] != token
        }
        Mutant::PageDuplicates => get(world, &events, &[]).await.json()["data"] == json!(log),
        Mutant::StreamIsText => stream(world, &session, &[])
            .await
            .head()
            .contains("text/event-stream"),
        Mutant::StreamIsStored => stream(world, &session, &[])
            .await
            .head()
            .contains("cache-control: no-store"),
        Mutant::NoComments => stream(world, &session, &[]).await.body().starts_with(b": "),
        Mutant::ResumeIsInclusive | Mutant::ResumeStartsOver | Mutant::ResumeLosesEvent => {
            frames(&stream(world, &session, &["last-event-id: 4"]).await) == plain[4..]
        }
        Mutant::ReplayLosesEvent
        | Mutant::FrameWithoutId
        | Mutant::FrameWithoutType
        | Mutant::FrameOfOtherType
        | Mutant::FrameOfOtherSeq
        | Mutant::StreamGoesBack
        | Mutant::StreamDiffersFromList => frames(&stream(world, &session, &[]).await) == plain,
        other => panic!("{} is not tested", other.name()),
    }
}

/// The stream as it is without the mutant.
async fn stream_without(world: &World, session: &str, active: &[Mutant]) -> Raw {
    world.server.control().set_mutants(&[]);
    let raw = stream(world, session, &[]).await;
    world.server.control().set_mutants(active);
    raw
}

/// Every mutant breaks what it says, every one has a name of its own and a requirement, and a server beside it that runs in
/// the same process keeps its promises.
#[tokio::test]
async fn every_mutant_breaks_its_promise_and_no_other_servers() {
    let sound = World::new().await;
    let mut unfit = Vec::new();
    for chosen in Mutant::ALL.iter().copied() {
        let world = mutant(chosen).await;
        assert_eq!(world.server.control().mutants(), [chosen]);
        // A probe that panics has found something else than what it looks for.
        for (asked, active, kept) in [(&world, vec![chosen], false), (&sound, vec![], true)] {
            let probe = AssertUnwindSafe(promise_is_kept(asked, chosen, &active));
            let found = probe.catch_unwind().await.ok();
            if found != Some(kept) {
                let name = chosen.name();
                unfit.push(format!("{name}: kept with {active:?} is {found:?}, not {kept}"));
            }
        }
        assert_eq!(Mutant::parse(chosen.name()), Some(chosen));
        assert!(!chosen.requirement().is_empty() && chosen.description().ends_with('.'));
        let key = Client::new(sound.server.url(), "wrong");
        key.get("/v1/sessions").await.refused(401, "auth.invalid_key");
        let anything: Value = sound.client.get("/v1/sessions").await.ok(200);
        assert!(anything["data"].is_array());
    }
    assert_eq!(unfit, Vec::<String>::new());
    let mut names: Vec<&str> = Mutant::ALL.iter().map(|mutant| mutant.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Mutant::ALL.len());
}
