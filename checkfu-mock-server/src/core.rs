//! The pure core: commands in, events out.
//!
//! Nothing here does I/O, reads a clock or knows HTTP. A [`session::Session`] is the fold of its event log (SES-5);
//! [`command::decide`] looks at that fold and answers a command with new events, or refuses and changes nothing.
//! Which status may follow which stands in one place, [`transition`].

pub(crate) mod admission;
pub(crate) mod batch;
pub(crate) mod command;
pub(crate) mod cursor;
pub(crate) mod event;
pub(crate) mod id;
pub(crate) mod moment;
pub(crate) mod payload;
pub(crate) mod refusal;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod status;
pub(crate) mod transition;

#[cfg(test)]
mod tests;
