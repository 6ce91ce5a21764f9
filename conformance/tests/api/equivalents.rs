//! Servers that differ where they may: no verdict changes.

use checkfu_conformance::{AgentKind, Plan, Profile, Report, Verdict, checks};
use checkfu_mock_server::MockServer;
use futures::future::join_all;
use serde_json::Value;

use crate::{
    mutant::Mutant,
    relay::Relay,
    server::{judge, plan, reference, target},
};

/// What every decision leaves open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_reference_server_may_do_differently_changes_no_verdict() {
    let equivalents = [
        carriage_returns(),
        few_bytes_at_a_time(),
        more_comments(),
        unknown_members(),
    ];
    for (name, report) in judge_under(Profile::Reference, equivalents).await {
        assert_eq!(report.count(Verdict::Pass), checks().count(), "{name}: {report}");
    }
}

/// What the published pages leave open, although the reference server decides it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_any_server_may_do_differently_changes_no_verdict() {
    let equivalents = [
        other_event_ids(),
        numbers_with_holes(),
        small_pages(),
        delivers_twice(),
        bare_stream_heads(),
    ];
    for (name, report) in judge_under(Profile::Published, equivalents).await {
        assert!(report.count(Verdict::Pass) > 25, "{name}: {report}");
        let passed = report.count(Verdict::Pass) + report.count(Verdict::NotSelected);
        assert_eq!(passed, checks().count(), "{name}: {report}");
    }
}

/// Judges all of them, each as a task of its own: most of a run is waiting.
async fn judge_under<const COUNT: usize>(
    profile: Profile,
    equivalents: [Mutant; COUNT],
) -> Vec<(&'static str, Report)> {
    let judged = equivalents.map(|equivalent| {
        tokio::spawn(async move {
            let server = reference().await;
            let name = equivalent.name;
            let relay = Relay::start(server.url(), equivalent).await;
            let plan = plan(&relay.url, &server).with_profile(profile).with_strict(true);
            let report = judge(&plan).await;
            server.shutdown().await;
            (name, report)
        })
    });
    let judged = join_all(judged).await;
    judged.into_iter().map(Result::unwrap).collect()
}

/// A-WAIT: the boundary of a wait may be a waiting alone or an idle alone.
#[tokio::test]
async fn either_boundary_of_a_wait_changes_no_verdict() {
    let server = reference().await;
    for style in ["waiting_style", "idle_style"] {
        let target = target(server.url(), &server);
        let target = target.with_agent(AgentKind::CustomTool, deployment(&server, style).await);
        let areas = [
            "wait",
            "continuation",
            "answer",
            "stale",
            "authority",
            "payload",
            "interrupt",
        ];
        let plan = Plan::new(target).with_strict(true);
        let plan = plan.with_only(areas.map(|area| format!("srv.{area}.*"))).unwrap();
        let report = judge(&plan).await;
        assert!(report.count(Verdict::Pass) > 15, "{style}: {report}");
        let passed = report.count(Verdict::Pass) + report.count(Verdict::NotSelected);
        assert_eq!(passed, plan.selected().count(), "{style}: {report}");
    }
    server.shutdown().await;
}

/// The id of the built-in deployment of this name.
async fn deployment(server: &MockServer, name: &str) -> String {
    let request = reqwest::Client::new().get(format!("{}/v1/agent_deployments?limit=100", server.url()));
    let answer = request.bearer_auth(server.api_key()).send().await.unwrap();
    let page: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let deployments = page["data"].as_array().unwrap();
    let named = deployments.iter().find(|deployment| deployment["name"] == name);
    named.unwrap()["id"].as_str().unwrap().to_owned()
}

fn carriage_returns() -> Mutant {
    Mutant::new("carriage-returns").encode(|frame| {
        let text = String::from_utf8(frame.bytes()).unwrap();
        vec![text.replace('\n', "\r\n").into_bytes()]
    })
}

fn few_bytes_at_a_time() -> Mutant {
    Mutant::new("a-few-bytes-at-a-time").encode(|frame| frame.bytes().chunks(7).map(<[u8]>::to_vec).collect())
}

fn more_comments() -> Mutant {
    Mutant::new("more-comments").encode(|frame| vec![b": still here\n\n".to_vec(), frame.bytes()])
}

fn unknown_members() -> Mutant {
    each_event("unknown-members", |event| event["novelty"] = true.into())
}

fn other_event_ids() -> Mutant {
    let other = |id: &mut Value| *id = format!("E/{}", id.as_str().unwrap()).into();
    let events = each_event("other-event-ids", move |event| other(&mut event["id"]));
    events.frame(move |_, _, mut frame| {
        frame.edit(|data| match data["type"].as_str() {
            Some("event_start") => other(&mut data["payload"]["event"]["id"]),
            Some("event_delta") => other(&mut data["payload"]["event_id"]),
            _ => other(&mut data["id"]),
        });
        vec![frame]
    })
}

/// Only the order of numbers is promised: here they go up by seven.
fn numbers_with_holes() -> Mutant {
    const STEP: u64 = 7;
    let spread = |event: &mut Value| event["seq"] = (event["seq"].as_u64().unwrap() * STEP).into();
    let spreading = each_event("numbers-with-holes", spread).request(|call| {
        if let Some(after) = call
            .parameter("after")
            .and_then(|after| after.parse::<u64>().ok())
        {
            call.set_parameter("after", after / STEP);
        }
        if let Some(cursor) = call.cursor() {
            call.set_header("last-event-id", cursor / STEP);
        }
    });
    spreading.frame(move |_, _, mut frame| {
        if !frame.is_preview() {
            frame.set("id", frame.seq() * STEP);
            frame.edit(spread);
        }
        vec![frame]
    })
}

fn small_pages() -> Mutant {
    Mutant::new("small-pages").request(|call| {
        let wanted = call
            .parameter("limit")
            .map_or(100, |limit| limit.parse::<u64>().unwrap_or(0));
        if call.is_list() && wanted > 4 {
            call.set_parameter("limit", 4);
        }
    })
}

/// Delivery is at least once; a preview is no delivery.
fn delivers_twice() -> Mutant {
    Mutant::new("delivers-twice").frame(|_, _, frame| match frame.is_preview() {
        true => vec![frame],
        false => vec![frame.clone(), frame],
    })
}

fn bare_stream_heads() -> Mutant {
    Mutant::new("bare-stream-heads")
        .without_comments()
        .answer(|call, answer| {
            if call.is_stream() && answer.status == 200 {
                answer.headers.remove("cache-control");
                answer
                    .headers
                    .insert("content-type", "text/event-stream".parse().unwrap());
            }
        })
}

/// The same change on every event, wherever it is shown.
fn each_event(name: &'static str, change: impl Fn(&mut Value) + Copy + Send + Sync + 'static) -> Mutant {
    Mutant::new(name)
        .answer(move |call, answer| {
            if call.is_list() && answer.status == 200 {
                answer.edit_events(|events| events.iter_mut().for_each(change));
            } else if call.is_append() && answer.status < 300 {
                answer.edit(change);
            } else if call.path.ends_with("/diff") && answer.status == 200 {
                answer.edit(|diff| {
                    for side in ["left", "right"] {
                        let events = diff[side]["events"].as_array_mut();
                        events.unwrap().iter_mut().for_each(change);
                    }
                });
            }
        })
        .frame(move |_, _, mut frame| {
            if !frame.is_preview() {
                frame.edit(change);
            }
            vec![frame]
        })
}
