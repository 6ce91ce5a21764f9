use std::fmt;

use super::{
    binary::{self, Binary, Unprovable},
    case::Pace,
    equivalents::equivalents,
    instrumented::{self, instrumented},
    kill::kills,
    layer::Layer,
    null::{Score, null_servers},
    tables::tables,
    wire::wire,
};

/// How much is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What a change has to pass.
    Quick,
    /// Everything.
    Full,
}

/// What to prove, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The reference server.
    pub binary: Binary,
    /// How much.
    pub depth: Depth,
    /// How many servers are judged at a time.
    pub jobs: usize,
    /// Only the broken server of this name.
    pub only: Option<String>,
}

/// What a proof came to.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Its layers, in the order in which they were judged.
    pub layers: Vec<Layer>,
    /// What the suite says of the null servers.
    pub scores: Vec<Score>,
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
        writeln!(formatter, "{word}")
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
    let sound = settings.binary.start(&[]).await?;
    let known = binary::mutants(&settings.binary, &sound).await?;
    let only = settings.only.as_deref();
    let (mut layers, mut scores) = (Vec::new(), Vec::new());
    if only.is_none() {
        let (layer, scored) = null_servers(&sound, pace).await;
        layers.push(layer);
        scores = scored;
    }
    if let Some(unknown) = only.filter(|only| !kills().iter().any(|kill| kill.mutant == *only)) {
        return Err(Unprovable::UnknownMutant(unknown.to_owned()));
    }
    layers.push(tables(&kills()));
    if only.is_none_or(|only| !instrumented::has(only)) {
        layers.push(wire(&settings.binary, &sound, only, pace).await);
    }
    if only.is_none_or(instrumented::has) {
        layers.push(instrumented(&settings.binary, &known, only, pace).await);
    }
    if only.is_none() {
        layers.push(equivalents(&settings.binary, settings.depth, pace).await);
    }
    Ok(Proof { layers, scores })
}
