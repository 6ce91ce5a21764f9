use std::{collections::BTreeSet, path::Path};

use super::check;
use crate::model::{
    anomaly::{ANOMALIES, Property},
    history::History,
};

fn forged(name: &str, kind: &str) -> History {
    let path = format!(
        "{}/tests/histories/{name}.{kind}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    History::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_anomaly_is_found_where_it_is_and_alone() {
    for anomaly in ANOMALIES {
        let history = forged(anomaly.name, "must");
        let judgement = check(&history);
        let found: BTreeSet<&str> = judgement.findings.iter().map(|finding| finding.anomaly).collect();
        assert_eq!(found, BTreeSet::from([anomaly.name]), "{judgement:#?}");
        for finding in &judgement.findings {
            assert!(
                !finding.operations.is_empty() && !finding.lines.is_empty(),
                "{finding:?}"
            );
            assert!(
                finding
                    .lines
                    .iter()
                    .all(|line| *line <= history.lines().len() + 1),
                "{finding:?}"
            );
            assert_ne!(finding.expected, finding.actual, "{finding:?}");
        }
    }
}

#[test]
fn no_anomaly_is_found_where_it_only_seems_to_be() {
    for anomaly in ANOMALIES {
        let judgement = check(&forged(anomaly.name, "must-not"));
        assert_eq!(judgement.findings, [], "{}", anomaly.name);
    }
}

#[test]
fn every_forged_history_belongs_to_an_anomaly() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
    let files = std::fs::read_dir(directory).unwrap();
    let files: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let named = ANOMALIES
        .iter()
        .flat_map(|anomaly| ["must", "must-not"].map(|kind| format!("{}.{kind}.jsonl", anomaly.name)));
    assert_eq!(files, named.collect());
}

/// A property passes only by what was seen: a history of nothing decides nothing.
#[test]
fn an_empty_history_decides_nothing() {
    let history = forged("nonmonotonic", "must-not");
    let empty = History::new(history.header().clone(), Vec::new()).unwrap();
    assert!(check(&empty).decided.is_empty());
    let decided = check(&history).decided;
    assert_eq!(decided.get(&Property::Monotone), Some(&2));
    assert_eq!(decided.get(&Property::Fork), None);
}
