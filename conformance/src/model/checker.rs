mod append;
mod cursor;
mod finding;
mod fork;
mod gaps;
mod hole;
mod input;
mod kept;
mod order;
mod paging;
mod poll;
mod preview;
mod refusal;
mod settlement;
mod view;
mod work;

pub use finding::{Finding, Judgement};

use finding::Docket;
use view::View;

use super::history::History;

/// Judges a history by every property, from what it holds alone.
pub fn check(history: &History) -> Judgement {
    let view = View::of(history);
    let mut docket = Docket::default();
    order::judge(&view, &mut docket);
    hole::judge(&view, &mut docket);
    append::judge(&view, &mut docket);
    input::judge(&view, &mut docket);
    kept::judge(&view, &mut docket);
    poll::judge(&view, &mut docket);
    cursor::judge(&view, &mut docket);
    paging::judge(&view, &mut docket);
    fork::judge(&view, &mut docket);
    refusal::judge(&view, &mut docket);
    settlement::judge(&view, &mut docket);
    preview::judge(&view, &mut docket);
    docket.into_judgement()
}

#[cfg(test)]
mod growth;
#[cfg(test)]
mod tests;
