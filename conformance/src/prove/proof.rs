use std::{collections::BTreeSet, fmt};

use futures::future::{OptionFuture, join3};

use super::{
    binary::{self, Binary, Unprovable},
    case::Pace,
    depth::Depth,
    equivalents::equivalents,
    instrumented::{self, INSTRUMENTED, instrumented},
    kills::kills,
    layer::Layer,
    null::{Score, null_servers},
    tables::tables,
    wire::{WIRE, wire},
};
use crate::pattern::fits;

/// What to prove, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The reference server.
    pub binary: Binary,
    /// How much.
    pub depth: Depth,
    /// How many servers are judged at a time.
    pub jobs: usize,
    /// Only the broken servers that fit one of these, by their own name or by that of a check that they have to fail; none
    /// means all. A `*` stands for any letters.
    pub only: Vec<String>,
}

/// What a proof came to.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Its layers, in the order in which they were judged.
    pub layers: Vec<Layer>,
    /// What the suite says of the null servers.
    pub scores: Vec<Score>,
    /// The patterns that selected broken servers; none where all were judged.
    pub only: Vec<String>,
}

impl Proof {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.layers.iter().all(Layer::holds)
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for layer in &self.layers {
            write!(formatter, "{layer}")?;
        }
        let word = if self.holds() { "PROVEN" } else { "NOT PROVEN" };
        if self.only.is_empty() {
            return writeln!(formatter, "{word}");
        }
        let of_servers = self
            .layers
            .iter()
            .filter(|layer| [WIRE, INSTRUMENTED].contains(&layer.name));
        let (judged, missed) = of_servers.fold((0, 0), |(judged, missed), layer| {
            (judged + layer.total, missed + layer.broken)
        });
        let only = self.only.join(", ");
        let found = judged.saturating_sub(missed);
        writeln!(
            formatter,
            "{word} of a selection ({only}), {found} of {judged} broken servers found"
        )
    }
}

/// Proves the suite with this server; `progress` is told a line for each server that was judged.
///
/// # Errors
/// [`Unprovable`] where the server cannot be started, or cannot be told to break anything.
///
/// # Cancel safety
/// Dropping the future stops every server that it started.
pub async fn prove(settings: &Settings, progress: &(dyn Fn(&str) + Sync)) -> Result<Proof, Unprovable> {
    let pace = Pace {
        jobs: settings.jobs.max(1),
        progress,
    };
    let only = chosen(&settings.only)?;
    let only = only.as_ref();
    let sound = settings.binary.start(&[]).await?;
    let known = binary::mutants(&settings.binary, &sound).await?;
    let has = |instrumented: bool| {
        only.is_none_or(|only| only.iter().any(|name| instrumented::has(name) == instrumented))
    };
    // Broken servers take work, null servers and equivalents mostly time: side by side they take what the longest takes.
    let broken = async {
        let by_wire =
            OptionFuture::from(has(false).then(|| wire(&settings.binary, &sound, only, pace))).await;
        let of_server = has(true).then(|| instrumented(&settings.binary, &known, only, pace));
        (by_wire, OptionFuture::from(of_server).await)
    };
    let (null, (by_wire, of_server), equal) = join3(
        OptionFuture::from(only.is_none().then(|| null_servers(&sound, pace))),
        broken,
        OptionFuture::from(
            only.is_none()
                .then(|| equivalents(&settings.binary, settings.depth, pace)),
        ),
    )
    .await;
    let (null, scores) = null.unzip();
    let of_tables = Some(tables(&kills(), only));
    let layers = [null, of_tables, by_wire, of_server, equal]
        .into_iter()
        .flatten()
        .collect();
    let scores = scores.unwrap_or_default();
    Ok(Proof {
        layers,
        scores,
        only: settings.only.clone(),
    })
}

/// The names of the broken servers that these patterns pick; none where there is no pattern.
pub(super) fn chosen(patterns: &[String]) -> Result<Option<BTreeSet<&'static str>>, Unprovable> {
    let (kills, mut names) = (kills(), BTreeSet::new());
    for pattern in patterns {
        let picked = kills
            .iter()
            .filter(|kill| fits(pattern, kill.mutant) || fits(pattern, kill.check));
        names.extend(picked.clone().map(|kill| kill.mutant));
        if picked.count() == 0 {
            return Err(Unprovable::UnknownMutant(pattern.clone()));
        }
    }
    Ok((!patterns.is_empty()).then_some(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_servers_are_picked_by_their_names_and_by_what_they_have_to_fail() {
        let chosen = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            chosen(&patterns)
        };
        assert_eq!(chosen(&[]).unwrap(), None);
        let check = crate::check("srv.list.largest-page").unwrap();
        let killers = BTreeSet::from_iter(check.killed_by().iter().copied());
        assert_eq!(chosen(&[check.id()]).unwrap().unwrap(), killers);
        let servers = chosen(&["server:*"]).unwrap().unwrap();
        assert!(servers.len() > 1 && servers.iter().all(|name| instrumented::has(name)));
        let both = chosen(&["server:*", "accepts-any-key"]).unwrap().unwrap();
        assert_eq!(both.len(), servers.len() + 1);
        // What another pattern picked already is no typing error.
        assert_eq!(chosen(&["server:*", "server:any_key"]).unwrap().unwrap(), servers);
        assert!(matches!(
            chosen(&["server:*", "nothing"]),
            Err(Unprovable::UnknownMutant(pattern)) if pattern == "nothing"
        ));
    }

    /// What was left out is not counted, and the conclusion says that something was.
    #[test]
    fn a_proof_of_a_selection_says_so() {
        let layer = |name, total, broken| Layer {
            name,
            total,
            broken,
            problems: vec!["survives".to_owned(); broken],
        };
        let told = |layers: Vec<Layer>, only: &[&str]| {
            let only = only.iter().map(|pattern| (*pattern).to_owned()).collect();
            let scores = Vec::new();
            Proof { layers, scores, only }.to_string()
        };
        let layers = || {
            vec![
                tables(&kills(), None),
                layer(WIRE, 2, 0),
                layer(INSTRUMENTED, 3, 0),
            ]
        };
        assert!(told(layers(), &[]).ends_with("\nPROVEN\n"));
        let selected = told(layers(), &["a", "srv.*"]);
        let expected = "\nPROVEN of a selection (a, srv.*), 5 of 5 broken servers found\n";
        assert!(selected.ends_with(expected), "{selected}");
        let broken = told(vec![layer(WIRE, 2, 1)], &["a"]);
        assert!(
            broken.ends_with("\nNOT PROVEN of a selection (a), 1 of 2 broken servers found\n"),
            "{broken}"
        );
        let one = chosen(&["doubles-messages".to_owned()]).unwrap();
        let kills = kills();
        let killed = kills
            .iter()
            .filter(|kill| kill.mutant == "doubles-messages")
            .count();
        let layer = tables(&kills, one.as_ref());
        assert!(
            layer.holds() && layer.total == killed && layer.total > 0,
            "{layer}"
        );
    }
}
