//! The command `list`.

use std::collections::BTreeMap;

use checkfu_conformance::{Check, ExitStatus, checks, fits, prove::kills};
use serde_json::json;

use crate::{flags::ListFlags, output::print, usage};

pub(crate) fn list(flags: &ListFlags) -> ExitStatus {
    let (what, text) = match flags.mutants {
        true => ("mutant and no check", mutants(flags)),
        false => ("check", listed(flags)),
    };
    match text {
        Ok(text) => {
            print(&text);
            ExitStatus::Conformant
        }
        Err(pattern) => usage(&format!(
            "no {what} fits {pattern:?}: `list` without it shows them all"
        )),
    }
}

fn listed(flags: &ListFlags) -> Result<String, String> {
    let wanted = picked(flags, checks().map(|check| (check, vec![check.id()])))?;
    if flags.json {
        let rows = wanted.into_iter().map(|check| {
            json!({
                "id": check.id(),
                "title": check.title(),
                "level": check.level(),
                "stimulus": check.stimulus(),
                "requirements": check.requirements(),
                "needs": check.needs(),
                "killed_by": check.killed_by(),
            })
        });
        return Ok(format!("{:#}\n", json!(Vec::from_iter(rows))));
    }
    Ok(wanted.into_iter().map(row).collect())
}

fn row(check: &Check) -> String {
    format!(
        "{}  {:<6} {:<40} {}\n            {}\n",
        check.level().letter(),
        check.stimulus().name(),
        check.id(),
        check.requirements().join(", "),
        check.title()
    )
}

fn mutants(flags: &ListFlags) -> Result<String, String> {
    let mut all: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for kill in kills() {
        all.entry(kill.mutant).or_default().push(kill);
    }
    let named = all.iter().map(|(mutant, kills)| {
        let checks = kills.iter().map(|kill| kill.check);
        ((*mutant, kills), std::iter::once(*mutant).chain(checks).collect())
    });
    let wanted = picked(flags, named)?;
    if flags.json {
        let rows = wanted.into_iter().map(|(mutant, kills)| {
            let caught = kills
                .iter()
                .map(|kill| json!({"check": kill.check, "expected": kill.expected}));
            json!({"name": mutant, "kills": Vec::from_iter(caught)})
        });
        return Ok(format!("{:#}\n", json!(Vec::from_iter(rows))));
    }
    let rows = wanted.into_iter().map(|(mutant, kills)| {
        let caught = kills
            .iter()
            .map(|kill| format!("    {} expects {:?}\n", kill.check, kill.expected));
        format!("{mutant}\n{}", caught.collect::<String>())
    });
    Ok(rows.collect())
}

/// Those of which a name fits a pattern; the first pattern that none fits is the error.
fn picked<T>(
    flags: &ListFlags,
    named: impl Iterator<Item = (T, Vec<&'static str>)>,
) -> Result<Vec<T>, String> {
    let named: Vec<_> = named.collect();
    let fit = |pattern: &str, names: &[&str]| names.iter().any(|name| begins(pattern, name));
    for pattern in &flags.patterns {
        if !named.iter().any(|(_, names)| fit(pattern, names)) {
            return Err(pattern.clone());
        }
    }
    let wanted = named.into_iter().filter(|(_, names)| {
        flags.patterns.is_empty() || flags.patterns.iter().any(|pattern| fit(pattern, names))
    });
    Ok(wanted.map(|(row, _)| row).collect())
}

/// Whether a name fits, or begins with whole parts that do.
fn begins(pattern: &str, name: &str) -> bool {
    fits(pattern, name) || fits(&format!("{}.*", pattern.trim_end_matches('.')), name)
}
