use std::collections::BTreeSet;

use super::sentence::{Claim, Sentence};
use crate::{
    checks::checks,
    level::Level,
    requirement::{Actor, Requirement, requirement},
};

/// Where a sentence stands between the page and the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// Each requirement that a server has to show for it has a check that is as firm as the requirement, and no part of
    /// the sentence rests on a check that is less firm.
    Proven,
    /// Each has a check, but a part only checks that are less firm: breaking it does not fail every run. So is a sentence
    /// whose row does not say which checks show it where some of them judge what the reference picks.
    Covered,
    /// No server has to show it.
    Excluded,
    /// A check of it is missing.
    Pending,
}

impl State {
    /// Every state, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Proven, Self::Covered, Self::Excluded, Self::Pending];

    /// Its name, in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Covered => "covered",
            Self::Excluded => "excluded",
            Self::Pending => "pending",
        }
    }
}

/// A sentence's state, computed from its requirements and from the checks that name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The state.
    pub state: State,
    /// The checks that show it, by id, in the order of its requirements; of a pending one those that show
    /// a part of what it names.
    pub checks: Vec<&'static str>,
    /// Why it is excluded, what is missing, or which of its requirements is judged less firmly; else empty.
    pub note: String,
}

/// Where this sentence stands now. A new check moves it; its row stays as it is.
pub fn resolve(sentence: &Sentence) -> Resolution {
    resolve_by(sentence, requirement, judges)
}

/// The checks that name a requirement, with how firm they are.
fn judges(id: &str) -> Vec<Judge> {
    checks()
        .filter(|check| check.requirements().contains(&id))
        .map(|check| (check.id(), check.level()))
        .collect()
}

type Judge = (&'static str, Level);

fn resolve_by<'r>(
    sentence: &Sentence,
    requirement: impl Fn(&str) -> Option<&'r Requirement>,
    judges: impl Fn(&str) -> Vec<Judge>,
) -> Resolution {
    let judges = |id: &str| -> Vec<Judge> {
        let mut all = judges(id);
        if let Some(shown_by) = &sentence.shown_by {
            all.retain(|(check, _)| shown_by.iter().any(|named| named == check));
        }
        all
    };
    let ids = match &sentence.claim {
        Claim::Excluded(reason) => return without_checks(State::Excluded, reason.clone()),
        Claim::Pending(missing) => {
            return Resolution {
                state: State::Pending,
                checks: distinct(sentence.named().into_iter().flat_map(judges)),
                note: missing.clone(),
            };
        }
        Claim::Requirements(ids) => ids,
    };
    let rows: Vec<_> = ids.iter().map(|id| (id.as_str(), requirement(id))).collect();
    let owed: Vec<_> = rows
        .iter()
        .filter(|(_, row)| row.is_none_or(|row| is_a_servers(sentence, row)))
        .collect();
    if owed.is_empty() {
        let actor = sentence.actor.or_else(|| {
            rows.iter()
                .find_map(|(_, row)| row.and_then(|row| row.actors.first().copied()))
        });
        return without_checks(State::Excluded, not_a_servers(actor).to_owned());
    }
    let (mut missing, mut softer) = (Vec::new(), Vec::new());
    for (id, row) in &owed {
        let judges = judges(id);
        match row {
            None => missing.push(*id),
            Some(_) if judges.is_empty() => missing.push(*id),
            Some(row) => softer.extend(less_firm(sentence, row, &judges)),
        }
    }
    let (state, note) = if !missing.is_empty() {
        (State::Pending, format!("no check of {}", missing.join(", ")))
    } else if !softer.is_empty() {
        let softer: BTreeSet<_> = softer.into_iter().collect();
        (State::Covered, Vec::from_iter(softer).join(", "))
    } else {
        (State::Proven, String::new())
    };
    Resolution {
        state,
        checks: distinct(owed.into_iter().flat_map(|(id, _)| judges(id))),
        note,
    }
}

/// What of a requirement rests on checks that are less firm than it. The firm check of another part proves nothing: where
/// some checks judge what the reference picks, the row has to say which show the sentence.
fn less_firm(sentence: &Sentence, row: &Requirement, judges: &[Judge]) -> Vec<String> {
    // A documented sentence may rest on a decision too, which does not make it firmer.
    let is_choice = |level| level == Level::Assumed && sentence.level < Level::Assumed;
    let is_firm = |level| level <= row.level && !is_choice(level);
    let firmest = judges.iter().map(|(_, level)| *level).min();
    if let Some(firmest) = firmest.filter(|level| !is_firm(*level)) {
        return vec![format!("{} only at level {}", row.id, firmest.letter())];
    }
    let choices: Vec<_> = judges.iter().filter(|(_, level)| is_choice(*level)).collect();
    match (&sentence.shown_by, choices.is_empty()) {
        (_, true) => Vec::new(),
        (Some(_), false) => choices
            .into_iter()
            .map(|(check, level)| format!("a part only by `{check}` at level {}", level.letter()))
            .collect(),
        (None, false) => vec![format!("the row does not say which checks of {} show it", row.id)],
    }
}

fn distinct(judges: impl Iterator<Item = Judge>) -> Vec<&'static str> {
    let mut checks = Vec::new();
    for (check, _) in judges {
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

fn is_a_servers(sentence: &Sentence, row: &Requirement) -> bool {
    row.actors.contains(&Actor::Server) && sentence.actor.is_none_or(|actor| actor == Actor::Server)
}

fn not_a_servers(actor: Option<Actor>) -> &'static str {
    match actor {
        Some(Actor::Cli) => "the command line's to show, which the suite does not judge",
        Some(Actor::Client) => "a client's to show; clients are not judged yet",
        Some(Actor::Server) | None => "no requirement is named",
    }
}

fn without_checks(state: State, note: String) -> Resolution {
    Resolution {
        state,
        checks: Vec::new(),
        note,
    }
}

#[cfg(test)]
mod tests;
