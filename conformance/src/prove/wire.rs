use super::{
    binary::RunningServer,
    case::{Pace, judge_all},
    layer::Layer,
    mutants,
    relay::Relay,
    survivor::survivors,
};
use crate::limits::Limits;

/// Judges every wire mutant in front of the sound server, or only the one of this name.
pub(super) async fn wire(sound: &RunningServer, only: Option<&str>, pace: Pace<'_>) -> Layer {
    let all = mutants::all(sound.key(), sound.principal());
    let names: Vec<_> = all
        .iter()
        .map(|mutant| mutant.name())
        .filter(|name| only.is_none_or(|only| only == *name))
        .collect();
    judge_all("wire mutants", names, pace, |name, limits| {
        relayed(sound, name, limits)
    })
    .await
}

/// A mutant keeps what it saw, so each judgement takes a new one.
async fn relayed(sound: &RunningServer, name: &'static str, limits: Limits) -> Vec<String> {
    let all = mutants::all(sound.key(), sound.principal());
    let Some(mutant) = all.into_iter().find(|mutant| mutant.name() == name) else {
        return vec![format!("{name} is no wire mutant")];
    };
    let kills = mutant.killed().to_vec();
    let relay = match Relay::start(sound.url(), mutant).await {
        Ok(relay) => relay,
        Err(error) => return vec![format!("{name}: no relay: {error}")],
    };
    match sound.target_at(relay.url()) {
        Ok(target) => survivors(&kills, target, limits).await,
        Err(error) => vec![format!("{name}: {error}")],
    }
}
