use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    level::Level,
    requirement::{Actor, requirement},
};

/// One sentence of a published page: where it stands, what it says in our words, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Row")]
pub struct Sentence {
    /// `S-<page>-<nnn>`; given once and never reused. A sentence that joins a page gets the page's next number.
    pub id: String,
    /// The page, by the name of its file.
    pub page: String,
    /// The first 16 hexadecimal digits of the SHA-256 of the sentence as the page has it.
    pub hash: String,
    /// What it is there for.
    pub kind: Kind,
    /// How firmly it stands; that of the firmest requirement if it has any.
    pub level: Level,
    /// Whom alone it speaks of, where its requirements speak of others too.
    pub actor: Option<Actor>,
    /// What it says or is, in our words, in one line.
    pub paraphrase: String,
    /// What became of it.
    pub claim: Claim,
    /// The checks that show what it says, where its requirements say more than it does; none means all that name them.
    pub shown_by: Option<Vec<String>>,
}

impl Sentence {
    /// The ids of the requirements that it names, be it as its claim or in a written reason.
    pub fn named(&self) -> Vec<&str> {
        match &self.claim {
            Claim::Requirements(ids) => ids.iter().map(String::as_str).collect(),
            Claim::Excluded(text) | Claim::Pending(text) => text
                .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
                .filter(|word| requirement(word).is_some())
                .collect(),
        }
    }
}

/// What a sentence is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It promises or demands something.
    Normative,
    /// It explains, leads in or points elsewhere.
    Informative,
    /// It shows something by an example.
    Example,
}

/// What became of a sentence; exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// It is part of these requirements, by id. Their checks decide whether it is judged.
    Requirements(Vec<String>),
    /// Nothing of it can be held against an implementation, for this reason.
    Excluded(String),
    /// It could be judged, and this is missing.
    Pending(String),
}

/// Every sentence of the pages, page by page, in the order of the page.
///
/// ```
/// use checkfu_conformance::trace::{pages, sentences};
///
/// let first = &sentences()[0];
/// assert_eq!(first.page, pages()[0]);
/// assert_eq!(first.id, format!("S-{}-001", first.page));
/// ```
pub fn sentences() -> &'static [Sentence] {
    &TABLE
}

/// The pages, by the names of their files.
pub fn pages() -> Vec<&'static str> {
    let mut pages: Vec<&str> = sentences().iter().map(|row| row.page.as_str()).collect();
    pages.dedup();
    pages
}

/// The embedded table as text, for a reader outside this crate.
pub const SENTENCES_TOML: &str = include_str!("../../spec/sentences.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    sentence: Vec<Sentence>,
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    page: String,
    hash: String,
    kind: Kind,
    level: Level,
    actor: Option<Actor>,
    paraphrase: String,
    requirements: Option<Vec<String>>,
    excluded: Option<String>,
    pending: Option<String>,
    shown_by: Option<Vec<String>>,
}

#[derive(Debug, thiserror::Error)]
enum BadClaim {
    #[error("{0} is not exactly one of requirements, excluded and pending")]
    NotOne(String),
    #[error("{0} has shown_by, which tells the checks of requirements, and has none")]
    ShownWithoutRequirements(String),
}

impl TryFrom<Row> for Sentence {
    type Error = BadClaim;

    fn try_from(row: Row) -> Result<Self, BadClaim> {
        let claim = match (row.requirements, row.excluded, row.pending) {
            (Some(ids), None, None) => Claim::Requirements(ids),
            (None, Some(reason), None) => Claim::Excluded(reason),
            (None, None, Some(missing)) => Claim::Pending(missing),
            _ => return Err(BadClaim::NotOne(row.id)),
        };
        if row.shown_by.is_some() && !matches!(claim, Claim::Requirements(_)) {
            return Err(BadClaim::ShownWithoutRequirements(row.id));
        }
        Ok(Self {
            id: row.id,
            page: row.page,
            hash: row.hash,
            kind: row.kind,
            level: row.level,
            actor: row.actor,
            paraphrase: row.paraphrase,
            claim,
            shown_by: row.shown_by,
        })
    }
}

// The text is compiled in and parsed by a unit test, so a broken table cannot leave the repository.
static TABLE: LazyLock<Vec<Sentence>> = LazyLock::new(|| parse(SENTENCES_TOML).unwrap_or_default());

fn parse(text: &str) -> Result<Vec<Sentence>, toml::de::Error> {
    toml::from_str::<Document>(text).map(|document| document.sentence)
}

#[cfg(test)]
mod tests;
