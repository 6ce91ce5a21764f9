use std::fmt;

/// One layer of the proof: how much of it holds, and what does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// What it shows, in a few words.
    pub name: &'static str,
    /// How many cases were judged.
    pub total: usize,
    /// The cases that do not hold.
    pub broken: usize,
    /// What was expected there and what came, a line each.
    pub problems: Vec<String>,
}

impl Layer {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            total: 0,
            broken: 0,
            problems: Vec::new(),
        }
    }

    /// Adds a case with what is wrong with it, which is nothing where it holds.
    pub(super) fn add(&mut self, problems: Vec<String>) {
        self.total += 1;
        self.broken += usize::from(!problems.is_empty());
        self.problems.extend(problems);
    }

    /// Whether all of it holds.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.holds() { "holds" } else { "BROKEN" };
        let held = self.total.saturating_sub(self.broken);
        writeln!(formatter, "{sign:<7} {}: {held} of {}", self.name, self.total)?;
        for problem in &self.problems {
            writeln!(formatter, "        {problem}")?;
        }
        Ok(())
    }
}
