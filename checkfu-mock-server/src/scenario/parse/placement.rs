//! Which step may stand where.

use crate::scenario::model::{InputKind, Scenario};
use crate::scenario::step::{Call, Step};

/// Where a list of steps stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    thread: Thread<'a>,
    input: InputKind,
    /// How many lists of steps stand around this one.
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
enum Thread<'a> {
    Primary { roster: &'a [&'a str] },
    Child,
}

const MAX_DEPTH: u32 = 4;

impl<'a> Place<'a> {
    pub(super) fn primary(roster: &'a [&'a str]) -> Self {
        Self::new(Thread::Primary { roster })
    }

    pub(super) fn child() -> Self {
        Self::new(Thread::Child)
    }

    fn new(thread: Thread<'a>) -> Self {
        Self {
            thread,
            input: InputKind::Message,
            depth: 0,
        }
    }

    pub(super) fn of_input(self, input: InputKind) -> Self {
        Self { input, ..self }
    }

    pub(super) fn is_primary(&self) -> bool {
        matches!(self.thread, Thread::Primary { .. })
    }

    /// Inside a step; none where it gets too deep.
    pub(super) fn inside(self) -> Option<Self> {
        let depth = self.depth + 1;
        (depth <= MAX_DEPTH).then_some(Self { depth, ..self })
    }

    /// What is wrong with a child's name here.
    pub(super) fn check_child(&self, name: &str) -> Result<(), String> {
        match self.thread {
            Thread::Primary { roster } if roster.contains(&name) => Ok(()),
            Thread::Primary { roster: [] } => Err("there is no roster; add one with this child".to_owned()),
            Thread::Primary { roster } => Err(format!("must be one of the roster: {}", roster.join(", "))),
            Thread::Child => Err("only the primary has children".to_owned()),
        }
    }

    /// What is wrong with a step here.
    pub(super) fn check(&self, step: &Step) -> Result<(), &'static str> {
        match step {
            Step::Spawn { .. } | Step::Send { .. } if !self.is_primary() => {
                Err("only the primary has children; use report")
            }
            Step::Report(_) if self.is_primary() => Err("only a child reports; use say"),
            Step::Reconcile(_) if !self.is_primary() => Err("only the primary reconciles; remove it"),
            Step::Reconcile(_) if self.depth > 0 => Err("belongs to the end of a rule's own steps"),
            Step::Grade(_) if self.input != InputKind::Outcome => {
                Err("only an outcome has a grader; use it under input: outcome")
            }
            Step::Grade(_) if self.depth > 0 => Err("belongs to a rule's own steps"),
            _ => Ok(()),
        }
    }
}

/// What is wrong with a step after those before it.
pub(super) fn check_order(before: &[Step], step: &Step) -> Result<(), &'static str> {
    if matches!(before.last(), Some(Step::Stop(_) | Step::Fail(_))) {
        return Err("is never reached: the step before ends the Run");
    }
    let after_reconcile = before.iter().any(|step| matches!(step, Step::Reconcile(_)));
    if after_reconcile && !matches!(step, Step::Spend(_) | Step::Stop(_)) {
        return Err("follows a reconcile, when compute is done; only spend and stop may");
    }
    if matches!(step, Step::Grade(_)) && before.iter().any(|step| matches!(step, Step::Grade(_))) {
        return Err("is the second grade; make it a round of the first");
    }
    Ok(())
}

/// Whether the grader of an Outcome is asked, or nothing is left for it.
pub(super) fn ends_in_a_verdict(steps: &[Step]) -> bool {
    steps
        .iter()
        .any(|step| matches!(step, Step::Grade(_) | Step::Fail(_)))
}

/// How many steps a scenario has.
pub(super) fn count(scenario: &Scenario) -> usize {
    let children = scenario.roster.values().flat_map(|child| &child.rules);
    let rules = scenario.rules.iter().chain(children);
    rules.map(|rule| count_steps(&rule.steps)).sum()
}

fn count_steps(steps: &[Step]) -> usize {
    let inner = |call: &Call| count_steps(&call.if_denied) + count_steps(&call.if_error);
    let counts = steps.iter().map(|step| {
        1 + match step {
            Step::Use(call) | Step::Call(call) => inner(call),
            Step::Together(calls) => calls.iter().map(|call| 1 + inner(call)).sum(),
            Step::Grade(rounds) => rounds.iter().map(|round| 1 + count_steps(&round.steps)).sum(),
            _ => 0,
        }
    });
    counts.sum()
}
