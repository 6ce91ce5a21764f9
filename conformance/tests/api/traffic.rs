//! Requests, answers and frames on their way through a relay.

mod call;
mod frame;
mod number;

pub(crate) use call::{Answer, Call};
pub(crate) use frame::Frame;
