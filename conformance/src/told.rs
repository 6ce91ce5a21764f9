//! What the program says beside its output.

use std::io::Write;

use crate::printable::printable;

/// A line on stderr. A reader that left early, or a full disk behind it, is no fault of the run.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(line));
}
