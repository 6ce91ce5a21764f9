//! The closed form of the document: members, enum values and union branches that it does not name become violations.

use serde_json::{Map, Value, json};

use crate::schema_walk::{each_child, each_schema_root};

/// Closes every schema of the document.
///
/// An object schema with `properties` and no word of its own on other members gets `unevaluatedProperties: false`,
/// `x-checkfu-open-enum` becomes `enum`, `x-checkfu-closed-pattern` becomes `pattern`, and a union loses its branches
/// that are marked with `x-checkfu-fallback`.
///
/// The document composes nothing with `allOf`: a closed part would refuse what the other parts declare.
pub(crate) fn close_document(root: &mut Value) {
    let fallbacks = fallbacks(root);
    each_schema_root(root, &mut |schema| close(schema, &fallbacks));
}

/// References to the schemas that stand for whatever a union does not name.
fn fallbacks(root: &Value) -> Vec<String> {
    let marked = |schema: &Value| schema.get("x-checkfu-fallback") == Some(&Value::Bool(true));
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    schemas
        .into_iter()
        .flatten()
        .filter(|(_, schema)| marked(schema))
        .map(|(name, _)| format!("#/components/schemas/{name}"))
        .collect()
}

fn close(schema: &mut Value, fallbacks: &[String]) {
    let Value::Object(members) = schema else { return };
    each_child(members, &mut |child| close(child, fallbacks));
    close_object(members);
    close_enum(members);
    close_pattern(members);
    close_union(members, fallbacks);
}

fn close_object(members: &mut Map<String, Value>) {
    let says_itself = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|word| members.contains_key(*word));
    if members.contains_key("properties") && !says_itself {
        members.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
    }
}

fn close_enum(members: &mut Map<String, Value>) {
    let Some(Value::Array(values)) = members.get("x-checkfu-open-enum") else {
        return;
    };
    let mut values = values.clone();
    if matches!(members.get("type"), Some(Value::Array(types)) if types.contains(&json!("null"))) {
        values.push(Value::Null);
    }
    members.insert("enum".to_owned(), Value::Array(values));
}

fn close_pattern(members: &mut Map<String, Value>) {
    if let Some(pattern) = members.get("x-checkfu-closed-pattern").cloned() {
        members.insert("pattern".to_owned(), pattern);
    }
}

fn close_union(members: &mut Map<String, Value>, fallbacks: &[String]) {
    for union in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = members.get_mut(union) {
            branches.retain(|branch| {
                let reference = branch.get("$ref").and_then(Value::as_str);
                !reference.is_some_and(|reference| fallbacks.iter().any(|it| it == reference))
            });
        }
    }
}
