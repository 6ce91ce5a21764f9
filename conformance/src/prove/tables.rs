use std::collections::BTreeSet;

use super::{kill::Kill, layer::Layer};
use crate::{check::Check, level::Level, requirement::requirement};

/// Where what checks claim and what mutants claim do not fit, a line each: each names the other, every check has a
/// killer, and one that shows a documented requirement has two.
pub fn contradictions<'c>(checks: impl IntoIterator<Item = &'c Check>, kills: &[Kill]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut unclaimed: BTreeSet<_> = kills.iter().map(|kill| (kill.check, kill.mutant)).collect();
    if unclaimed.len() < kills.len() {
        problems.push("a mutant names a check twice".to_owned());
    }
    for check in checks {
        for mutant in check.killed_by() {
            if !unclaimed.remove(&(check.id(), mutant)) {
                problems.push(format!("{} names {mutant}, which does not name it", check.id()));
            }
        }
        let wanted = if shows_documented(check) { 2 } else { 1 };
        let killers = check.killed_by().len();
        if killers < wanted {
            problems.push(format!("{} has {killers} of {wanted} killers", check.id()));
        }
    }
    problems.extend(
        unclaimed
            .into_iter()
            .map(|(check, mutant)| format!("{mutant} names {check}, which does not name it")),
    );
    problems
}

/// The layer that needs no server.
pub(super) fn tables(kills: &[Kill]) -> Layer {
    let mut layer = Layer::new("checks with their killers");
    layer.total = crate::checks::checks().count();
    layer.problems = contradictions(crate::checks::checks(), kills);
    layer.broken = layer.problems.len().min(layer.total);
    layer
}

fn shows_documented(check: &Check) -> bool {
    let mut rows = check.requirements().iter().filter_map(|id| requirement(id));
    rows.any(|row| row.level == Level::Documented)
}
