//! Every broken server that a check names, by the area of the promise that it breaks.

mod access;
mod answer;
mod append;
mod approval;
mod authority;
mod capability;
mod continuation;
mod edit;
mod ending;
mod errors;
mod idempotency;
mod interrupt;
mod list;
mod log;
mod outcome;
mod overlap;
mod payload;
mod resume;
mod session;
mod stream;
mod terminal;
mod trace;
mod turn;
mod usage;
mod wait;

use crate::mutant::Mutant;

/// All of them, for a server that accepts `key` and knows `principal`.
pub(crate) fn all(key: &str, principal: &str) -> Vec<Mutant> {
    [
        access::mutants(key),
        errors::mutants(),
        session::mutants(),
        append::mutants(principal),
        log::mutants(),
        list::mutants(),
        stream::mutants(),
        resume::mutants(principal),
        turn::mutants(),
        idempotency::mutants(),
        capability::mutants(principal),
        terminal::mutants(),
        wait::mutants(),
        continuation::mutants(),
        answer::mutants(principal),
        payload::mutants(),
        interrupt::mutants(),
        overlap::mutants(),
        authority::mutants(principal),
        outcome::mutants(),
        approval::mutants(),
        usage::mutants(),
        ending::mutants(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
