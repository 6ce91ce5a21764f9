//! Proof that the verdicts mean something: what does nothing right passes no check, and each check fails on servers
//! that break its promise, by the contradiction that it is there to show.
//!
//! The proof drives a reference server as a program. It knows no types of it: it starts it, reads the line that it
//! prints, and sends requests. A wire mutant is a [`Relay`] in front of the sound server that breaks one promise on the
//! way; an instrumented mutant is the server itself, told to break one.

mod binary;
mod case;
mod claims;
mod depth;
mod equivalents;
mod instrumented;
mod kill;
mod kills;
mod layer;
mod lock;
mod matrix;
mod mutant;
mod mutants;
mod null;
mod pressure;
mod proof;
mod relay;
mod report_of;
mod survivor;
mod tables;
mod traffic;
mod wire;

pub use binary::{Binary, RunningServer, Unprovable};
pub use depth::Depth;
pub use kill::Kill;
pub use kills::kills;
pub use layer::Layer;
pub use matrix::{Matrix, Stale};
pub use mutant::{Also, Encode, Instead, Mutant, OnAnswer, OnFrame, OnRequest};
pub use null::Score;
pub use proof::{Proof, Settings, prove};
pub use relay::Relay;
pub use survivor::survivors;
pub use tables::contradictions;
pub use traffic::{Answer, Call, Frame};
