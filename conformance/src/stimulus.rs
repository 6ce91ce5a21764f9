//! What the suite makes a server do, and the views it takes of the result.

pub(crate) mod bench;
pub(crate) mod capability;
mod class;
pub(crate) mod control;
pub(crate) mod event;
pub(crate) mod family;
pub(crate) mod fork;
pub(crate) mod found;
pub(crate) mod given;
pub(crate) mod line;
pub(crate) mod live;
pub(crate) mod log;
pub(crate) mod long;
pub(crate) mod look;
pub(crate) mod operations;
pub(crate) mod pages;
pub(crate) mod quiet;
pub(crate) mod replay;
mod retry;
pub(crate) mod session;
pub(crate) mod settled;
pub(crate) mod stalled;
pub(crate) mod tape;
pub(crate) mod text;
pub(crate) mod thread;
pub(crate) mod title;
pub(crate) mod turn;
pub(crate) mod wait;
pub(crate) mod watch;

pub use class::{Stimulus, UnknownStimulus};
