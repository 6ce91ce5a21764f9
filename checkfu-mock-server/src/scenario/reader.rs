//! Takes a tree apart, and says line, field and fix where it is not what it should be.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Map, Number, Value};

use super::duration;
use super::error::ScenarioError;
use super::tree::{Key, Tree, TreeValue};

/// A value, with the path that leads to it.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    tree: &'a Tree,
    path: String,
}

/// The members of a map whose names are all known.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    node: Node<'a>,
    members: &'a [(Key, Tree)],
}

impl<'a> Node<'a> {
    pub(crate) fn root(tree: &'a Tree) -> Self {
        Self {
            tree,
            path: String::new(),
        }
    }

    /// What is wrong with this value.
    pub(crate) fn error(&self, problem: impl Into<String>) -> ScenarioError {
        error_at(self.tree.line, self.tree.column, &self.path, problem)
    }

    fn unfit(&self, wanted: &str) -> ScenarioError {
        let found = match &self.tree.value {
            TreeValue::Null => "nothing",
            TreeValue::Flag(_) => "true or false",
            TreeValue::Whole(_) | TreeValue::Fraction(_) => "a number",
            TreeValue::Text(_) => "text",
            TreeValue::List(_) => "a list",
            TreeValue::Map(_) => "a map",
        };
        let quotes = match (&self.tree.value, wanted.starts_with("text")) {
            (TreeValue::Null | TreeValue::Flag(_) | TreeValue::Whole(_) | TreeValue::Fraction(_), true) => {
                "; put it in quotes"
            }
            _ => "",
        };
        self.error(format!("must be {wanted}, not {found}{quotes}"))
    }

    pub(crate) fn is_map(&self) -> bool {
        matches!(self.tree.value, TreeValue::Map(_))
    }

    /// Text of one to so many characters.
    pub(crate) fn text(&self, longest: usize) -> Result<&'a str, ScenarioError> {
        let TreeValue::Text(text) = &self.tree.value else {
            return Err(self.unfit("text"));
        };
        let length = text.chars().count();
        if length == 0 || length > longest {
            return Err(self.error(format!("must have 1 to {longest} characters, not {length}")));
        }
        Ok(text)
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, ScenarioError> {
        let (low, high) = (range.start(), range.end());
        match self.tree.value {
            TreeValue::Whole(number) => u64::try_from(number)
                .ok()
                .filter(|number| range.contains(number))
                .ok_or_else(|| self.error(format!("must be {low} to {high}, not {number}"))),
            _ => Err(self.unfit(&format!("a whole number from {low} to {high}"))),
        }
    }

    /// A small whole number within bounds.
    pub(crate) fn count(&self, range: RangeInclusive<u32>) -> Result<u32, ScenarioError> {
        let number = self.whole(u64::from(*range.start())..=u64::from(*range.end()))?;
        Ok(u32::try_from(number).unwrap_or(*range.end()))
    }

    pub(crate) fn flag(&self) -> Result<bool, ScenarioError> {
        match self.tree.value {
            TreeValue::Flag(flag) => Ok(flag),
            _ => Err(self.unfit("true or false")),
        }
    }

    pub(crate) fn duration(&self) -> Result<Duration, ScenarioError> {
        let wanted = "a duration such as 250ms, 2s, 1m or 1h, at most 24h";
        match &self.tree.value {
            TreeValue::Text(text) => {
                duration::parse(text).ok_or_else(|| self.error(format!("must be {wanted}, not {text:?}")))
            }
            _ => Err(self.unfit(wanted)),
        }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, ScenarioError> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let wanted = format!("one of {}", names.join(", "));
        let TreeValue::Text(text) = &self.tree.value else {
            return Err(self.unfit(&wanted));
        };
        choices
            .iter()
            .find(|(name, _)| name == text)
            .map(|(_, choice)| *choice)
            .ok_or_else(|| self.error(format!("must be {wanted}, not {text:?}")))
    }

