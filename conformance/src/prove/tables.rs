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
    let vague = kills.iter().filter(|kill| kill.expected.is_empty());
    problems.extend(vague.map(|kill| format!("{} names {} by no contradiction", kill.mutant, kill.check)));
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

/// The layer that needs no server: every check, or only those that mutants of these names have to fail.
pub(super) fn tables(kills: &[Kill], only: Option<&BTreeSet<&'static str>>) -> Layer {
    let mut layer = Layer::new("checks with their killers");
    let picked = |kill: &&Kill| only.is_none_or(|only| only.contains(kill.mutant));
    let named: BTreeSet<&str> = kills.iter().filter(picked).map(|kill| kill.check).collect();
    let is_judged = |id: &str| only.is_none() || named.contains(id);
    let checks: Vec<_> = crate::checks::checks()
        .filter(|check| is_judged(check.id()))
        .collect();
    let kills: Vec<_> = kills
        .iter()
        .filter(|kill| is_judged(kill.check))
        .cloned()
        .collect();
    layer.total = checks.len();
    layer.problems = contradictions(checks, &kills);
    layer.broken = layer.problems.len().min(layer.total);
    layer
}

fn shows_documented(check: &Check) -> bool {
    let mut rows = check.requirements().iter().filter_map(|id| requirement(id));
    rows.any(|row| row.level == Level::Documented)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Stop;

    const BY_ONE: Check = Check {
        id: "srv.made.up",
        title: "It holds.",
        level: Level::Documented,
        stimulus: crate::stimulus::Stimulus::Work,
        requirements: &["STR-2"],
        killed_by: &["one"],
        run: |_| Box::pin(async { Err(Stop::Error("never run".to_owned())) }),
    };

    fn kill(mutant: &'static str) -> Kill {
        Kill {
            check: BY_ONE.id,
            mutant,
            expected: "something",
        }
    }

    #[test]
    fn a_check_without_a_killer_is_refused_and_a_documented_one_with_a_single_one() {
        let told = contradictions([&BY_ONE], &[kill("one")]);
        assert_eq!(told, ["srv.made.up has 1 of 2 killers"]);
        let none = Check {
            requirements: &["A-GAP"],
            killed_by: &[],
            ..BY_ONE
        };
        let told = contradictions([&none], &[]);
        assert_eq!(told, ["srv.made.up has 0 of 1 killers"]);
        let two = Check {
            killed_by: &["one", "server:two"],
            ..BY_ONE
        };
        assert!(contradictions([&two], &[kill("one"), kill("server:two")]).is_empty());
    }

    #[test]
    fn a_kill_by_any_contradiction_is_refused() {
        let vague = Kill {
            expected: "",
            ..kill("one")
        };
        let told = contradictions([&BY_ONE], &[vague]).join("; ");
        assert!(
            told.contains("one names srv.made.up by no contradiction"),
            "{told}"
        );
    }

    #[test]
    fn a_name_of_one_side_alone_is_refused() {
        let told = contradictions([&BY_ONE], &[kill("other")]).join("; ");
        assert!(
            told.contains("srv.made.up names one, which does not name it"),
            "{told}"
        );
        assert!(
            told.contains("other names srv.made.up, which does not name it"),
            "{told}"
        );
    }
}
