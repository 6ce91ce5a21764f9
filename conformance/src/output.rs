//! What the program prints, and whether it got out.

use std::{
    io::{Write, stdout},
    sync::OnceLock,
};

static FAULT: OnceLock<String> = OnceLock::new();

/// Prints a piece of what was asked for.
pub(crate) fn print(text: &str) {
    let mut out = stdout().lock();
    // What stays in a buffer is lost without a word at the end of the program.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written {
        FAULT.get_or_init(|| error.to_string());
    }
}

/// Why not all of it was written, if so: a full disk, or a reader that left.
pub(crate) fn unwritten() -> Option<&'static str> {
    FAULT.get().map(String::as_str)
}
