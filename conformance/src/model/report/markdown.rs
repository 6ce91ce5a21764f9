use std::fmt::Write as _;

use super::document::ModelReport;
use crate::{model::anomaly::Property, report::cell};

/// How many findings of a property are shown.
const SHOWN: usize = 5;

impl ModelReport {
    /// The report in Markdown: the conclusion, a table of the properties and the first findings of each.
    pub fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Checkfu conformance by random histories\n\n**{} for profile {}**\n\n",
            self.conclusion().word(),
            self.profile
        );
        for line in [self.reason.as_deref(), self.cut_short()].into_iter().flatten() {
            let _ = writeln!(text, "{}\n", cell(line));
        }
        text.push_str("| | |\n| --- | --- |\n");
        let seed = self.seed.map(|seed| seed.to_string());
        for (name, value) in [
            ("Suite", Some(env!("CARGO_PKG_VERSION").to_owned())),
            ("Server", self.url.clone()),
            ("Run", Some(self.run_id.clone()).filter(|run| !run.is_empty())),
            ("Seed", seed),
            ("Histories", Some(self.histories.to_string())),
            ("Requests", self.spent.map(|spent| spent.requests.to_string())),
            ("Events", self.spent.map(|spent| spent.events.to_string())),
        ] {
            if let Some(value) = value {
                let _ = writeln!(text, "| {name} | {} |", cell(&value));
            }
        }
        text.push_str("\n| | property | verdict | put to the test |\n| --- | --- | --- | --- |\n");
        for property in Property::ALL {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                property.id(),
                property.title(),
                self.verdict(property).word(),
                self.times(property)
            );
        }
        for property in Property::ALL {
            if let Some(why) = self.why_not(property) {
                let _ = writeln!(text, "\n{}: {}", property.id(), cell(&why));
            }
        }
        for property in Property::ALL {
            self.section(property, &mut text);
        }
        text
    }

    fn section(&self, property: Property, text: &mut String) {
        let all = self.findings_of(property).count();
        if all == 0 {
            return;
        }
        let _ = writeln!(text, "\n## {property}\n");
        for (case, finding) in self.findings_of(property).take(SHOWN) {
            let _ = writeln!(
                text,
                "- `{}` ({}; {}) in history {}, {}: expected {}; actual: {}",
                finding.anomaly,
                finding.level,
                finding.requirements.join(", "),
                cell(&case.name),
                cell(&finding.subject),
                cell(&finding.expected),
                cell(&finding.actual)
            );
        }
        if all > SHOWN {
            let _ = writeln!(text, "- {} more", all - SHOWN);
        }
    }
}
