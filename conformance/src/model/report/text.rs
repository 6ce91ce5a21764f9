use crate::printable::one_line;
use std::{collections::BTreeMap, fmt};

use super::document::{Case, ModelReport, SHRUNK, Shrinking};
use crate::model::{
    anomaly::{Property, anomaly},
    checker::Finding,
};

/// How many findings of one anomaly are shown in full.
const SHOWN: usize = 2;
/// How much of what was seen is shown, in characters.
const EXCERPT: usize = 400;

impl fmt::Display for ModelReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seed) = self.seed {
            writeln!(formatter, "seed {seed}, {} histories", self.histories)?;
        }
        for property in Property::ALL {
            let decided = self.times(property);
            let verdict = self.verdict(property).word();
            writeln!(
                formatter,
                "{verdict:<13} {} {:<38} {decided:>9}",
                property.id(),
                property.title()
            )?;
        }
        for property in Property::ALL {
            if let Some(why) = self.why_not(property) {
                writeln!(formatter, "\n{}: {why}", property.id())?;
            }
        }
        let mut counts = BTreeMap::<&str, usize>::new();
        for case in &self.cases {
            for finding in &case.findings {
                let count = counts.entry(finding.anomaly).or_default();
                *count += 1;
                if *count <= SHOWN {
                    self.show(formatter, case, finding)?;
                }
            }
        }
        for (name, count) in counts.iter().filter(|(_, count)| **count > SHOWN) {
            writeln!(formatter, "\n{name}: {} more", count - SHOWN)?;
        }
        if self.more > 0 {
            writeln!(formatter, "\n{} further histories show the same", self.more)?;
        }
        // Histories from files are in no bundle.
        if self.seed.is_some() && self.not_shrunk() > 0 {
            writeln!(
                formatter,
                "\n{} of these histories are not shrunk, only the first {SHRUNK} are: {}; --only-history shrinks one",
                self.not_shrunk(),
                self.names_of(Shrinking::NotTried).join(", ")
            )?;
        }
        if let Some((count, why)) = &self.not_played {
            writeln!(formatter, "\n{count} histories could not be played: {why}")?;
        }
        if let Some(why) = self.cut_short() {
            writeln!(formatter, "\n{why} after {} histories", self.histories)?;
        }
        match &self.left {
            Some(Ok(0)) | None => {}
            Some(Ok(left)) => writeln!(
                formatter,
                "\n{left} Sessions of run {} could not be ended; `sweep --run` tries again",
                self.run_id
            )?,
            Some(Err(why)) => writeln!(
                formatter,
                "\nthe Sessions of run {} were not ended: {why}; `sweep --run` tries again",
                self.run_id
            )?,
        }
        if let Some(reason) = &self.reason {
            writeln!(formatter, "\n{reason}")?;
        }
        writeln!(
            formatter,
            "\n{} for profile {}: {} histories (exit {})",
            self.conclusion().word(),
            self.profile,
            self.histories,
            self.exit().code()
        )
    }
}

impl ModelReport {
    fn names_of(&self, shrinking: Shrinking) -> Vec<&str> {
        let cases = self.cases.iter().filter(|case| case.shrinking == shrinking);
        cases.map(|case| case.name.as_str()).collect()
    }

    fn show(&self, formatter: &mut fmt::Formatter<'_>, case: &Case, finding: &Finding) -> fmt::Result {
        writeln!(
            formatter,
            "\n{} {} ({}) history {}",
            self.weight(finding).word(),
            finding.anomaly,
            finding.level,
            case.name
        )?;
        if let Some(anomaly) = anomaly(finding.anomaly) {
            writeln!(formatter, "  {}", anomaly.promise)?;
        }
        writeln!(
            formatter,
            "  {}: {}",
            finding.property,
            finding.requirements.join(", ")
        )?;
        writeln!(formatter, "  about:     {}", excerpt(&finding.subject))?;
        writeln!(formatter, "  expected:  {}", excerpt(&finding.expected))?;
        writeln!(formatter, "  actual:    {}", excerpt(&finding.actual))?;
        writeln!(
            formatter,
            "  shown by:  operations {}, lines {}",
            joined(&finding.operations),
            joined(&finding.lines)
        )?;
        if let (Some(command), Some(seed), Some(number)) = (&self.repeat, self.seed, case.number) {
            writeln!(
                formatter,
                "  reproduce: {command} --seed {seed} --only-history {number}"
            )?;
        }
        Ok(())
    }
}

fn joined(numbers: &[impl ToString]) -> String {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

fn excerpt(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