    /// The items of a list of one to so many.
    pub(crate) fn list(&self, longest: usize) -> Result<Vec<Node<'a>>, ScenarioError> {
        let TreeValue::List(items) = &self.tree.value else {
            return Err(self.unfit("a list"));
        };
        if items.is_empty() || items.len() > longest {
            return Err(self.error(format!("must have 1 to {longest} items, not {}", items.len())));
        }
        let nodes = items.iter().enumerate().map(|(index, tree)| Node {
            tree,
            path: format!("{}[{index}]", self.path),
        });
        Ok(nodes.collect())
    }

    /// The members of a map of one to so many, whatever their names.
    pub(crate) fn members(&self, most: usize) -> Result<Vec<(&'a str, Node<'a>)>, ScenarioError> {
        let TreeValue::Map(members) = &self.tree.value else {
            return Err(self.unfit("a map"));
        };
        if members.is_empty() || members.len() > most {
            return Err(self.error(format!("must have 1 to {most} members, not {}", members.len())));
        }
        let nodes = members
            .iter()
            .map(|(key, tree)| (key.name.as_str(), self.below(&key.name, tree)));
        Ok(nodes.collect())
    }

    /// The members of a map that may have these names and no other.
    pub(crate) fn fields(&self, known: &[&str]) -> Result<Fields<'a>, ScenarioError> {
        let TreeValue::Map(members) = &self.tree.value else {
            return Err(self.unfit(&format!("a map with {}", known.join(", "))));
        };
        let unknown = members
            .iter()
            .find(|(key, _)| !known.contains(&key.name.as_str()));
        if let Some((key, _)) = unknown {
            let problem = format!("unknown; {} may be here", known.join(", "));
            return Err(error_at(
                key.line,
                key.column,
                &join(&self.path, &key.name),
                problem,
            ));
        }
        Ok(Fields {
            node: self.clone(),
            members,
        })
    }

    /// The value as JSON.
    pub(crate) fn json(&self) -> Result<Value, ScenarioError> {
        Ok(match &self.tree.value {
            TreeValue::Null => Value::Null,
            TreeValue::Flag(flag) => Value::Bool(*flag),
            TreeValue::Whole(number) => Value::from(*number),
            TreeValue::Fraction(number) => Number::from_f64(*number)
                .map(Value::Number)
                .ok_or_else(|| self.error("must be a number that JSON can write; put it in quotes"))?,
            TreeValue::Text(text) => Value::String(text.clone()),
            TreeValue::List(items) => {
                let items = items.iter().enumerate().map(|(index, tree)| {
                    let path = format!("{}[{index}]", self.path);
                    Node { tree, path }.json()
                });
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            TreeValue::Map(_) => Value::Object(self.object()?),
        })
    }

    /// The value as a JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, ScenarioError> {
        let TreeValue::Map(members) = &self.tree.value else {
            return Err(self.unfit("a map"));
        };
        members
            .iter()
            .map(|(key, tree)| Ok((key.name.clone(), self.below(&key.name, tree).json()?)))
            .collect()
    }

    fn below(&self, name: &str, tree: &'a Tree) -> Node<'a> {
        Node {
            tree,
            path: join(&self.path, name),
        }
    }
}

impl<'a> Fields<'a> {
    /// The member, if it is there.
    pub(crate) fn optional(&self, name: &str) -> Option<Node<'a>> {
        self.members
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(_, tree)| self.node.below(name, tree))
    }

    /// The member, which has to be there.
    pub(crate) fn required(&self, name: &str) -> Result<Node<'a>, ScenarioError> {
        self.optional(name)
            .ok_or_else(|| self.node.error(format!("{name} is missing; add it")))
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn error_at(line: u64, column: u64, path: &str, problem: impl Into<String>) -> ScenarioError {
    ScenarioError {
        line,
        column,
        field: path.to_owned(),
        problem: problem.into(),
    }
}
