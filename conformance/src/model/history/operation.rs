use std::collections::HashMap;

use super::{
    entry::{Call, Entry, Phase, Seen},
    problem::Problem,
};

/// An operation from its call to its end.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) number: u32,
    pub(crate) process: u32,
    pub(crate) call: Call,
    /// The line of the call. Lines are in the order of time, so they order operations.
    pub(crate) invoked: usize,
    /// The line of the end; none if it never came.
    pub(crate) completed: Option<usize>,
    /// How it ended; `info` if it did not.
    pub(crate) phase: Phase,
    pub(crate) seen: Option<Seen>,
}

impl Operation {
    /// The lines that show it.
    pub(crate) fn lines(&self) -> impl Iterator<Item = usize> {
        [Some(self.invoked), self.completed].into_iter().flatten()
    }

    /// Whether it ended before the other began.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.completed.is_some_and(|completed| completed < other.invoked)
    }

    /// Whether it may have changed the log.
    pub(crate) fn may_write(&self) -> bool {
        let reads = matches!(self.call, Call::List { .. } | Call::Stream { .. });
        !reads && self.phase != Phase::Fail
    }
}

/// Operations being put together from their phases.
#[derive(Default)]
pub(super) struct Gathered {
    operations: Vec<Operation>,
    places: HashMap<u32, usize>,
}

impl Gathered {
    pub(super) fn take(&mut self, line: usize, entry: &Entry) -> Result<(), Problem> {
        match (&entry.phase, &entry.call) {
            (Phase::Invoke, Some(call)) if entry.seen.is_none() => self.begin(line, entry, call),
            (Phase::Invoke, _) => Err(Problem::Invocation),
            (_, Some(_)) => Err(Problem::LateCall),
            (_, None) => self.end(line, entry),
        }
    }

    pub(super) fn into_operations(self) -> Vec<Operation> {
        self.operations
    }

    fn begin(&mut self, line: usize, entry: &Entry, call: &Call) -> Result<(), Problem> {
        if self.places.insert(entry.op, self.operations.len()).is_some() {
            return Err(Problem::InvokedTwice(entry.op));
        }
        self.operations.push(Operation {
            number: entry.op,
            process: entry.process,
            call: call.clone(),
            invoked: line,
            completed: None,
            phase: Phase::Info,
            seen: None,
        });
        Ok(())
    }

    fn end(&mut self, line: usize, entry: &Entry) -> Result<(), Problem> {
        let place = self.places.get(&entry.op);
        let Some(operation) = place.and_then(|place| self.operations.get_mut(*place)) else {
            return Err(Problem::NeverInvoked(entry.op));
        };
        if operation.completed.is_some() {
            return Err(Problem::EndedTwice(entry.op));
        }
        if operation.process != entry.process {
            return Err(Problem::OtherProcess(entry.op));
        }
        if entry.seen.as_ref().is_some_and(|seen| !operation.call.fits(seen)) {
            return Err(Problem::Misfit(entry.op));
        }
        contradiction(entry, &operation.call)?;
        operation.completed = Some(line);
        operation.phase = entry.phase;
        operation.seen.clone_from(&entry.seen);
        Ok(())
    }
}

/// Nothing is seen of what had no effect or of what nobody knows, and a read that was answered shows something.
fn contradiction(entry: &Entry, call: &Call) -> Result<(), Problem> {
    let reads = matches!(call, Call::List { .. } | Call::Stream { .. });
    match (entry.phase, &entry.seen) {
        (Phase::Fail, Some(_)) => Err(Problem::SeenThough(entry.op, "fail")),
        (Phase::Info, Some(_)) => Err(Problem::SeenThough(entry.op, "info")),
        (Phase::Ok, None) if reads => Err(Problem::Unseen(entry.op)),
        (Phase::Ok, _) if entry.why.is_some() => Err(Problem::WhyThough(entry.op)),
        _ => Ok(()),
    }
}
