//! Hostile input is hostile indeed, and every piece of it says what a client has to make of it.

use std::collections::BTreeSet;

use checkfu_openapi::{HostileFixture, Judge, Violations, fixtures};
use serde_json::Value;

const KINDS: [&str; 8] = [
    "error", "event", "page", "post", "preview", "run", "session", "stream",
];

#[test]
fn every_hostile_fixture_says_its_kind_and_what_it_is_about() {
    let fixtures = fixtures().unwrap().hostile;
    let kinds: BTreeSet<&str> = fixtures
        .iter()
        .filter_map(|fixture| fixture.expect["kind"].as_str())
        .collect();
    assert_eq!(kinds, BTreeSet::from(KINDS));
    for fixture in &fixtures {
        assert!(
            fixture.expect["about"]
                .as_str()
                .is_some_and(|about| about.ends_with('.')),
            "{}",
            fixture.name
        );
        let kind = fixture.expect["kind"].as_str().unwrap();
        assert!(
            fixture.name.starts_with(&format!("{kind}.")),
            "{} is a {kind}",
            fixture.name
        );
    }
}

#[test]
fn the_judges_take_what_the_expectation_says_they_take() {
    let (open, closed) = (Judge::open().unwrap(), Judge::closed().unwrap());
    let mut judged = 0;
    for fixture in fixtures().unwrap().hostile {
        let Some(expected) = fixture.expect.get("open_judge").and_then(Value::as_bool) else {
            continue;
        };
        let found = judged_as(&open, &fixture);
        assert_eq!(found.is_ok(), expected, "{}: {found:?}", fixture.name);
        let expected = fixture.expect.get("closed_judge") == Some(&Value::Bool(true));
        assert_eq!(
            judged_as(&closed, &fixture).is_ok(),
            expected,
            "{} in the closed judge",
            fixture.name
        );
        judged += 1;
    }
    assert!(judged > 70, "only {judged} were judged");
}

#[test]
fn every_hostile_event_says_what_is_delivered_and_whether_it_settles() {
    let judge = Judge::open().unwrap();
    let types = judge.document().event_types();
    for fixture in of_kind("event") {
        let expect = &fixture.expect;
        let deliver = expect["deliver"].as_str().unwrap();
        let ways = ["known", "raw", "known_or_raw", "unknown", "protocol_error"];
        assert!(ways.contains(&deliver), "{}: {deliver}", fixture.name);
        let value = json(&fixture);
        let is_event = value["seq"].as_u64().is_some_and(|seq| seq > 0)
            && value["id"].is_string()
            && value["type"].is_string();
        assert_eq!(deliver == "protocol_error", !is_event, "{}", fixture.name);
        let known = value["type"].as_str().is_some_and(|it| types.contains_key(it));
        assert!(!is_event || (deliver == "unknown") != known, "{}", fixture.name);
        let settles = expect["settles"].as_bool().unwrap();
        let status = value["type"]
            .as_str()
            .and_then(|it| it.strip_prefix("session.status_"));
        match status {
            Some("idle") => {
                let waits = expect["stop_reason"]["known"] == "requires_action";
                assert_eq!(settles, !waits, "{}", fixture.name);
            }
            Some("completed" | "failed" | "canceled") => assert!(settles, "{}", fixture.name),
            _ => assert!(!settles, "{}", fixture.name),
        }
        for pointer in expect["keeps"].as_array().into_iter().flatten() {
            assert!(
                value.pointer(pointer.as_str().unwrap()).is_some(),
                "{} {pointer}",
                fixture.name
            );
        }
    }
}

#[test]
fn every_stop_reason_form_is_there() {
    let names: BTreeSet<String> = of_kind("event").into_iter().map(|fixture| fixture.name).collect();
    for form in [
        "beside_payload",
        "object",
        "null",
        "absent",
        "unknown",
        "unknown_object",
        "object_without_type",
        "number",
        "array",
        "boolean",
        "empty",
    ] {
        assert!(names.contains(&format!("event.stop_reason_{form}")), "{form}");
    }
}

#[test]
fn every_hostile_error_has_a_status_and_a_verdict_on_retrying() {
    for fixture in of_kind("error") {
        let status = fixture.expect["response"]["status"].as_u64().unwrap();
        assert!((400..600).contains(&status), "{}", fixture.name);
        let retryable = fixture.expect["retryable"].as_bool().unwrap();
        let said = serde_json::from_slice::<Value>(&fixture.bytes).ok();
        let said = said.and_then(|body| body.pointer("/error/retryable").and_then(Value::as_bool));
        // The status decides; what the body says can only narrow it.
        let by_status = status == 429 || status >= 500;
        assert_eq!(retryable, by_status && said.unwrap_or(true), "{}", fixture.name);
    }
}

fn judged_as(judge: &Judge, fixture: &HostileFixture) -> Result<(), Violations> {
    let value = json(fixture);
    match fixture.expect["kind"].as_str().unwrap() {
        "event" => judge.check_event(&value),
        "post" => judge.check("UserEvent", &value),
        "page" => judge.check("EventPage", &value),
        "session" => judge.check("Session", &value),
        "run" => judge.check("Run", &value),
        kind => panic!("{kind} is not judged"),
    }
}

fn json(fixture: &HostileFixture) -> Value {
    serde_json::from_slice(&fixture.bytes).unwrap_or_else(|error| panic!("{}: {error}", fixture.name))
}

fn of_kind(kind: &str) -> Vec<HostileFixture> {
    fixtures()
        .unwrap()
        .hostile
        .into_iter()
        .filter(|fixture| fixture.expect["kind"] == kind)
        .collect()
}
