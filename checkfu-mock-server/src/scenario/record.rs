//! Makes a scenario out of a Session's log: played with the same inputs it gives the same events, identifiers and times
//! aside.

mod calls;
mod endings;
mod entry;
pub(crate) mod error;
mod inputs;
mod log;
mod run;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use super::model::{AgentDraft, Child, InputKind, Rule, Scenario};
use super::parse::parse;
use super::write::write;
use error::RecordError;
use log::Log;
use run::Recorded;

/// A scenario that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recording {
    /// The scenario file.
    pub yaml: String,
    /// What of the log it does not play, one sentence each.
    pub notes: Vec<String>,
}

/// Records the log of one Session: its list, and those of its children's threads to record them too. The same event may
/// come in several.
///
/// # Errors
///
/// See [`RecordError`].
pub fn record_scenario(name: &str, logs: &[&str]) -> Result<Recording, RecordError> {
    let log = Log::read(logs)?;
    let mut notes = Vec::new();
    let mut primary = Vec::new();
    let mut children: BTreeMap<String, Vec<Recorded>> = log
        .children
        .iter()
        .map(|child| (child.name.clone(), Vec::new()))
        .collect();
    for run in &log.runs {
        let recorded = run::record(&log, run, &mut notes);
        match log.child(run.thread.as_deref()) {
            Some(child) => children.entry(child.name.clone()).or_default().push(recorded),
            None => primary.push(recorded),
        }
    }
    if primary.is_empty() {
        return Err(RecordError::NoRun);
    }
    let (behaviour, max_duration_seconds) = settings::settings(&log);
    let roster = children.into_iter().map(|(name, runs)| {
        if runs.is_empty() {
            notes.push(format!("the log of {name} is missing; give its thread's log too"));
        }
        let agent = AgentDraft {
            name: name.clone(),
            draft: serde_json::Map::new(),
        };
        let rules = if runs.is_empty() {
            vec![inputs::silent()]
        } else {
            rules(runs, &format!("the child {name}"), &mut notes)
        };
        (name, Child { agent, rules })
    });
    let roster: BTreeMap<String, Child> = roster.collect();
    let scenario = Scenario {
        name: name.to_owned(),
        description: format!("Recorded from {}.", log.session),
        agent: AgentDraft {
            name: name.to_owned(),
            draft: serde_json::Map::new(),
        },
        behaviour,
        max_duration_seconds,
        roster,
        rules: rules(primary, "the Agent", &mut notes),
    };
    let yaml = write(&scenario);
    parse(&yaml)?;
    Ok(Recording { yaml, notes })
}

/// One rule for each input, the longest first, so that none is taken for a shorter one that it contains. Where all inputs
/// of a kind led to the same, any input does.
fn rules(runs: Vec<Recorded>, who: &str, notes: &mut Vec<String>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for recorded in runs {
        let same_input =
            |rule: &&Rule| rule.input == recorded.rule.input && rule.contains == recorded.rule.contains;
        match rules.iter().find(same_input) {
            Some(rule) if *rule != recorded.rule => notes.push(format!(
                "{who} did two things for the input {:?}; the first is recorded",
                recorded.rule.contains.as_deref().unwrap_or_default()
            )),
            Some(_) => {}
            None => rules.push(recorded.rule),
        }
    }
    let kinds: BTreeSet<&str> = rules.iter().map(|rule| rule.input.as_str()).collect();
    if kinds.len() == rules.len() {
        for rule in &mut rules {
            rule.contains = None;
        }
    }
    let place = |kind: InputKind| InputKind::ALL.iter().position(|(_, other)| *other == kind);
    rules.sort_by_key(|rule| {
        let length = rule.contains.as_ref().map_or(0, |part| part.chars().count());
        (place(rule.input), std::cmp::Reverse(length))
    });
    rules
}
