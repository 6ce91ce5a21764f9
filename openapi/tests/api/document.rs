//! The document holds together: it parses, compiles, says where it comes from, and its examples fit.

use checkfu_openapi::{DOCUMENT, Document, Judge};
use serde_json::Value;

#[test]
fn the_document_parses_and_every_schema_compiles_open_and_closed() {
    for judge in [Judge::open().unwrap(), Judge::closed().unwrap()] {
        let names = judge.document().schema_names();
        assert!(names.len() > 100, "{} schemas", names.len());
        for name in names {
            if let Err(violations) = judge.check(name, &Value::Null) {
                assert!(
                    !violations.to_string().contains("unusable schema"),
                    "{violations}"
                );
            }
        }
    }
}

#[test]
fn every_schema_and_operation_says_where_it_comes_from() {
    let document = Document::parse().unwrap();
    for name in document.schema_names() {
        let schema = document.schema(name).unwrap();
        let says = ["x-checkfu-source", "x-checkfu-assumed"]
            .iter()
            .any(|word| schema.get(word).is_some());
        assert!(
            says,
            "schema {name} has neither x-checkfu-source nor x-checkfu-assumed"
        );
    }
    let operations = document.operations();
    assert!(operations.len() > 25, "{} operations", operations.len());
    for operation in operations {
        let says = operation.source.is_some() || operation.assumed.is_some();
        assert!(
            says,
            "operation {} has neither x-checkfu-source nor x-checkfu-assumed",
            operation.id
        );
        assert!(
            !operation.id.is_empty() && !operation.statuses.is_empty(),
            "{operation:?}"
        );
    }
}

#[test]
fn every_example_of_a_schema_fits_it() {
    let judge = Judge::closed().unwrap();
    let mut checked = 0;
    for name in judge.document().schema_names() {
        let is_event = judge.document().event_types().values().any(|it| *it == name);
        for example in judge.document().schema(name).unwrap()["examples"]
            .as_array()
            .into_iter()
            .flatten()
        {
            if let Err(violations) = judge.check(name, example) {
                panic!("example of {name}: {violations}");
            }
            if is_event {
                judge.check_event(example).unwrap();
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} examples");
}

#[test]
fn every_example_of_a_body_fits_its_operation() {
    let judge = Judge::closed().unwrap();
    let root = judge.document().root();
    let mut checked = 0;
    for operation in judge.document().operations() {
        let path = concrete(&operation.path);
        let described = &root["paths"][&operation.path][operation.method.to_lowercase()];
        for example in examples(root, &described["requestBody"]) {
            if let Err(violations) = judge.check_request(&operation.method, &path, example) {
                panic!("{}: {violations}", operation.id);
            }
            checked += 1;
        }
        for status in operation.statuses {
            for example in examples(root, &described["responses"][status.to_string()]) {
                if let Err(violations) = judge.check_response(&operation.method, &path, status, example) {
                    panic!("{}: {violations}", operation.id);
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "only {checked} examples");
}

#[test]
fn the_error_codes_of_a_response_have_its_status_and_an_example_each() {
    let document = Document::parse().unwrap();
    let codes = document.error_codes();
    for operation in document.operations() {
        let described = &document.root()["paths"][&operation.path][operation.method.to_lowercase()];
        for status in operation.statuses.iter().filter(|status| **status >= 400) {
            let response = followed(document.root(), &described["responses"][status.to_string()]);
            let listed = response["x-checkfu-error-codes"].as_array();
            let listed = listed.unwrap_or_else(|| panic!("{} {status} lists no codes", operation.id));
            for code in listed {
                let known = codes.iter().find(|it| *code == it.code.as_str());
                assert_eq!(
                    known.map(|it| it.status),
                    Some(*status),
                    "{} {code}",
                    operation.id
                );
                let shown = examples(document.root(), response);
                assert!(
                    shown.iter().any(|it| it["error"]["code"] == *code),
                    "{} shows no {code}",
                    operation.id
                );
            }
        }
    }
}

#[test]
fn the_document_names_nothing_but_the_product() {
    for word in ["localhost", "TODO", "FIXME", "/tmp/", "/home/"] {
        assert!(!DOCUMENT.contains(word), "{word}");
    }
}

fn concrete(template: &str) -> String {
    template
        .split('/')
        .map(|part| if part.starts_with('{') { "some_id" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

/// The JSON examples of a request body or response, references followed.
fn examples<'a>(root: &'a Value, body: &'a Value) -> Vec<&'a Value> {
    let media = &followed(root, body)["content"]["application/json"];
    let named = media["examples"].as_object().into_iter().flatten();
    let mut found: Vec<&Value> = named
        .map(|(_, example)| &followed(root, example)["value"])
        .collect();
    found.extend(media.get("example"));
    found
}

fn followed<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}
