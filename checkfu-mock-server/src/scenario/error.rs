//! What is wrong with a scenario file.

use std::fmt;

/// A scenario that is refused: where, which field, what is wrong and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct ScenarioError {
    /// The line, from 1; 0 where the whole file is meant.
    pub line: u64,
    /// The column, from 1; 0 where the whole file is meant.
    pub column: u64,
    /// The field as a path, such as `rules[0].steps[2].say.text`; empty for the file itself.
    pub field: String,
    /// What is wrong, and the fix.
    pub problem: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(formatter, "line {}, column {}: ", self.line, self.column)?;
        }
        if !self.field.is_empty() {
            write!(formatter, "{}: ", self.field)?;
        }
        formatter.write_str(&self.problem)
    }
}
