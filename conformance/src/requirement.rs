use std::sync::LazyLock;

use serde::Deserialize;

use crate::level::Level;

/// Who has to show a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// A server behind the HTTP interface.
    Server,
    /// A client library.
    Client,
    /// The command line.
    Cli,
}

/// One statement of the published documentation, or one decision where it is silent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Stable id such as `STR-2` or `A-GAP`; given once and never reused.
    pub id: String,
    /// How firmly it stands.
    pub level: Level,
    /// Who has to show it; never empty.
    pub actors: Vec<Actor>,
    /// The page or pages of a documented row, or `decision`.
    pub source: String,
    /// What it says, in one line.
    pub statement: String,
}

/// Every requirement, in the order of `spec/requirements.toml`.
///
/// ```
/// let resume = checkfu_conformance::requirement("STR-2").unwrap();
/// assert_eq!(resume.level, checkfu_conformance::Level::Documented);
/// ```
pub fn requirements() -> &'static [Requirement] {
    &TABLE
}

/// The requirement with this id, if there is one.
pub fn requirement(id: &str) -> Option<&'static Requirement> {
    TABLE.iter().find(|row| row.id == id)
}

/// The embedded table as text, for a reader outside this crate.
pub const REQUIREMENTS_TOML: &str = include_str!("../spec/requirements.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    requirement: Vec<Requirement>,
}

// The text is compiled in and parsed by a unit test, so a broken table cannot leave the repository.
static TABLE: LazyLock<Vec<Requirement>> = LazyLock::new(|| parse(REQUIREMENTS_TOML).unwrap_or_default());

fn parse(text: &str) -> Result<Vec<Requirement>, toml::de::Error> {
    toml::from_str::<Document>(text).map(|document| document.requirement)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_table_parses_and_every_row_is_whole() {
        let rows = parse(REQUIREMENTS_TOML).unwrap();
        assert!(rows.len() >= 134, "only {} rows", rows.len());
        let ids: HashSet<_> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids.len(), rows.len(), "an id stands twice");
        for row in &rows {
            assert!(
                !row.actors.is_empty() && !row.statement.is_empty() && !row.source.is_empty(),
                "{}",
                row.id
            );
            assert!(!row.statement.contains('\n'), "{}", row.id);
        }
    }

    #[test]
    fn an_unknown_key_is_a_load_error() {
        let text = "[[requirement]]\nid = \"X-1\"\nlevel = \"D\"\nactors = [\"server\"]\nsource = \"s\"\nstatement = \"t\"\nnote = \"n\"\n";
        assert!(parse(text).unwrap_err().to_string().contains("note"));
    }
}
