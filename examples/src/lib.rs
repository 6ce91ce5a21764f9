//! Programs that use the Checkfu SDK, one for each task a user has. `cargo run --bin quickstart` is the first.

/// Compiles the examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
