//! A walk over a value and its schema together: which member is typed how, which is required, which parts of the
//! schema the value makes use of. It reads the published document, not the judge's prepared copy.

use std::collections::BTreeSet;

use serde_json::Value;

/// A JSON type; `number` is any number, `integer` one without a fraction.
pub(crate) type JsonType = &'static str;

pub(crate) const JSON_TYPES: [JsonType; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// One place in a value.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) pointer: String,
    /// The types that the schema allows here; `None` if it leaves them free.
    pub(crate) types: Option<BTreeSet<JsonType>>,
    /// True if the object around it cannot be without it.
    pub(crate) required: bool,
    /// True if it is an object that may hold members of any name.
    pub(crate) takes_any_member: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) spots: Vec<Spot>,
    /// The member and branch schemas that the value touched, by address.
    pub(crate) touched: BTreeSet<usize>,
}

impl Walk {
    /// Walks `value`, judged by `schema`, adding to what was found before.
    pub(crate) fn extend(&mut self, root: &Value, schema: &Value, value: &Value) {
        let walker = Walker { root };
        walker.node(self, &[schema], value, String::new(), false);
    }
}

pub(crate) fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

struct Walker<'a> {
    root: &'a Value,
}

impl<'a> Walker<'a> {
    fn node(&self, walk: &mut Walk, schemas: &[&'a Value], value: &Value, pointer: String, required: bool) {
        let mut applicable = Vec::new();
        let mut types = None;
        for schema in schemas {
            self.expand(walk, schema, value, &mut applicable);
            types = intersection(types, self.types(schema));
        }
        let says = |schema: &&Value| {
            schema
                .get("additionalProperties")
                .is_some_and(|it| it != &Value::Bool(false))
        };
        let takes_any_member = value.is_object() && (types.is_none() || applicable.iter().any(says));
        walk.spots.push(Spot {
            pointer: pointer.clone(),
            types,
            required,
            takes_any_member,
        });
        match value {
            Value::Object(members) => {
                for (name, held) in members {
                    let children = member_schemas(walk, &applicable, name);
                    let required = applicable.iter().any(|schema| requires(schema, name));
                    if !children.is_empty() {
                        self.node(
                            walk,
                            &children,
                            held,
                            format!("{pointer}/{}", escape(name)),
                            required,
                        );
                    }
                }
            }
            Value::Array(items) => {
                let children: Vec<&Value> = applicable
                    .iter()
                    .filter_map(|schema| schema.get("items"))
                    .collect();
                for (index, item) in items.iter().enumerate() {
                    if !children.is_empty() {
                        self.node(walk, &children, item, format!("{pointer}/{index}"), false);
                    }
                }
            }
            _ => {}
        }
    }

    /// Every schema object that speaks about `value`: references followed, compositions taken apart, of a union the
    /// branches that the value is an instance of.
    fn expand(&self, walk: &mut Walk, schema: &'a Value, value: &Value, applicable: &mut Vec<&'a Value>) {
        applicable.push(schema);
        if let Some(target) = self.target(schema) {
            walk.touched.insert(address(target));
            self.expand(walk, target, value, applicable);
        }
        for part in branches(schema, "allOf") {
            self.expand(walk, part, value, applicable);
        }
        let discriminated = schema
            .pointer("/discriminator/propertyName")
            .and_then(Value::as_str)
            .and_then(|member| {
                schema
                    .get("discriminator")?
                    .get("mapping")?
                    .get(value.get(member)?.as_str()?)?
                    .as_str()
            });
        for branch in branches(schema, "oneOf").chain(branches(schema, "anyOf")) {
            let chosen = match discriminated {
                Some(reference) => branch.get("$ref").and_then(Value::as_str) == Some(reference),
                None => self.looks_like(branch, value),
            };
            if chosen {
                walk.touched.insert(address(branch));
                self.expand(walk, branch, value, applicable);
            }
        }
    }

    fn target(&self, schema: &Value) -> Option<&'a Value> {
        let reference = schema.get("$ref")?.as_str()?;
        let target = self.root.pointer(
            reference
                .strip_prefix('#')
                .expect("references stay in the document"),
        );
        Some(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
    }

    /// The types that a schema allows, or `None` if it says nothing of them.
    fn types(&self, schema: &'a Value) -> Option<BTreeSet<JsonType>> {
        let mut types = match schema.get("type") {
            Some(Value::String(name)) => Some(BTreeSet::from([json_type(name)])),
            Some(Value::Array(names)) => {
                Some(names.iter().filter_map(Value::as_str).map(json_type).collect())
            }
            _ => None,
        };
        if let Some(constant) = schema.get("const") {
            types = intersection(types, Some(BTreeSet::from([type_of(constant)])));
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            types = intersection(types, Some(values.iter().map(type_of).collect()));
        }
        if let Some(target) = self.target(schema) {
            types = intersection(types, self.types(target));
        }
        for part in branches(schema, "allOf") {
            types = intersection(types, self.types(part));
        }
        for union in ["oneOf", "anyOf"] {
            let alternatives: Vec<_> = branches(schema, union).map(|branch| self.types(branch)).collect();
            if !alternatives.is_empty() && alternatives.iter().all(Option::is_some) {
                types = intersection(
                    types,
                    Some(alternatives.into_iter().flatten().flatten().collect()),
                );
            }
        }
        types
    }

    /// True if a branch fits at first sight: its type, its required members, its constants.
    fn looks_like(&self, branch: &'a Value, value: &Value) -> bool {
        let fits_type = self.types(branch).is_none_or(|types| {
            types.contains(type_of(value)) || (types.contains("number") && type_of(value) == "integer")
        });
        let fits_constant = branch.get("const").is_none_or(|constant| constant == value)
            && branch
                .get("enum")
                .and_then(Value::as_array)
                .is_none_or(|values| values.contains(value))
            && branch
                .pointer("/not/enum")
                .and_then(Value::as_array)
                .is_none_or(|values| !values.contains(value));
        let required = branch.get("required").and_then(Value::as_array);
        let has_members = required.is_none_or(|names| {
            names
                .iter()
                .filter_map(Value::as_str)
                .all(|name| !value.is_object() || value.get(name).is_some())
        });
        let members = branch.get("properties").and_then(Value::as_object);
        let fits_members = members.is_none_or(|members| {
            members
                .iter()
                .all(|(name, schema)| value.get(name).is_none_or(|held| self.looks_like(schema, held)))
        });
        let fits_target = self
            .target(branch)
            .is_none_or(|target| self.looks_like(target, value));
        let fits_parts = branches(branch, "allOf").all(|part| self.looks_like(part, value));
        fits_type && fits_constant && has_members && fits_members && fits_target && fits_parts
    }
}

fn member_schemas<'a>(walk: &mut Walk, applicable: &[&'a Value], name: &str) -> Vec<&'a Value> {
    let declared = applicable
        .iter()
        .filter_map(|schema| schema.get("properties")?.get(name));
    let declared: Vec<&Value> = declared.collect();
    for schema in &declared {
        walk.touched.insert(address(schema));
    }
    if !declared.is_empty() {
        return declared;
    }
    applicable
        .iter()
        .filter_map(|schema| schema.get("additionalProperties"))
        .filter(|it| it.is_object())
        .collect()
}

fn branches<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn requires(schema: &Value, name: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| names.iter().any(|it| it == name))
}

fn intersection(
    left: Option<BTreeSet<JsonType>>,
    right: Option<BTreeSet<JsonType>>,
) -> Option<BTreeSet<JsonType>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.intersection(&right).copied().collect()),
        (left, right) => left.or(right),
    }
}

fn json_type(name: &str) -> JsonType {
    JSON_TYPES
        .into_iter()
        .find(|it| *it == name)
        .unwrap_or_else(|| panic!("{name} is no JSON type"))
}

pub(crate) fn type_of(value: &Value) -> JsonType {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
