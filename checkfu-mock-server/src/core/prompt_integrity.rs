//! What is suspicious in the text of a `user.message`: look-alike letters of mixed scripts and bidirectional controls
//! (PIN-1, A-PIN).
//!
//! Only text blocks are judged; documents, images and whatever tools and Agents write are not (PIN-2). Letters are
//! judged word by word, [`word`] says how; controls by the paragraph they stand in, [`bidi`] says how.
//!
//! The corrected content has no finding, so correcting it again changes nothing.

mod bidi;
mod confusable;
mod letter;
mod word;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::Serialize;

use super::payload::Block;

/// A refusal names at most this many places. The correction covers every one.
const MAX_FINDINGS: usize = 1000;

/// What was found, and the content without it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inspection {
    /// In reading order, at most 1,000.
    pub(crate) findings: Vec<Finding>,
    /// The whole content, with each look-alike in its word's main script and without the controls.
    pub(crate) corrected: Vec<Block>,
}

/// One suspicious place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// The content block, from 0.
    pub(crate) block: usize,
    /// The first character at fault or of the word at fault, in Unicode scalar values of the block.
    pub(crate) start: usize,
    /// The character after the last one.
    pub(crate) end: usize,
    /// The different code points at fault, in reading order, such as `U+0430`.
    pub(crate) codepoints: Vec<String>,
}

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    MixedScriptConfusable,
    BidiControl,
}

/// Looks for suspicious places; nothing if there is none.
pub(crate) fn inspect(content: &[Block]) -> Option<Inspection> {
    let mut findings = Vec::new();
    let corrected = content.iter().enumerate().map(|(index, block)| match block {
        Block::Text { text } => {
            let text = text_block(index, text, &mut findings);
            text.map_or_else(|| block.clone(), |text| Block::Text { text })
        }
        Block::Image { .. } | Block::Document { .. } => block.clone(),
    });
    let corrected = corrected.collect();
    findings.truncate(MAX_FINDINGS);
    (!findings.is_empty()).then_some(Inspection { findings, corrected })
}

/// Adds a block's findings and corrects it, if there are any.
fn text_block(block: usize, text: &str, findings: &mut Vec<Finding>) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    for word in word::suspicious(&characters) {
        let faults = word.counterparts.iter().map(|&(at, _)| characters[at]);
        let codepoints = codepoints(faults);
        for (at, counterpart) in word.counterparts {
            characters[at] = counterpart;
        }
        found.push(Finding {
            kind: Kind::MixedScriptConfusable,
            block,
            start: word.start,
            end: word.end,
            codepoints,
        });
    }
    // Judged among the corrected letters, which decide in what direction the text around a control runs.
    let controls = bidi::suspicious(&characters);
    for run in controls.chunk_by(|one, next| one + 1 == *next) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        found.push(Finding {
            kind: Kind::BidiControl,
            block,
            start: *first,
            end: last + 1,
            codepoints: codepoints(run.iter().map(|&at| characters[at])),
        });
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|finding| (finding.start, finding.end));
    findings.extend(found);
    let mut controls = controls.into_iter().peekable();
    let kept: String = characters
        .into_iter()
        .enumerate()
        .filter_map(|(at, character)| controls.next_if_eq(&at).is_none().then_some(character))
        .collect();
    // A text is never empty: the replacement character stands for one of which nothing is left.
    Some(if kept.is_empty() {
        "\u{fffd}".to_owned()
    } else {
        kept
    })
}

fn codepoints(faults: impl Iterator<Item = char>) -> Vec<String> {
    let mut seen = HashSet::new();
    faults
        .filter(|&fault| seen.insert(fault))
        .map(|fault| format!("U+{:04X}", u32::from(fault)))
        .collect()
}
