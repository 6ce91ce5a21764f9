//! What stands under `payload`, one type per shape (decisions on events and states).

mod agent;
mod approval;
mod content;
mod outcome;
mod run;
mod session;
mod thread;
mod user;
mod wait;

pub(crate) use agent::*;
pub(crate) use approval::*;
pub(crate) use content::*;
pub(crate) use outcome::*;
pub(crate) use run::*;
pub(crate) use session::*;
pub(crate) use thread::*;
pub(crate) use user::*;
pub(crate) use wait::*;
