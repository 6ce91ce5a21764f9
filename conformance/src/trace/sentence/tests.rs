use std::collections::HashSet;

use super::*;
use crate::{
    checks::{check, checks},
    requirement::requirements,
};

/// The rows that name a requirement.
fn naming(id: &str) -> impl Iterator<Item = &'static Sentence> {
    sentences().iter().filter(move |row| row.named().contains(&id))
}

#[test]
fn the_table_parses_and_every_row_is_whole() {
    let rows = parse(SENTENCES_TOML).unwrap();
    let mut ids = HashSet::new();
    for row in &rows {
        let id = &row.id;
        let number = id.strip_prefix(&format!("S-{}-", row.page));
        let is_number =
            |number: &str| number.len() == 3 && number.chars().all(|digit| digit.is_ascii_digit());
        assert!(number.is_some_and(is_number), "{id} on {}", row.page);
        assert!(ids.insert(id), "{id} stands twice");
        let is_digit = |digit: char| digit.is_ascii_digit() || ('a'..='f').contains(&digit);
        assert!(
            row.hash.len() == 16 && row.hash.chars().all(is_digit),
            "{id}: {}",
            row.hash
        );
        assert!(is_a_line(&row.paraphrase), "{id}");
        match &row.claim {
            Claim::Requirements(ids) => assert!(!ids.is_empty(), "{id}"),
            Claim::Excluded(text) | Claim::Pending(text) => {
                assert!(is_a_line(text), "{id}");
                assert!(
                    row.actor.is_none(),
                    "{id}: an actor narrows requirements, and it has none"
                );
            }
        }
    }
}

fn is_a_line(text: &str) -> bool {
    (3..=180).contains(&text.chars().count()) && !text.contains('\n')
}

#[test]
fn the_rows_of_a_page_stand_together() {
    let pages = pages();
    let distinct: HashSet<_> = pages.iter().collect();
    assert_eq!(distinct.len(), pages.len(), "{pages:?}");
    assert!(pages.len() >= 3, "{pages:?}");
}

#[test]
fn every_requirement_that_a_row_names_exists_and_is_its_actors() {
    for row in sentences() {
        let Claim::Requirements(ids) = &row.claim else {
            continue;
        };
        let mut firmest = Level::Assumed;
        for (place, id) in ids.iter().enumerate() {
            let named =
                requirement(id).unwrap_or_else(|| panic!("{} names {id}, which is no requirement", row.id));
            assert!(!ids[..place].contains(id), "{} names {id} twice", row.id);
            assert!(
                row.actor.is_none_or(|actor| named.actors.contains(&actor)),
                "{}: {id} is not its actor's",
                row.id
            );
            firmest = firmest.min(named.level);
        }
        assert_eq!(row.level, firmest, "{}: the level of its requirements", row.id);
    }
}

/// A statement that is called documented stands in a sentence of each page it is said to come from.
#[test]
fn every_documented_requirement_has_a_sentence_on_each_of_its_pages() {
    let mut absent = Vec::new();
    for row in requirements().iter().filter(|row| row.source != "decision") {
        for page in row.source.split(", ") {
            if !naming(&row.id).any(|sentence| sentence.page == page) {
                absent.push(format!("{} on {page}", row.id));
            }
        }
    }
    assert!(absent.is_empty(), "no sentence has {absent:?}");
}

/// What a check holds against a server is in a sentence, or it judges decisions and nothing else.
#[test]
fn every_check_is_reached_from_a_sentence_or_judges_decisions_alone() {
    for check in checks() {
        let reached = check.requirements().iter().any(|id| naming(id).next().is_some());
        let decisions = check
            .requirements()
            .iter()
            .all(|id| requirement(id).is_some_and(|row| row.source == "decision"));
        assert!(reached || decisions, "{} is in no sentence", check.id());
    }
}

#[test]
fn only_a_promise_or_demand_waits_and_says_of_which_requirement_it_is_a_part() {
    for row in sentences() {
        let waits = matches!(row.claim, Claim::Pending(_));
        assert!(
            !waits || !row.named().is_empty(),
            "{} is pending and names no requirement",
            row.id
        );
        assert!(
            !waits || row.kind == Kind::Normative,
            "{} is pending and promises nothing",
            row.id
        );
    }
    assert!(sentences().iter().any(|row| row.kind == Kind::Normative));
}

#[test]
fn the_checks_that_a_row_names_judge_its_requirements_and_leave_none_out() {
    for row in sentences() {
        let (Claim::Requirements(ids), Some(shown_by)) = (&row.claim, &row.shown_by) else {
            continue;
        };
        for (place, name) in shown_by.iter().enumerate() {
            let named = check(name).unwrap_or_else(|| panic!("{} names {name}, which is no check", row.id));
            assert!(!shown_by[..place].contains(name), "{} names {name} twice", row.id);
            let judges = named
                .requirements()
                .iter()
                .any(|id| ids.iter().any(|own| own == id));
            assert!(judges, "{}: {name} judges nothing of it", row.id);
        }
        let is_a_servers =
            |id: &&String| requirement(id).is_some_and(|row| row.actors.contains(&Actor::Server));
        for id in ids.iter().filter(is_a_servers) {
            let judged = shown_by
                .iter()
                .filter_map(|name| check(name))
                .any(|check| check.requirements().contains(&id.as_str()));
            assert!(judged, "{} leaves {id} to no check", row.id);
        }
    }
}

#[test]
fn a_row_with_no_claim_with_two_or_with_an_unknown_key_is_a_load_error() {
    let row = |claim: &str| {
        parse(&format!(
            "[[sentence]]\nid = \"S-a-001\"\npage = \"a\"\nhash = \"0\"\nkind = \"normative\"\nlevel = \"D\"\nparaphrase = \"p\"\n{claim}\n"
        ))
    };
    for one in [
        "requirements = [\"X-1\"]",
        "excluded = \"r\"",
        "pending = \"m\"",
        "actor = \"client\"\npending = \"m\"",
    ] {
        assert_eq!(row(one).map(|rows| rows.len()).unwrap(), 1, "{one}");
    }
    for (claim, part) in [
        ("", "S-a-001 is not exactly one"),
        ("excluded = \"r\"\npending = \"m\"", "S-a-001 is not exactly one"),
        (
            "requirements = []\nexcluded = \"r\"",
            "S-a-001 is not exactly one",
        ),
        (
            "pending = \"m\"\nshown_by = [\"srv.a.b\"]",
            "S-a-001 has shown_by",
        ),
        ("pending = \"m\"\nnote = \"n\"", "note"),
        ("pending = \"m\"\nactor = \"robot\"", "robot"),
    ] {
        let error = row(claim).unwrap_err().to_string();
        assert!(error.contains(part), "{claim:?}: {error}");
    }
}
