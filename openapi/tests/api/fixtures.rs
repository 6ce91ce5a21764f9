//! Every fixture is what it says it is, and together they leave no part of the document without one.

use std::collections::BTreeSet;

use checkfu_openapi::{Fixture, FixtureGroup, Judge, fixtures};
use serde_json::Value;

use crate::walk::{Walk, address};

#[test]
fn every_fixture_is_valid_as_it_stands_and_when_nothing_more_is_allowed() {
    let (open, closed) = (Judge::open().unwrap(), Judge::closed().unwrap());
    for fixture in fixtures().unwrap().documents {
        for judge in [&open, &closed] {
            if let Err(violations) = judge.check(&fixture.schema, &fixture.value) {
                panic!("{}: {violations}", fixture.name);
            }
        }
    }
}

#[test]
fn every_event_type_has_a_fixture_and_every_event_fixture_its_type() {
    let judge = Judge::open().unwrap();
    let types: BTreeSet<&str> = judge.document().event_types().into_keys().collect();
    let mut seen = BTreeSet::new();
    for fixture in group(FixtureGroup::Event) {
        let event_type = fixture.value["type"].as_str().unwrap();
        let (schema, name) = (judge.document().event_types()[event_type], fixture.name.as_str());
        assert!(
            name == event_type || name.starts_with(&format!("{event_type}.")),
            "{name} is a {event_type}"
        );
        judge.check(schema, &fixture.value).unwrap();
        seen.insert(event_type.to_owned());
    }
    assert_eq!(seen, types.iter().map(|it| (*it).to_owned()).collect());
    for event_type in types {
        let plain = group(FixtureGroup::Event)
            .into_iter()
            .any(|fixture| fixture.name == event_type);
        assert!(plain, "events/{event_type}.json is missing");
    }
}

#[test]
fn every_error_code_has_a_fixture_with_its_status() {
    let judge = Judge::open().unwrap();
    let fixtures = group(FixtureGroup::Error);
    let codes = judge.document().error_codes();
    assert_eq!(fixtures.len(), codes.len());
    for code in codes {
        let fixture = fixtures.iter().find(|fixture| fixture.name == code.code);
        let fixture = fixture.unwrap_or_else(|| panic!("errors/{}.json is missing", code.code));
        let error = &fixture.value["error"];
        assert_eq!(fixture.status, Some(code.status), "{}", code.code);
        assert_eq!(error["code"], code.code.as_str());
        assert_eq!(error["type"], code.error_type.as_str(), "{}", code.code);
        assert_eq!(error["retryable"], code.retryable, "{}", code.code);
    }
}

#[test]
fn every_body_of_an_operation_has_a_fixture_and_every_fixture_a_place() {
    let judge = Judge::open().unwrap();
    let (answers, requests) = body_schemas(judge.document().root());
    let of = |wanted: FixtureGroup| -> BTreeSet<String> {
        group(wanted).into_iter().map(|fixture| fixture.schema).collect()
    };
    assert_eq!(of(FixtureGroup::Request), requests);

    let resources = of(FixtureGroup::Resource);
    let events = BTreeSet::from(["UserEvent".to_owned()]); // Answers to posts: the events stand in their own directory.
    assert_eq!(
        answers
            .difference(&events)
            .find(|schema| !resources.contains(*schema)),
        None
    );
    for resource in &resources {
        let page = format!("{resource}Page");
        assert!(
            answers.contains(resource) || answers.contains(&page),
            "{resource} is no answer"
        );
    }
    let inputs: BTreeSet<&str> = judge.document().mapping("UserEventInput").into_keys().collect();
    let sent: Vec<Fixture> = group(FixtureGroup::Request);
    for input in inputs {
        assert!(
            sent.iter()
                .any(|fixture| fixture.name == format!("UserEventInput.{input}")),
            "no {input} is sent"
        );
    }
}

#[test]
fn every_member_and_every_branch_of_the_document_is_used_by_a_fixture() {
    let judge = Judge::open().unwrap();
    let root = judge.document().root();
    let mut walk = Walk::default();
    for fixture in fixtures().unwrap().documents {
        walk.extend(
            root,
            judge.document().schema(&fixture.schema).unwrap(),
            &fixture.value,
        );
    }
    let mut unused = Vec::new();
    for (name, schema) in root["components"]["schemas"].as_object().unwrap() {
        if schema.get("x-checkfu-fallback").is_none() {
            untouched(schema, name, &walk.touched, &mut unused);
        }
    }
    // Whole unions that stand for places which the walk enters below them: an accepted event is an event, the data of
    // a frame is an event or a preview, and a fallback takes what no valid fixture holds.
    unused.retain(|place| {
        !["UserEvent|", "StreamFrame|"]
            .iter()
            .any(|it| place.starts_with(it))
    });
    assert_eq!(unused, ["ContentBlock|1", "Event|1"], "unused by any fixture");
}

fn group(wanted: FixtureGroup) -> Vec<Fixture> {
    fixtures()
        .unwrap()
        .documents
        .into_iter()
        .filter(|fixture| fixture.group == wanted)
        .collect()
}

/// The names of the schemas of successful answers and of requests.
fn body_schemas(root: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut answers, mut requests) = (BTreeSet::new(), BTreeSet::new());
    for item in root["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            requests.extend(schema_of(&operation["requestBody"]));
            for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
                if status.starts_with('2') {
                    answers.extend(schema_of(answer));
                }
            }
        }
    }
    (answers, requests)
}

fn schema_of(body: &Value) -> Option<String> {
    let reference = body.pointer("/content/application~1json/schema/$ref")?.as_str()?;
    Some(reference.rsplit('/').next()?.to_owned())
}

fn untouched(schema: &Value, place: &str, touched: &BTreeSet<usize>, unused: &mut Vec<String>) {
    let mut look = |child: &Value, place: String| {
        if touched.contains(&address(child)) {
            untouched(child, &place, touched, unused);
        } else {
            unused.push(place);
        }
    };
    for (name, child) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        look(child, format!("{place}/{name}"));
    }
    for union in ["oneOf", "anyOf"] {
        for (index, child) in schema
            .get(union)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            look(child, format!("{place}|{index}"));
        }
    }
    if let Some(items) = schema.get("items") {
        untouched(items, place, touched, unused);
    }
}
