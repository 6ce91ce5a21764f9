//! Look-alike characters of mixed scripts and bidirectional controls in a message (PIN-1, A-PIN).

use serde::Serialize;

use super::payload::Block;

/// What was found in a message, and what it would be without.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inspection {
    pub(crate) findings: Vec<Finding>,
    pub(crate) corrected: Vec<Block>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    pub(crate) block: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) codepoints: Vec<String>,
}

/// What kind of finding it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingKind {
    MixedScriptConfusable,
    BidiControl,
}
