use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    anomaly::{ANOMALIES, Anomaly, Property, anomaly},
    checker::check,
    history::History,
};
use crate::requirement;

/// What a property demands, or what an anomaly is, with its requirements and a history that shows it; nothing if there is
/// neither of this id.
///
/// ```
/// use checkfu_conformance::model::explain;
/// assert!(explain("P04").unwrap().contains("lost-write"));
/// assert!(explain("lost-write").unwrap().contains("P04"));
/// ```
pub fn explain(id: &str) -> Option<String> {
    let mut text = String::new();
    if let Some(property) = Property::ALL
        .into_iter()
        .find(|property| property.id().eq_ignore_ascii_case(id))
    {
        let _ = writeln!(text, "{property}");
        let ways: Vec<&Anomaly> = ANOMALIES
            .iter()
            .filter(|anomaly| anomaly.property == property)
            .collect();
        for way in &ways {
            let _ = writeln!(text, "  {} ({}): {}", way.name, way.level, way.promise);
        }
        requirements(&mut text, &ways);
        if let Some(way) = ways.first() {
            example(&mut text, way);
        }
        return Some(text);
    }
    let anomaly = anomaly(&id.to_lowercase())?;
    let _ = writeln!(text, "{} ({})", anomaly.name, anomaly.level);
    let _ = writeln!(text, "  {}", anomaly.promise);
    let _ = writeln!(text, "  breaks {}", anomaly.property);
    requirements(&mut text, &[anomaly]);
    example(&mut text, anomaly);
    Some(text)
}

fn requirements(text: &mut String, ways: &[&Anomaly]) {
    let ids: BTreeSet<&str> = ways.iter().flat_map(|way| way.requirements).copied().collect();
    for row in ids.into_iter().filter_map(requirement) {
        let _ = writeln!(text, "  {}: {}", row.id, row.statement);
    }
}

/// The first finding of the example, and the lines of the history that show it.
fn example(text: &mut String, anomaly: &Anomaly) {
    let Some(finding) = History::parse(anomaly.example)
        .ok()
        .and_then(|history| check(&history).findings.into_iter().next())
    else {
        return;
    };
    let _ = writeln!(
        text,
        "  for example ({}), by these lines of a history:",
        anomaly.name
    );
    for (number, line) in (1..).zip(anomaly.example.lines()) {
        if finding.lines.contains(&number) || line.starts_with("{\"envelope\"") {
            let _ = writeln!(text, "    {number:>3}  {line}");
        }
    }
    let _ = writeln!(text, "  expected:  {}", finding.expected);
    let _ = writeln!(text, "  actual:    {}", finding.actual);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_and_every_anomaly_is_explained_with_an_example() {
        let names = ANOMALIES.iter().map(|anomaly| anomaly.name.to_owned());
        for id in Property::ALL.map(Property::id).into_iter().chain(names) {
            let text = explain(&id).unwrap();
            for part in ["  for example (", "  expected:  ", "  actual:    ", "\"invoke\""] {
                assert!(text.contains(part), "{id}: {text}");
            }
            let ways = ANOMALIES
                .iter()
                .filter(|way| way.property.id() == id || way.name == id);
            for way in ways {
                assert!(
                    text.contains(way.name) && text.contains(way.promise),
                    "{id}: {text}"
                );
                for requirement in way.requirements {
                    assert!(text.contains(&format!("  {requirement}: ")), "{id}: {text}");
                }
            }
        }
        assert_eq!(explain("p04"), explain("P04"));
        assert_eq!(explain("P18"), None);
    }
}
