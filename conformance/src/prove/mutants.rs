//! Every broken server that a check names, by the area of the promise that it breaks.

mod access;
mod answer;
mod append;
mod approval;
mod archive;
mod as_logged;
mod authority;
mod capability;
mod child;
mod children;
mod concurrent;
mod content;
mod continuation;
mod control;
mod diff;
mod edit;
mod ended;
mod ending;
mod errors;
mod fork;
mod fork_act;
mod forks;
mod growth;
mod holes;
mod idempotency;
mod interrupt;
mod label;
mod list;
mod log;
mod long_log;
mod mirror;
mod operation;
mod outcome;
mod overlap;
mod page;
mod payload;
mod payload_text;
mod preview;
mod prompt;
mod prompt_text;
mod quiet;
mod resource;
mod resume;
mod session;
mod stall;
mod status;
mod stream;
mod terminal;
mod thread;
mod thread_view;
mod trace;
mod turn;
mod usage;
mod view;
mod wait;

use crate::prove::mutant::Mutant;

/// All of them, for a server that accepts `key` and knows `principal`.
pub(crate) fn all(key: &str, principal: &str) -> Vec<Mutant> {
    [
        access::mutants(key),
        operation::mutants(key),
        errors::mutants(),
        session::mutants(),
        label::mutants(),
        append::mutants(principal),
        concurrent::mutants(),
        content::mutants(),
        log::mutants(),
        list::mutants(),
        stream::mutants(),
        mirror::mutants(),
        long_log::mutants(),
        view::mutants(),
        quiet::mutants(),
        stall::mutants(),
        resume::mutants(principal),
        preview::mutants(),
        page::mutants(),
        prompt::mutants(principal),
        prompt_text::mutants(),
        resource::mutants(),
        turn::mutants(),
        idempotency::mutants(),
        capability::mutants(principal),
        thread::mutants(),
        thread_view::mutants(),
        archive::mutants(),
        as_logged::mutants(),
        child::mutants(),
        fork::mutants(),
        fork_act::mutants(),
        growth::mutants(),
        diff::mutants(),
        terminal::mutants(),
        wait::mutants(),
        continuation::mutants(),
        control::mutants(),
        answer::mutants(principal),
        payload::mutants(),
        payload_text::mutants(),
        interrupt::mutants(),
        overlap::mutants(),
        authority::mutants(principal),
        outcome::mutants(),
        approval::mutants(),
        usage::mutants(),
        ending::mutants(),
        ended::mutants(),
        status::mutants(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
