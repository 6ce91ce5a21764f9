//! Writes and checks LEDGER.md: which file implements a requirement and which test shows it.

fn main() {}
