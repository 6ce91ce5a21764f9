//! Bidirectional controls, paragraph by paragraph.
//!
//! Embeddings and overrides are always at fault. The marks (left-to-right, right-to-left, Arabic letter) and isolates
//! that are closed in their paragraph are not, if they stand in right-to-left text: the paragraph's first letter runs
//! to the left, or the nearest letter before or after the control does. Controls themselves are no letters, so that none
//! can vouch for another.

use unicode_bidi::format_chars::{ALM, FSI, LRE, LRI, LRM, LRO, PDF, PDI, RLE, RLI, RLM, RLO};
use unicode_bidi::{BidiClass, bidi_class};

/// UAX #9 ignores isolates that are nested deeper.
const MAX_DEPTH: usize = 125;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    Mark,
    Open,
    Close,
    /// An embedding, an override, or the end of one.
    Embedding,
}

/// Where the controls at fault stand, in reading order.
pub(super) fn suspicious(text: &[char]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for paragraph in text.split_inclusive(|&character| bidi_class(character) == BidiClass::B) {
        if paragraph.iter().any(|&character| control(character).is_some()) {
            found.extend(in_paragraph(paragraph).into_iter().map(|at| start + at));
        }
        start += paragraph.len();
    }
    found
}

fn in_paragraph(text: &[char]) -> Vec<usize> {
    let leftwards = leftwards(text);
    let mut fault: Vec<usize> = Vec::new();
    // Per open isolate: where it stands and whether it may.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, &character) in text.iter().enumerate() {
        match control(character) {
            None => {}
            Some(Control::Embedding) => fault.push(at),
            Some(Control::Mark) if leftwards[at] => {}
            Some(Control::Mark) => fault.push(at),
            Some(Control::Open) => open.push((at, leftwards[at] && open.len() < MAX_DEPTH)),
            Some(Control::Close) => match open.pop() {
                Some((_, true)) => {}
                Some((opened, false)) => fault.extend([opened, at]),
                None => fault.push(at),
            },
        }
    }
    fault.extend(open.into_iter().map(|(at, _)| at));
    fault.sort_unstable();
    fault
}

/// For each character, whether the text around it runs to the left.
fn leftwards(text: &[char]) -> Vec<bool> {
    let directions: Vec<Option<bool>> = text.iter().map(|&character| runs_leftwards(character)).collect();
    let base = directions.iter().copied().flatten().next();
    let mut around = vec![base == Some(true); text.len()];
    let mut nearest = None;
    for (around, direction) in around.iter_mut().zip(&directions) {
        nearest = direction.or(nearest);
        *around |= nearest == Some(true);
    }
    nearest = None;
    for (around, direction) in around.iter_mut().zip(&directions).rev() {
        nearest = direction.or(nearest);
        *around |= nearest == Some(true);
    }
    around
}

/// The direction of a letter; nothing else has one.
fn runs_leftwards(character: char) -> Option<bool> {
    if control(character).is_some() {
        return None;
    }
    match bidi_class(character) {
        BidiClass::L => Some(false),
        BidiClass::R | BidiClass::AL => Some(true),
        _ => None,
    }
}

fn control(character: char) -> Option<Control> {
    match character {
        ALM | LRM | RLM => Some(Control::Mark),
        LRI | RLI | FSI => Some(Control::Open),
        PDI => Some(Control::Close),
        LRE | RLE | LRO | RLO | PDF => Some(Control::Embedding),
        _ => None,
    }
}
