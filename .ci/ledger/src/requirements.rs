//! The list of requirements, as data.

use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;

use crate::{failure::Failure, ids};

/// Where the list lies in the repository.
pub(crate) const PATH: &str = "conformance/spec/requirements.toml";

/// All requirements, in the order of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Requirements {
    #[serde(rename = "requirement")]
    rows: Vec<Requirement>,
}

/// One statement and who must show it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Requirement {
    pub(crate) id: String,
    pub(crate) level: String,
    pub(crate) actors: Vec<Actor>,
    pub(crate) statement: String,
    #[serde(default, rename = "source")]
    _source: Option<toml::Value>,
}

/// Who must show a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Actor {
    /// The reference server.
    Server,
    /// The SDK.
    Client,
    /// The command line.
    Cli,
}

impl Requirements {
    /// Reads the list and checks that ids are unique.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|source| Failure::io(path, source))?;
        let requirements: Self = toml::from_str(&text).map_err(|error| Failure::malformed(path, error))?;
        let mut seen = BTreeSet::new();
        for row in &requirements.rows {
            if !seen.insert(&row.id) {
                return Err(Failure::malformed(path, format!("{} stands twice", row.id)));
            }
            if row.actors.is_empty() {
                return Err(Failure::malformed(path, format!("{} has no actor", row.id)));
            }
        }
        Ok(requirements)
    }

    pub(crate) fn rows(&self) -> &[Requirement] {
        &self.rows
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.rows.iter().any(|row| row.id == id)
    }

    /// Whether an id with this prefix could be meant as a requirement.
    pub(crate) fn knows_prefix(&self, id: &str) -> bool {
        self.rows
            .iter()
            .any(|row| ids::prefix(&row.id) == ids::prefix(id))
    }
}
