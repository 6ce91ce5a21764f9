use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::{
    level::Level,
    model::{
        anomaly::{Anomaly, Property, anomaly},
        history::Operation,
    },
};

/// A contradiction that a history shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the anomaly.
    pub anomaly: &'static str,
    /// The property that it breaks.
    pub property: Property,
    /// How firmly the property stands.
    pub level: Level,
    /// The requirements that it contradicts.
    pub requirements: &'static [&'static str],
    /// What it is about: a Session with a seq, an id or a token.
    pub subject: String,
    /// The numbers of the operations that show it.
    pub operations: Vec<u32>,
    /// Their lines in the history, the first line being 1.
    pub lines: Vec<usize>,
    /// What was to be seen.
    pub expected: String,
    /// What was seen.
    pub actual: String,
}

/// What a history says of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Judgement {
    /// Every contradiction, in the order of the properties.
    pub findings: Vec<Finding>,
    /// How often each property was put to the test.
    pub decided: BTreeMap<Property, usize>,
}

/// What was found and decided so far.
#[derive(Default)]
pub(super) struct Docket {
    findings: Vec<Finding>,
    known: HashSet<(&'static str, String)>,
    decided: BTreeMap<Property, usize>,
}

impl Docket {
    /// Counts one test of a property.
    pub(super) fn decide(&mut self, property: Property) {
        *self.decided.entry(property).or_default() += 1;
    }

    /// Records a contradiction, once for each subject.
    pub(super) fn find(
        &mut self,
        name: &str,
        subject: String,
        operations: &[&Operation],
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) {
        // A unit test looks for every name in the table.
        let Some(anomaly) = anomaly(name) else {
            debug_assert!(false, "{name} is no anomaly");
            return;
        };
        if self.known.insert((anomaly.name, subject.clone())) {
            self.findings.push(finding(
                anomaly,
                subject,
                operations,
                expected.into(),
                actual.into(),
            ));
        }
    }

    pub(super) fn into_judgement(mut self) -> Judgement {
        self.findings.sort_by_key(|finding| finding.property);
        Judgement {
            findings: self.findings,
            decided: self.decided,
        }
    }
}

fn finding(
    anomaly: &'static Anomaly,
    subject: String,
    operations: &[&Operation],
    expected: String,
    actual: String,
) -> Finding {
    let mut lines: Vec<usize> = operations
        .iter()
        .flat_map(|operation| operation.lines())
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let mut numbers: Vec<u32> = operations.iter().map(|operation| operation.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Finding {
        anomaly: anomaly.name,
        property: anomaly.property,
        level: anomaly.level,
        requirements: anomaly.requirements,
        subject,
        operations: numbers,
        lines,
        expected,
        actual,
    }
}
