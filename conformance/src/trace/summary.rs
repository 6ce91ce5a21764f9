use std::fmt::Write as _;

use super::{
    resolution::{State, resolve},
    sentence::sentences,
    tally::Tally,
};

/// The sentences by page and state, and each that is pending with what is missing, for people.
pub fn summary() -> String {
    let mut text = format!("{:<20}{:>10}", "page", "sentences");
    for state in State::ALL {
        let _ = write!(text, "{:>10}", state.word());
    }
    text.push('\n');
    for tally in Tally::of_every_page() {
        let _ = write!(text, "{:<20}{:>10}", tally.page, tally.total());
        for count in tally.counts {
            let _ = write!(text, "{count:>10}");
        }
        text.push('\n');
    }
    for row in sentences() {
        let resolution = resolve(row);
        if resolution.state == State::Pending {
            let _ = write!(
                text,
                "\npending {} ({})\n  {}\n  {}\n",
                row.id, row.level, row.paraphrase, resolution.note
            );
        }
    }
    text
}
