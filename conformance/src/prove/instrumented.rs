//! Mutants of the server itself: which checks have to catch which, and which no client can see.

mod family;
mod log;
mod requests;

use std::collections::BTreeSet;

use super::{
    binary::Binary,
    case::{Pace, judge_all},
    kill::Kill,
    layer::Layer,
    survivor::survivors,
};
use crate::limits::Limits;

/// The name of a mutant, and each check that has to catch it with a piece of what that check expects.
type Instrumented = (&'static str, &'static [(&'static str, &'static str)]);

/// The name of the layer.
pub(super) const INSTRUMENTED: &str = "mutants of the server";

/// What tells the name of such a mutant from that of a wire mutant.
const PREFIX: &str = "server:";

/// Mutants that no check can catch, with the reason.
pub(super) const EXCLUDED: &[(&str, &str)] = &[
    (
        "server:list_skips_trimmed",
        "it takes a log of which the beginning was removed, and no request of a client removes any",
    ),
    (
        "server:revision_follows",
        "it takes a revision that is published while a Session lives, and no client publishes one",
    ),
];

fn table() -> impl Iterator<Item = &'static Instrumented> {
    [requests::MUTANTS, log::MUTANTS, family::MUTANTS]
        .into_iter()
        .flatten()
}

/// Every kill by them.
pub(super) fn kills() -> impl Iterator<Item = Kill> {
    table().flat_map(|(mutant, kills)| {
        kills.iter().map(|(check, expected)| Kill {
            check,
            mutant,
            expected,
        })
    })
}

/// Judges each mutant that the program has, or only those of these names, as a server of its own.
pub(super) async fn instrumented(
    binary: &Binary,
    known: &[String],
    only: Option<&BTreeSet<&str>>,
    pace: Pace<'_>,
) -> Layer {
    let names: Vec<_> = table()
        .map(|(name, _)| *name)
        .filter(|name| only.is_none_or(|only| only.contains(name)))
        .collect();
    let mut layer = judge_all(INSTRUMENTED, names, pace, |name, limits| {
        told_to_break(binary, name, limits)
    })
    .await;
    if only.is_none() {
        layer.problems.extend(unknown(known));
        layer.broken += unknown(known).len();
    }
    layer
}

/// Whether there is such a mutant.
pub(super) fn has(name: &str) -> bool {
    table().any(|(known, _)| *known == name)
}

async fn told_to_break(binary: &Binary, name: &'static str, limits: Limits) -> Vec<String> {
    let flags = ["--mutant", name.trim_start_matches(PREFIX)].map(str::to_owned);
    let server = match binary.start(&flags).await {
        Ok(server) => server,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let kills: Vec<_> = kills().filter(|kill| kill.mutant == name).collect();
    // Nobody else is judged by it, so its time may pass.
    match server.controlled_at(server.url()) {
        Ok(target) => survivors(&kills, target, limits).await,
        Err(error) => vec![format!("{name}: {error}")],
    }
}

/// The mutants that only the program has, and those that only the table has.
fn unknown(known: &[String]) -> Vec<String> {
    let named = table().map(|(name, _)| *name);
    let tabled: BTreeSet<String> = named
        .chain(EXCLUDED.iter().map(|(name, _)| *name))
        .map(str::to_owned)
        .collect();
    let listed: BTreeSet<String> = known.iter().map(|name| format!("{PREFIX}{name}")).collect();
    let new = listed.difference(&tabled);
    let new = new.map(|name| {
        format!("{name} is in no table: name the checks that catch it, or exclude it with a reason")
    });
    let gone = tabled.difference(&listed);
    new.chain(gone.map(|name| format!("{name} is no mutant of the server")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_of_one_side_alone_is_told() {
        let all: Vec<String> = table()
            .map(|(name, _)| *name)
            .chain(EXCLUDED.iter().map(|(name, _)| *name))
            .map(|name| name.trim_start_matches(PREFIX).to_owned())
            .collect();
        assert_eq!(unknown(&all), Vec::<String>::new());
        let mut more = all.clone();
        more.push("brand_new".to_owned());
        assert!(unknown(&more)[0].contains("server:brand_new is in no table"));
        assert!(unknown(&all[1..])[0].contains("is no mutant of the server"));
        assert!(table().all(|(name, kills)| name.starts_with(PREFIX) && !kills.is_empty()));
    }
}
