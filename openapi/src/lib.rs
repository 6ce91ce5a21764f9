//! The Checkfu API contract as data, and a judge over it.
//!
//! [`DOCUMENT`] is the OpenAPI 3.1 document, [`Judge`] validates JSON by it, [`fixtures`] are values to test a client
//! or a server with. Clients and servers keep their own types and use this crate only in their tests, as the third
//! party that neither of them wrote: a name misspelt on both sides still fails here.
//!
//! ```
//! use checkfu_openapi::{Judge, fixtures};
//!
//! let judge = Judge::closed()?;
//! for fixture in fixtures()?.documents {
//!     judge.check(&fixture.schema, &fixture.value)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closing;
mod document;
mod explain;
mod fixture;
mod judge;
mod operation;
mod pointer;
mod schema_walk;
mod violation;

pub use document::{DOCUMENT, Document, DocumentError, ErrorCode};
pub use fixture::{Fixture, FixtureError, FixtureGroup, Fixtures, HostileFixture, StreamFixture, fixtures};
pub use judge::Judge;
pub use operation::Operation;
pub use violation::{Violation, Violations};

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
