//! Programs that use the Checkfu SDK, one for each task a user has.

fn main() {}
