//! How resources look in JSON. These types are the server's own; tests compare them with the published contract.

pub(crate) mod approval;
pub(crate) mod capability;
pub(crate) mod deployment;
pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod page;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod thread;
