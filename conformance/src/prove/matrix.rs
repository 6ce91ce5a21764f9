//! Which broken server each check was shown to fail on, as committed files.

mod json;
mod markdown;

use std::{fs, io, path::Path};

use super::{equivalents::EQUIVALENTS, instrumented::EXCLUDED, kill::Kill, kills::kills, null::Score};
use crate::{
    check::Check,
    checks::checks,
    requirement::{Actor, requirements},
};

/// What a proof shows, without anything that another run of it would say differently.
#[derive(Debug, Clone)]
pub struct Matrix {
    kills: Vec<Kill>,
    scores: Vec<Score>,
}

/// A file of the matrix that is not what the proof says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{file} is not what the proof says, first in line {line}: run `cargo run -p checkfu-conformance -- prove --write {directory}` and commit it"
)]
pub struct Stale {
    file: String,
    directory: String,
    line: usize,
}

impl Matrix {
    /// The matrix of a proof with these scores of null servers.
    pub fn new(scores: &[Score]) -> Self {
        Self {
            kills: kills(),
            scores: scores.to_vec(),
        }
    }

    /// Its files, by name.
    pub fn files(&self) -> [(&'static str, String); 2] {
        [
            ("KILL-MATRIX.md", markdown::markdown(self)),
            ("KILL-MATRIX.json", json::json(self)),
        ]
    }

    /// Writes them.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        for (name, text) in self.files() {
            fs::write(directory.join(name), text)?;
        }
        Ok(())
    }

    /// Compares them with what is there; a file that is missing is stale.
    ///
    /// # Errors
    /// [`Stale`] for the first file that differs.
    pub fn compare(&self, directory: &Path) -> Result<(), Stale> {
        for (name, text) in self.files() {
            let there = fs::read_to_string(directory.join(name)).unwrap_or_default();
            if there != text {
                let same = there
                    .lines()
                    .zip(text.lines())
                    .take_while(|(old, new)| old == new);
                return Err(Stale {
                    file: directory.join(name).display().to_string(),
                    directory: directory.display().to_string(),
                    line: same.count() + 1,
                });
            }
        }
        Ok(())
    }

    fn kills_of(&self, check: &str) -> impl Iterator<Item = &Kill> {
        self.kills.iter().filter(move |kill| kill.check == check)
    }
}

/// Every check with its place in the table of its level, by id.
fn sorted_checks() -> Vec<&'static Check> {
    let mut all: Vec<_> = checks().collect();
    all.sort_by_key(|check| check.id());
    all
}

/// Every requirement of a server with the checks that name it, in the order of the table.
fn judged_requirements() -> Vec<(&'static str, char, Vec<&'static str>)> {
    let servers = requirements()
        .iter()
        .filter(|row| row.actors.contains(&Actor::Server));
    let judged = servers.map(|row| {
        let mut judges: Vec<_> = checks()
            .filter(|check| check.requirements().contains(&row.id.as_str()))
            .map(Check::id)
            .collect();
        judges.sort_unstable();
        (row.id.as_str(), row.level.letter(), judges)
    });
    judged.filter(|(_, _, judges)| !judges.is_empty()).collect()
}
