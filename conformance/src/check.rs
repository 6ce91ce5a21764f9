use futures::future::BoxFuture;

use crate::{
    context::{Context, Judgement},
    level::Level,
    stimulus::Stimulus,
};

/// One check: what it is, what it stands for and how it is run.
#[derive(Clone, Copy)]
pub struct Check {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) level: Level,
    pub(crate) stimulus: Stimulus,
    pub(crate) requirements: &'static [&'static str],
    pub(crate) killed_by: &'static [&'static str],
    pub(crate) run: for<'c, 'run> fn(&'c mut Context<'run>) -> BoxFuture<'c, Judgement>,
}

impl Check {
    /// Its name, `srv.<area>.<slug>`; the same whether it passes or fails.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// What holds when it passes, in one line.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// How firmly it stands, which decides what a contradiction counts as.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What it makes the server do; a run that allows less leaves it undecided.
    pub fn stimulus(&self) -> Stimulus {
        self.stimulus
    }

    /// The requirements that it shows, by id; never empty.
    pub fn requirements(&self) -> &'static [&'static str] {
        self.requirements
    }

    /// The broken servers that turn it to a failure, by name; never empty. `server:` stands before the name of a mutant of
    /// the reference server; the command `prove` runs every one of them.
    pub fn killed_by(&self) -> &'static [&'static str] {
        self.killed_by
    }

    /// The area in its name.
    pub fn area(&self) -> &'static str {
        self.id.split('.').nth(1).unwrap_or_default()
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Check")
            .field("id", &self.id)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
