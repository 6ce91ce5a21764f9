//! Where schemas stand: in an OpenAPI document, and inside one another.

use serde_json::{Map, Value};

/// Calls `visit` with every outermost schema of an OpenAPI document, never with an example.
pub(crate) fn each_schema_root(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    if let Some(Value::Object(components)) = root.get_mut("components") {
        for (section, entries) in components.iter_mut() {
            match entries {
                Value::Object(schemas) if section == "schemas" => {
                    schemas.iter_mut().for_each(|(_, schema)| visit(schema))
                }
                other => inline_schemas(other, visit),
            }
        }
    }
    for section in ["paths", "webhooks"] {
        if let Some(entries) = root.get_mut(section) {
            inline_schemas(entries, visit);
        }
    }
}

/// Calls `visit` with every direct child of a schema.
pub(crate) fn each_child(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, held) in schema.iter_mut() {
        match (keyword.as_str(), held) {
            ("properties" | "patternProperties" | "$defs", Value::Object(children)) => {
                children.iter_mut().for_each(|(_, child)| visit(child));
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(children)) => {
                children.iter_mut().for_each(&mut *visit);
            }
            ("items" | "additionalProperties" | "propertyNames" | "not", child) => visit(child),
            _ => {}
        }
    }
}

fn inline_schemas(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Object(members) => {
            for (member, held) in members.iter_mut() {
                match member.as_str() {
                    "schema" => visit(held),
                    "example" | "examples" => {}
                    extension if extension.starts_with("x-") => {}
                    _ => inline_schemas(held, visit),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline_schemas(item, visit)),
        _ => {}
    }
}
