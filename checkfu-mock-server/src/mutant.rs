//! Mutants: servers that break one promise each, to prove that a check notices. Only with the feature `mutants`.

#![cfg_attr(
    not(feature = "mutants"),
    allow(dead_code, unreachable_pub, reason = "nothing asks for a mutant then")
)]

#[cfg(feature = "mutants")]
mod chosen;
#[cfg(feature = "mutants")]
mod log;
#[cfg(not(feature = "mutants"))]
mod none;
mod promise;
#[cfg(feature = "mutants")]
mod scope;
#[cfg(feature = "mutants")]
mod wire;

#[cfg(feature = "mutants")]
pub(crate) use chosen::{Mutants, active, carry, hand_over};
#[cfg(feature = "mutants")]
pub(crate) use log::{rewrite, shown};
#[cfg(not(feature = "mutants"))]
pub(crate) use none::{Mutants, active, carry, hand_over, rewrite, shown};
pub use promise::Mutant;
