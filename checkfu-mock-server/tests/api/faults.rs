//! Faults: each does what its name says, counts it, and leaves everything else alone.

mod answers;
pub(crate) mod bytes;
mod connections;
mod hostile;
mod pages;
mod plan;
mod previews;
mod streams;
