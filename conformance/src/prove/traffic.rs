//! Requests, answers and frames on their way through a relay.

mod answer;
mod call;
mod edit;
mod frame;
mod number;
mod order;

pub use answer::Answer;
pub use call::Call;
pub(crate) use edit::Edit;
pub use frame::Frame;
pub(crate) use order::reversed;
