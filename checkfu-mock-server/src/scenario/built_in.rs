//! The scenarios that every server serves, each under a deployment of its own.

use std::sync::{Arc, LazyLock};

use super::model::Scenario;
use super::parse::parse;

/// One revision of a built-in deployment.
#[derive(Debug, Clone)]
pub(crate) struct BuiltIn {
    /// The digits of its deployment's identifier.
    pub(crate) number: u128,
    pub(crate) revision: u32,
    /// When it was published, in milliseconds since the Unix epoch.
    pub(crate) published: i64,
    pub(crate) yaml: &'static str,
    pub(crate) scenario: Arc<Scenario>,
}

/// All of them, by deployment and revision. A server without a file that parses would have no deployment at all, so a
/// test holds that there is none.
pub(crate) fn all() -> &'static [BuiltIn] {
    static ALL: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| FILES.iter().filter_map(read).collect());
    &ALL
}

/// The file of this name: the latest revision.
#[cfg(test)]
pub(crate) fn named(name: &str) -> Option<&'static BuiltIn> {
    all().iter().rfind(|built_in| built_in.scenario.name == name)
}

struct File {
    number: u128,
    revision: u32,
    yaml: &'static str,
}

const FIRST_PUBLISHED: i64 = 1_788_134_400_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn read(file: &File) -> Option<BuiltIn> {
    let scenario = parse(file.yaml)
        .inspect_err(|error| tracing::error!(%error, number = file.number, "a built-in scenario"))
        .ok()?;
    Some(BuiltIn {
        number: file.number,
        revision: file.revision,
        published: FIRST_PUBLISHED + DAY * i64::from(file.revision - 1),
        yaml: file.yaml,
        scenario: Arc::new(scenario),
    })
}

macro_rules! files {
    ($(($number:literal, $revision:literal) = $name:literal,)+) => {
        const FILES: &[File] = &[$(File {
            number: $number,
            revision: $revision,
            yaml: include_str!(concat!("../../scenarios/", $name, ".yaml")),
        }),+];
    };
}

files! {
    (1, 1) = "plain-1",
    (1, 2) = "plain-2",
    (2, 1) = "previews",
    (3, 1) = "tools",
    (4, 1) = "custom_tool",
    (5, 1) = "approval",
    (6, 1) = "governed_tool",
    (7, 1) = "several_actions",
    (8, 1) = "question",
    (9, 1) = "outcome",
    (10, 1) = "coordinator",
    (11, 1) = "twins",
    (12, 1) = "flaky",
    (13, 1) = "exhausted",
    (14, 1) = "broken",
    (15, 1) = "slow_start",
    (16, 1) = "overtime",
    (17, 1) = "overtime_fails",
    (18, 1) = "reconcile",
    (19, 1) = "budget",
    (20, 1) = "refusal",
    (21, 1) = "parallel",
    (22, 1) = "slow",
    (23, 1) = "waiting_style",
    (24, 1) = "idle_style",
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file is there, is understood, and has a deployment of its own.
    #[test]
    fn every_file_is_a_scenario() {
        assert_eq!(all().len(), FILES.len());
        for built_in in all() {
            assert!(
                !built_in.scenario.description.is_empty(),
                "{}",
                built_in.scenario.name
            );
            let same = |other: &&BuiltIn| other.scenario.name == built_in.scenario.name;
            assert!(
                all()
                    .iter()
                    .filter(same)
                    .all(|other| other.number == built_in.number)
            );
            assert_eq!(named(&built_in.scenario.name).unwrap().number, built_in.number);
        }
    }
}
