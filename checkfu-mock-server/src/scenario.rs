//! Agents are scripts: a deployment's revision is a scenario, a YAML file that says what its Agent does.
//!
//! [`parse`] reads one and refuses what it does not understand, [`model`] is what comes out, [`built_in`] has the files
//! that every server serves, and [`record`] makes a scenario out of a Session's log. Playing one is the business of
//! [`crate::agent`].

pub(crate) mod built_in;
pub(crate) mod check;
pub(crate) mod duration;
pub(crate) mod error;
pub(crate) mod model;
pub(crate) mod parse;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod schema;
pub(crate) mod step;
pub(crate) mod template;
pub(crate) mod tree;
pub(crate) mod write;

#[cfg(test)]
mod tests;
