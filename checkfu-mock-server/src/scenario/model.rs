//! What a scenario says.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::step::Step;
use crate::core::admission::Behaviour;

/// The name of an Agent and what its draft says beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentDraft {
    pub(crate) name: String,
    pub(crate) draft: Map<String, Value>,
}

/// One revision of a deployment: what its Agent is and does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scenario {
    /// The deployment's name where none other is given.
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) agent: AgentDraft,
    pub(crate) behaviour: Behaviour,
    /// What a Run may take once its harness is ready.
    pub(crate) max_duration_seconds: u64,
    /// The children that the Agent may spawn, by name (THR-2).
    pub(crate) roster: BTreeMap<String, Child>,
    pub(crate) rules: Vec<Rule>,
}

/// An Agent of the roster.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Child {
    pub(crate) agent: AgentDraft,
    pub(crate) rules: Vec<Rule>,
}

/// What a Run does that was started by a fitting input. The first rule that fits is taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub(crate) input: InputKind,
    /// Part of the input's text.
    pub(crate) contains: Option<String>,
    /// How many of the Run's first start-ups never get ready (DLN-1).
    pub(crate) slow_start: u32,
    pub(crate) steps: Vec<Step>,
}

/// What starts a Run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    Message,
    Outcome,
    Report,
}

impl InputKind {
    /// Every kind, as a scenario writes it.
    pub(crate) const ALL: [(&str, Self); 3] = [
        ("message", Self::Message),
        ("outcome", Self::Outcome),
        ("report", Self::Report),
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Outcome => "outcome",
            Self::Report => "report",
        }
    }
}

/// What a Run may take where a scenario does not say, in seconds.
pub(crate) const DEFAULT_MAX_DURATION_SECONDS: u64 = 3600;
