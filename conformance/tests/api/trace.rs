//! What the committed tables say of the published pages, and the command that compares them.

use std::{collections::HashMap, path::Path, process::Output};

use checkfu_conformance::{
    Level, check, checks, requirement,
    trace::{State, coverage, pages, resolve, sentences},
};

use serde_json::Value;

use crate::command::{command, text};

const COVERAGE: &str = include_str!("../../COVERAGE.md");

#[test]
fn the_committed_coverage_is_the_generated_one() {
    let generated = coverage();
    let differing = generated
        .lines()
        .zip(COVERAGE.lines())
        .find(|(new, old)| new != old);
    assert!(
        generated == COVERAGE,
        "COVERAGE.md is stale, first at {differing:?}: run `cargo run -p checkfu-conformance -- trace --write conformance/COVERAGE.md`"
    );
}

/// From the sentence over the check to the broken servers, in the committed matrix: nothing is called proven that was
/// never shown to fail, and what is documented by two of them at least.
#[test]
fn every_check_behind_a_sentence_is_killed_by_broken_servers() {
    let matrix: Value = serde_json::from_str(include_str!("../../KILL-MATRIX.json")).unwrap();
    let killers: HashMap<&str, usize> = matrix["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| {
            (
                check["id"].as_str().unwrap(),
                check["kills"].as_array().unwrap().len(),
            )
        })
        .collect();
    let mut judged = 0;
    for row in sentences() {
        let resolution = resolve(row);
        let is_judged = matches!(resolution.state, State::Proven | State::Covered);
        assert!(
            !is_judged || !resolution.checks.is_empty(),
            "{} has no check",
            row.id
        );
        for id in resolution.checks {
            let documented = check(id).unwrap().requirements().iter().any(|id| {
                let row = requirement(id).unwrap();
                row.level == Level::Documented
            });
            let wanted = if documented { 2 } else { 1 };
            assert!(
                killers.get(id).is_some_and(|count| *count >= wanted),
                "{} rests on {id}, which too little kills",
                row.id
            );
        }
        judged += usize::from(is_judged);
    }
    assert!(judged > 0 && checks().count() > 0, "no sentence is judged");
}

/// The kind of fault that once hid that nothing held a server to the largest page (LST-1): a check of what the reference
/// picks stands behind no sentence that is called proven, as it fails no run of the default profile.
#[test]
fn no_documented_sentence_is_proven_by_what_the_reference_picks() {
    let mut proven = 0;
    for row in sentences().iter().filter(|row| row.level == Level::Documented) {
        let resolution = resolve(row);
        if resolution.state != State::Proven {
            continue;
        }
        for id in resolution.checks {
            let level = check(id).unwrap().level();
            assert!(level < Level::Assumed, "{} rests on {id}", row.id);
        }
        proven += 1;
    }
    assert!(proven > 0, "no sentence is proven");
}

#[tokio::test]
async fn the_summary_counts_every_sentence_once_and_lists_what_is_pending() {
    let output = suite(&["trace"]).await;
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    let sum: Vec<usize> = shown
        .lines()
        .find_map(|line| line.strip_prefix("all "))
        .unwrap()
        .split_whitespace()
        .map(|count| count.parse().unwrap())
        .collect();
    assert_eq!(sum[0], sentences().len());
    assert_eq!(sum[1..].iter().sum::<usize>(), sum[0], "{sum:?}");
    for row in sentences() {
        let is_pending = resolve(row).state == State::Pending;
        let head = format!("\npending {} (", row.id);
        assert_eq!(shown.contains(&head), is_pending, "{}", row.id);
    }
}

#[tokio::test]
async fn pages_that_differ_exit_1_and_the_differences_are_listed() {
    let directory = pages_with(&["Nothing of it.", "", ""]);
    let output = suite(&["trace", "--docs", path(directory.path())]).await;
    let (shown, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{shown}{errors}");
    let [first, second, _] = pages()[..] else {
        panic!("{:?}", pages())
    };
    assert!(shown.contains(&format!("changed S-{first}-001: ")), "{shown}");
    assert!(shown.contains("(sentence) Nothing of it."), "{shown}");
    assert!(shown.contains(&format!("missing S-{second}-001: ")), "{shown}");
    assert_eq!(shown.lines().count(), sentences().len());
    assert!(
        errors.contains(&format!("differences: {};", sentences().len())),
        "{errors}"
    );
}

#[tokio::test]
async fn what_cannot_be_compared_or_written_exits_2_and_names_the_file() {
    let first = format!("{}.txt", pages()[0]);
    let empty = tempfile::tempdir().unwrap();
    let endless = pages_with(&[&"a. ".repeat(200_000), "", ""]);
    let binary = pages_with(&["", "", ""]);
    std::fs::write(binary.path().join(&first), [0xff, 0xfe]).unwrap();
    for directory in [&empty, &endless, &binary] {
        let output = suite(&["trace", "--docs", path(directory.path())]).await;
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(&first), "{}", text(&output.stderr));
    }
    for (flags, part) in [
        (&["--write", "/nowhere/COVERAGE.md"][..], "/nowhere/COVERAGE.md"),
        (&["--write", "a", "--docs", "b"], "--docs"),
        (&["--pages", "b"], "--pages"),
    ] {
        let output = suite(&[&["trace"][..], flags].concat()).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(
            text(&output.stderr).contains(part),
            "{flags:?}: {}",
            text(&output.stderr)
        );
    }
}

#[tokio::test]
async fn the_coverage_is_written_where_it_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("COVERAGE.md");
    let output = suite(&["trace", "--write", path(&file)]).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        std::fs::read_to_string(file).unwrap() == coverage(),
        "the file is not the table"
    );
}

fn pages_with(texts: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (page, text) in pages().iter().zip(texts) {
        std::fs::write(directory.path().join(format!("{page}.txt")), text).unwrap();
    }
    directory
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

async fn suite(arguments: &[&str]) -> Output {
    command(arguments).output().await.unwrap()
}
