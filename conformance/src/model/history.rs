mod entry;
mod operation;
mod problem;
mod record;

pub(crate) use entry::FORMAT;
pub use entry::{Block, Call, Entry, Header, Line, Phase, Seen, StreamEnd, Until, Walk, WalkEnd};
pub(crate) use operation::Operation;
pub use problem::{InvalidHistory, Problem};
pub use record::History;
