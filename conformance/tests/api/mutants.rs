//! Every broken server that a check names, by the area of the promise that it breaks.

mod access;
mod append;
mod capability;
mod errors;
mod idempotency;
mod list;
mod log;
mod resume;
mod session;
mod stream;
mod terminal;
mod trace;
mod turn;

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
    ]
    .into_iter()
    .flatten()
    .collect()
}
