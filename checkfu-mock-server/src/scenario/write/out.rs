//! Values in the order in which they are written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Out {
    Json(Value),
    List(Vec<Out>),
    Map(Map),
}

/// Members in order; those that hold nothing are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Map(Vec<(String, Out)>);

impl Out {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Json(Value::String(text.into()))
    }

    /// A map of one member.
    pub(super) fn only(name: &str, value: Out) -> Self {
        Self::Map(Map(vec![(name.to_owned(), value)]))
    }

    pub(super) fn to_yaml(&self) -> String {
        // Texts, numbers, lists and maps with text as keys: there is nothing that YAML could not write.
        serde_saphyr::to_string(self).unwrap_or_default()
    }
}

impl Map {
    /// A JSON object's members.
    pub(super) fn of_json(object: &serde_json::Map<String, Value>) -> Self {
        let members = object
            .iter()
            .map(|(name, value)| (name.clone(), Out::Json(value.clone())));
        Self(members.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn put(&mut self, name: &str, value: Out) {
        self.0.push((name.to_owned(), value));
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.put(name, Out::text(text));
    }

    pub(super) fn number(&mut self, name: &str, number: u64) {
        self.put(name, Out::Json(Value::from(number)));
    }

    pub(super) fn flag(&mut self, name: &str, flag: bool) {
        self.put(name, Out::Json(Value::Bool(flag)));
    }

    /// A map, unless it is empty.
    pub(super) fn map(&mut self, name: &str, map: Map) {
        if !map.is_empty() {
            self.put(name, Out::Map(map));
        }
    }
}

impl Serialize for Out {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
