//! What a server need not have, and so need not be put to the test.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    anomaly::Property,
    history::{Call, History, Line, Phase},
};

/// Each with the only property that it alone puts to the test.
const OPTIONAL: [(&str, Property); 2] = [("forks", Property::Fork), ("previews", Property::PreviewErasure)];

/// How the refusal of a disabled capability stands in a history.
const DISABLED: &str = "status 403 capability.disabled";

/// What a server says of it, and what it refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Absence {
    listed: BTreeMap<&'static str, bool>,
    refused: BTreeSet<&'static str>,
}

impl Absence {
    /// By the list of a server, which says of a capability whether it is enabled, or nothing.
    pub(super) fn listed(says: impl Fn(&str) -> Option<bool>) -> Self {
        let listed = OPTIONAL.iter().filter_map(|(id, _)| Some((*id, says(id)?)));
        Self {
            listed: listed.collect(),
            refused: BTreeSet::new(),
        }
    }

    /// Takes note of what was refused in a history as a disabled capability is.
    pub(super) fn note(&mut self, history: &History) {
        let mut calls = HashMap::new();
        for line in history.lines() {
            let Line::Entry(entry) = line else { continue };
            let needed = match &entry.call {
                Some(Call::Fork { .. }) => Some("forks"),
                Some(Call::Stream { previews: true, .. }) => Some("previews"),
                _ => None,
            };
            if let Some(id) = needed {
                calls.insert(entry.op, id);
            }
            if entry.phase == Phase::Fail && entry.why.as_deref() == Some(DISABLED) {
                self.refused.extend(calls.get(&entry.op));
            }
        }
    }

    /// Why a property does not apply. A server that lists something as enabled has to have it, whatever it refuses.
    pub(super) fn of(&self, property: Property) -> Option<String> {
        let (id, _) = OPTIONAL.iter().find(|(_, needed)| *needed == property)?;
        match self.listed.get(id) {
            Some(false) => Some(format!("the capability {id} is disabled")),
            None if self.refused.contains(id) => {
                Some(format!("the capability {id} is refused as a disabled one is"))
            }
            Some(true) | None => None,
        }
    }
}
