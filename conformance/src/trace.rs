//! What the published pages say, sentence by sentence, and what the suite does with each sentence.
//!
//! `spec/sentences.toml` has a row for every sentence of the pages: a paraphrase, the hash of the sentence, and either
//! the requirements it became, a reason why it is no server's to show, or what is missing before it can be judged. The
//! pages themselves are not part of the crate; [`drift`] recomputes the hashes on a copy of them.
//!
//! How a page is divided is part of the data: another division gives other hashes. The rules stand in [`passages`].

mod coverage;
mod drift;
mod line;
mod page;
mod passage;
mod prose;
mod resolution;
mod sentence;
mod summary;
mod tally;

pub use coverage::coverage;
pub use drift::{Drift, UnreadablePage, drift};
pub use page::passages;
pub use passage::{Form, Passage};
pub use resolution::{Resolution, State, resolve};
pub use sentence::{Claim, Kind, SENTENCES_TOML, Sentence, pages, sentences};
pub use summary::summary;
