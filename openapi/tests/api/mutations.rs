//! Every fixture is only just valid: take a required member away, give a typed one another JSON type or add one, and the
//! closed judge refuses it.

use std::collections::BTreeSet;

use checkfu_openapi::{Document, Fixture, Judge, fixtures};
use serde_json::{Value, json};

use crate::walk::{JSON_TYPES, JsonType, Spot, Walk};

#[test]
fn removing_a_required_member_makes_every_fixture_invalid() {
    let judge = Judge::closed().unwrap();
    let mut removed = 0;
    for fixture in fixtures().unwrap().documents {
        for spot in spots(judge.document(), &fixture) {
            if spot.required {
                let broken = without(&fixture.value, &spot.pointer);
                assert!(
                    !judge.accepts(&fixture.schema, &broken),
                    "{} stays valid without {}",
                    fixture.name,
                    spot.pointer
                );
                removed += 1;
            }
        }
    }
    assert!(
        removed > 1000,
        "only {removed} members were removed: the walk does not reach what it should"
    );
}

#[test]
fn another_json_type_makes_every_fixture_invalid() {
    let judge = Judge::closed().unwrap();
    let mut changed = 0;
    for fixture in fixtures().unwrap().documents {
        for spot in spots(judge.document(), &fixture) {
            let Some(types) = &spot.types else { continue };
            for wrong in JSON_TYPES.into_iter().filter(|it| !types.contains(it)) {
                if wrong == "integer" && types.contains("number") {
                    continue; // An integer is a number.
                }
                let broken = with(&fixture.value, &spot.pointer, sample(wrong));
                assert!(
                    !judge.accepts(&fixture.schema, &broken),
                    "{} stays valid with {wrong} at {}",
                    fixture.name,
                    spot.pointer
                );
                changed += 1;
            }
        }
    }
    assert!(
        changed > 5000,
        "only {changed} types were changed: the walk does not reach what it should"
    );
}

/// Any JSON: the result of a tool, the answer to a Question, the value that a Watch waits for. As every member of the
/// document is in some fixture, no other member goes without a type.
const ANY_JSON: [&str; 3] = ["answer", "result", "value"];

#[test]
fn only_members_that_take_any_json_go_without_a_type() {
    let document = Document::parse().unwrap();
    let mut untyped = BTreeSet::new();
    for fixture in fixtures().unwrap().documents {
        for spot in spots(&document, &fixture) {
            if spot.types.is_none() {
                let (_, member) = spot.pointer.rsplit_once('/').unwrap_or_default();
                untyped.insert(member.to_owned());
            }
        }
    }
    assert_eq!(untyped, ANY_JSON.map(str::to_owned).into());
}

#[test]
fn a_member_that_the_document_does_not_name_makes_every_fixture_invalid() {
    let judge = Judge::closed().unwrap();
    let mut added = 0;
    for fixture in fixtures().unwrap().documents {
        for spot in spots(judge.document(), &fixture) {
            let mut value = fixture.value.clone();
            let Some(Value::Object(members)) = value.pointer_mut(&spot.pointer) else {
                continue;
            };
            members.insert("mispelt".to_owned(), json!("text"));
            let accepted = judge.accepts(&fixture.schema, &value);
            assert_eq!(
                accepted, spot.takes_any_member,
                "{} at {:?}",
                fixture.name, spot.pointer
            );
            added += 1;
        }
    }
    assert!(
        added > 500,
        "only {added} members were added: the walk does not reach what it should"
    );
}

fn spots(document: &Document, fixture: &Fixture) -> Vec<Spot> {
    let schema = document
        .schema(&fixture.schema)
        .unwrap_or_else(|| panic!("no schema {}", fixture.schema));
    let mut walk = Walk::default();
    walk.extend(document.root(), schema, &fixture.value);
    walk.spots
}

fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    let (parent, member) = pointer
        .rsplit_once('/')
        .expect("the root is not required of anything");
    let member = member.replace("~1", "/").replace("~0", "~");
    let parent = value.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
    parent.remove(&member).expect("the walk named a member");
    value
}

fn with(value: &Value, pointer: &str, replacement: Value) -> Value {
    let mut value = value.clone();
    *value.pointer_mut(pointer).expect("the walk named a place") = replacement;
    value
}

fn sample(json_type: JsonType) -> Value {
    match json_type {
        "null" => Value::Null,
        "boolean" => json!(true),
        "integer" => json!(1),
        "number" => json!(1.5),
        "string" => json!("text"),
        "array" => json!([]),
        "object" => json!({}),
        other => panic!("{other} is no JSON type"),
    }
}
