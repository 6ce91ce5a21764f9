//! YAML as a tree that remembers where everything stands.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy, Options, Spanned, from_str_with_options};

use super::error::ScenarioError;

/// The largest file that is read, in bytes.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

/// How deep values may nest, and how many there may be.
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 50_000;

/// One value and its place, counted from 1.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) value: TreeValue,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum TreeValue {
    Null,
    Flag(bool),
    Whole(i64),
    Fraction(f64),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(Key, Tree)>),
}

/// The name of a member and its place.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) name: String,
}

/// Reads one document.
///
/// # Errors
///
/// No YAML, more than one document, a key twice, anchors or aliases, or more than the limits allow.
pub(crate) fn read(yaml: &str) -> Result<Tree, ScenarioError> {
    if yaml.len() > MAX_BYTES {
        return Err(whole_file(format!(
            "the file has {} bytes; at most {MAX_BYTES} are read",
            yaml.len()
        )));
    }
    from_str_with_options(yaml, options()).map_err(|error| {
        let place = error.location();
        ScenarioError {
            line: place.map_or(0, |place| place.line()),
            column: place.map_or(0, |place| place.column()),
            field: String::new(),
            problem: explain(&error),
        }
    })
}

fn whole_file(problem: String) -> ScenarioError {
    ScenarioError {
        line: 0,
        column: 0,
        field: String::new(),
        problem,
    }
}

fn options() -> Options {
    let budget = serde_saphyr::budget! {
        max_depth: MAX_DEPTH,
        max_nodes: MAX_NODES,
        max_events: 4 * MAX_NODES,
        max_anchors: 0,
        max_aliases: 0,
    };
    serde_saphyr::options! {
        budget: budget,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
    }
}

/// What the parser said, with the fix where it is not plain.
fn explain(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    match error.without_snippet() {
        Error::DuplicateMappingKey { key, .. } => match key {
            Some(key) => format!("the key {key} stands here twice; remove one of them"),
            None => "a key stands here twice; remove one of them".to_owned(),
        },
        Error::Budget {
            breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. },
            ..
        } => "a scenario has no anchors and no aliases; write it out wherever it is used".to_owned(),
        Error::Budget { .. } => format!(
            "the file is larger or deeper than a scenario may be: at most {MAX_DEPTH} levels and {MAX_NODES} values"
        ),
        Error::MultipleDocuments { .. } => {
            "a file holds one scenario; remove what follows the first".to_owned()
        }
        other => {
            let text = other.to_string();
            // The place is told beside the text.
            text.rsplit_once(" at line ")
                .map_or(text.as_str(), |(problem, _)| problem)
                .to_owned()
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<TreeValue>::deserialize(deserializer)?;
        Ok(Self {
            line: spanned.referenced.line(),
            column: spanned.referenced.column(),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        Ok(Self {
            line: spanned.referenced.line(),
            column: spanned.referenced.column(),
            name: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for TreeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

#[derive(Debug)]
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = TreeValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Null)
    }

    fn visit_none<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<TreeValue, E> {
        Ok(TreeValue::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<TreeValue, E> {
        Ok(TreeValue::Whole(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<TreeValue, E> {
        i64::try_from(number)
            .map(TreeValue::Whole)
            .map_err(|_| E::custom("the number is too large; write it in quotes if it is text"))
    }

    fn visit_f64<E>(self, number: f64) -> Result<TreeValue, E> {
        Ok(TreeValue::Fraction(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<TreeValue, E> {
        Ok(TreeValue::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TreeValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(TreeValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<TreeValue, A::Error> {
        let mut map = Vec::new();
        while let Some(member) = members.next_entry()? {
            map.push(member);
        }
        Ok(TreeValue::Map(map))
    }
}
