//! The pure core: commands in, events out.
//!
//! Nothing here does I/O, reads a clock or knows HTTP. A [`session::Session`] is the fold of its event log (SES-5);
//! [`decide::decide`] looks at that fold and answers a command with new events, or refuses and changes nothing.
//! Which status may follow which stands in one place, [`transition`].

pub(crate) mod admission;
pub(crate) mod assign;
pub(crate) mod assignment;
pub(crate) mod batch;
pub(crate) mod command;
pub(crate) mod cursor;
pub(crate) mod decide;
mod digest;
pub(crate) mod event;
mod fold;
mod fork;
pub(crate) mod id;
pub(crate) mod json;
pub(crate) mod lineage;
pub(crate) mod moment;
pub(crate) mod payload;
pub(crate) mod prompt_integrity;
pub(crate) mod refusal;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod step;
pub(crate) mod thread;
pub(crate) mod touched;
pub(crate) mod transition;
pub(crate) mod unfinished;
pub(crate) mod wait;

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
