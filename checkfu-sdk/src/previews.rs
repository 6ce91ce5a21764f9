//! Partial texts, folded from a stream with previews: a pure fold, without clock or network.
//!
//! What is here is for the eye alone. It is gone with the turn or the connection, and the event that comes of it holds the
//! whole text.

mod limits;
mod partial;
mod reducer;

pub use limits::PreviewLimits;
pub use partial::PartialEvent;
pub use reducer::PreviewReducer;
