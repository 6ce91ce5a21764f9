use std::collections::BTreeSet;

use super::{
    binary::{Binary, RunningServer},
    case::{Pace, judge_all},
    kill::Kill,
    layer::Layer,
    mutants,
    relay::Relay,
    survivor::survivors,
};
use crate::{checks::check, limits::Limits, stimulus::Stimulus};

/// The name of the layer.
pub(super) const WIRE: &str = "wire mutants";

/// Judges every wire mutant in front of the sound server, or only those of these names.
pub(super) async fn wire(
    binary: &Binary,
    sound: &RunningServer,
    only: Option<&BTreeSet<&str>>,
    pace: Pace<'_>,
) -> Layer {
    let all = mutants::all(sound.key(), sound.principal());
    let names: Vec<_> = all
        .iter()
        .map(|mutant| mutant.name())
        .filter(|name| only.is_none_or(|only| only.contains(name)))
        .collect();
    judge_all(WIRE, names, pace, |name, limits| {
        relayed(binary, sound, name, limits)
    })
    .await
}

/// A mutant keeps what it saw, so each judgement takes a new one.
async fn relayed(binary: &Binary, sound: &RunningServer, name: &'static str, limits: Limits) -> Vec<String> {
    let all = mutants::all(sound.key(), sound.principal());
    let Some(mutant) = all.into_iter().find(|mutant| mutant.name() == name) else {
        return vec![format!("{name} is no wire mutant")];
    };
    let kills = mutant.killed().to_vec();
    // A server whose time passes is of no use to the others.
    let own = match kills.iter().any(needs_control) {
        true => match binary.start(&[]).await {
            Ok(own) => Some(own),
            Err(error) => return vec![format!("{name}: {error}")],
        },
        false => None,
    };
    let before = own.as_ref().unwrap_or(sound);
    let relay = match Relay::start(before.url(), mutant).await {
        Ok(relay) => relay,
        Err(error) => return vec![format!("{name}: no relay: {error}")],
    };
    let target = match &own {
        Some(own) => own.controlled_at(relay.url()),
        None => sound.target_at(relay.url()),
    };
    match target {
        Ok(target) => survivors(&kills, target, limits).await,
        Err(error) => vec![format!("{name}: {error}")],
    }
}

fn needs_control(kill: &Kill) -> bool {
    check(kill.check).is_some_and(|check| check.stimulus == Stimulus::Control)
}
