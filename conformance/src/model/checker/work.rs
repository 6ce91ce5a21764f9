//! How much a judgement looks at, so that a test can say that it grows no faster than the history.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// One more thing was looked at.
pub(super) fn step() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// The steps that this takes.
#[cfg(test)]
pub(super) fn of<T>(judge: impl FnOnce() -> T) -> (u64, T) {
    let before = STEPS.with(Cell::get);
    let judged = judge();
    (STEPS.with(Cell::get) - before, judged)
}
