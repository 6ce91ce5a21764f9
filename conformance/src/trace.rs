//! What the published pages say, sentence by sentence.
//!
//! How a page is divided is part of the data: another division gives other hashes. The rules stand in [`passages`].

mod line;
mod page;
mod passage;
mod prose;

pub use page::passages;
pub use passage::{Form, Passage};
