use super::*;
use crate::{
    level::Level,
    trace::sentence::{Claim, Kind},
};

const PAGE: &str = "# Tides\n\nWater rises. Water falls.\n\n* The moon pulls.\n\n| When | What |\n| - | - |\n| six | low |\n\n```\ntide --now\n```\n";

/// Rows as they would have been written for a page.
fn rows(page: &str) -> Vec<Sentence> {
    passages(page)
        .iter()
        .enumerate()
        .map(|(place, passage)| Sentence {
            id: format!("S-tides-{:03}", place + 1),
            page: "tides".to_owned(),
            hash: passage.hash(),
            kind: Kind::Normative,
            level: Level::Documented,
            actor: None,
            paraphrase: format!("row {}", place + 1),
            claim: Claim::Pending("a sea".to_owned()),
            shown_by: None,
        })
        .collect()
}

fn found(rows: &[Sentence], page: &str) -> Vec<String> {
    let rows: Vec<&Sentence> = rows.iter().collect();
    compare("tides", &rows, passages(page))
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn assert_found(rows: &[Sentence], page: &str, expected: &[&str]) {
    let found = found(rows, page);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        let (head, tail) = expected.split_once(" … ").unwrap_or((expected, ""));
        assert!(
            found.starts_with(head) && found.ends_with(tail),
            "{found:?} is not {expected:?}"
        );
    }
}

#[test]
fn a_page_as_it_was_has_no_drift() {
    assert_eq!(rows(PAGE).len(), 7);
    assert_found(&rows(PAGE), PAGE, &[]);
    assert_found(&rows(PAGE), &PAGE.replace("rises. Water", "rises.\n  Water"), &[]);
}

#[test]
fn a_changed_sentence_is_named_with_its_row_and_its_new_text() {
    let page = PAGE.replace("Water falls", "Water sinks").replace("six", "seven");
    let expected = [
        "changed S-tides-003: … (sentence) Water sinks.",
        "changed S-tides-006: … (row) seven | low",
    ];
    assert_found(&rows(PAGE), &page, &expected);
}

#[test]
fn a_sentence_that_is_gone_and_one_that_came_are_told_apart() {
    assert_found(
        &rows(PAGE),
        &PAGE.replace("Water rises. ", "").replace("# Tides\n", ""),
        &["missing S-tides-001: row 1", "missing S-tides-002: row 2"],
    );
    assert_found(
        &rows(PAGE),
        &PAGE
            .replace("Tides", "Ebb")
            .replace("pulls.", "pulls. So does the sun."),
        &[
            "changed S-tides-001: … (heading) Ebb",
            "new behind S-tides-004: … (sentence) So does the sun.",
        ],
    );
    assert_found(
        &rows(PAGE),
        &format!("First.\n\n{PAGE}\nLast.\n"),
        &[
            "new at the start of tides: … (sentence) First.",
            "new behind S-tides-007: … (sentence) Last.",
        ],
    );
    assert_found(
        &rows(PAGE)[..6],
        PAGE,
        &["new behind S-tides-006: … (code) tide --now"],
    );
    assert_found(
        &rows("A. B."),
        "",
        &["missing S-tides-001: row 1", "missing S-tides-002: row 2"],
    );
    assert_found(&[], "A.", &["new at the start of tides: … (sentence) A."]);
}

#[test]
fn sentences_that_changed_places_are_drift() {
    let page = PAGE.replace("Water rises. Water falls.", "Water falls. Water rises.");
    let found = found(&rows(PAGE), &page);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_hash_of_a_row_decides_and_not_its_place() {
    let mut rows = rows(PAGE);
    rows[4].hash = "0".repeat(16);
    assert_found(&rows, PAGE, &["changed S-tides-005: … (row) When | What"]);
}

/// Applied to the rows, what was found gives the page: nothing is told wrongly and nothing is left out.
#[test]
fn what_is_found_turns_the_rows_into_the_page() {
    let seed = getrandom::u64().unwrap();
    let mut state = seed;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..500 {
        let mut page = || -> String {
            let length = draw(8);
            (0..length)
                .map(|_| ["A. ", "B. ", "C. ", "D. "][draw(4)])
                .collect()
        };
        let (old, new) = (page(), page());
        let rows = rows(&old);
        let by_reference: Vec<&Sentence> = rows.iter().collect();
        let mut left: Vec<(String, String)> = rows
            .iter()
            .map(|row| (row.id.clone(), row.hash.clone()))
            .collect();
        let (mut behind_id, mut added) = (None, 0);
        for drift in compare("tides", &by_reference, passages(&new)) {
            match drift {
                Drift::Changed { id, now } => {
                    let place = left.iter().position(|(found, _)| *found == id).unwrap();
                    left[place].1 = now.hash();
                }
                Drift::Missing { id, .. } => left.retain(|(found, _)| *found != id),
                Drift::New { behind, now, .. } => {
                    added = if behind == behind_id { added + 1 } else { 1 };
                    let base = behind.as_ref().map_or(0, |id| {
                        left.iter().position(|(found, _)| found == id).unwrap() + 1
                    });
                    left.insert(base + added - 1, (String::new(), now.hash()));
                    behind_id = behind;
                }
            }
        }
        let expected: Vec<String> = passages(&new).iter().map(Passage::hash).collect();
        let found: Vec<String> = left.into_iter().map(|(_, hash)| hash).collect();
        assert_eq!(found, expected, "seed {seed}: {old:?} to {new:?}");
    }
}
