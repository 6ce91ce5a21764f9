//! Every check, by area, in the order in which a run takes them.

mod answer;
mod append;
mod approval;
mod approval_expiry;
mod archive;
mod archive_refusal;
mod attempt;
mod auth;
mod authority;
mod capability;
mod capability_claim;
mod capability_stable;
mod child;
mod concurrent;
mod content;
mod continuation;
mod contract;
mod contract_refusals;
mod deadline;
mod deployment;
mod diff;
mod ended;
mod ending;
mod error_order;
mod errors;
mod event_ids;
mod fork;
mod fork_acts;
mod fork_long;
mod fork_point;
mod fork_session;
mod fork_status;
mod idempotency;
mod interrupt;
mod interrupt_child;
mod interrupt_settling;
mod label;
mod largest_page;
mod list;
mod list_growth;
mod long_log;
mod long_resume;
mod many_turns;
mod media_type;
mod mirror;
mod order;
mod outcome;
mod overlap;
mod overlap_order;
mod page;
mod passing_time;
mod payload;
mod payload_text;
mod pin;
mod preview;
mod preview_final;
mod preview_live;
mod preview_resume;
mod preview_type;
mod prompt;
mod prompt_decision;
mod prompt_text;
mod quiet;
mod refusal;
mod restart;
mod resume;
mod resume_live;
mod run;
mod run_list;
mod session;
mod session_view;
mod spawn;
mod stale;
mod stall;
mod stall_large;
mod status;
mod stream;
mod stream_turns;
mod stream_views;
mod terminal;
mod thread;
mod thread_child;
mod thread_history;
mod thread_pages;
mod thread_resource;
mod thread_stream;
mod transition;
mod trimmed;
mod turn;
mod usage;
mod version;
mod wait;
mod wait_kind;
mod workspace;

use crate::check::Check;

/// One explicit table; the checks of the contract judge the whole run and stand last.
const AREAS: [&[Check]; 93] = [
    session::CHECKS,
    session_view::CHECKS,
    label::CHECKS,
    auth::CHECKS,
    version::CHECKS,
    workspace::CHECKS,
    errors::CHECKS,
    error_order::CHECKS,
    media_type::CHECKS,
    append::CHECKS,
    concurrent::CHECKS,
    content::CHECKS,
    order::CHECKS,
    list::CHECKS,
    list_growth::CHECKS,
    page::CHECKS,
    largest_page::CHECKS,
    stream::CHECKS,
    stream_turns::CHECKS,
    stream_views::CHECKS,
    quiet::CHECKS,
    stall::CHECKS,
    stall_large::CHECKS,
    resume::CHECKS,
    resume_live::CHECKS,
    long_resume::CHECKS,
    long_log::CHECKS,
    trimmed::CHECKS,
    restart::CHECKS,
    preview::CHECKS,
    preview_live::CHECKS,
    preview_resume::CHECKS,
    preview_final::CHECKS,
    preview_type::CHECKS,
    turn::CHECKS,
    many_turns::CHECKS,
    status::CHECKS,
    wait::CHECKS,
    wait_kind::CHECKS,
    continuation::CHECKS,
    answer::CHECKS,
    stale::CHECKS,
    payload::CHECKS,
    payload_text::CHECKS,
    interrupt::CHECKS,
    interrupt_child::CHECKS,
    interrupt_settling::CHECKS,
    overlap::CHECKS,
    overlap_order::CHECKS,
    authority::CHECKS,
    outcome::CHECKS,
    approval::CHECKS,
    approval_expiry::CHECKS,
    usage::CHECKS,
    deadline::CHECKS,
    passing_time::CHECKS,
    ending::CHECKS,
    run::CHECKS,
    run_list::CHECKS,
    transition::CHECKS,
    idempotency::CHECKS,
    refusal::CHECKS,
    prompt::CHECKS,
    prompt_text::CHECKS,
    prompt_decision::CHECKS,
    deployment::CHECKS,
    pin::CHECKS,
    capability::CHECKS,
    capability_claim::CHECKS,
    thread::CHECKS,
    thread_resource::CHECKS,
    thread_child::CHECKS,
    thread_history::CHECKS,
    thread_pages::CHECKS,
    thread_stream::CHECKS,
    archive::CHECKS,
    archive_refusal::CHECKS,
    child::CHECKS,
    spawn::CHECKS,
    attempt::CHECKS,
    fork::CHECKS,
    fork_session::CHECKS,
    fork_point::CHECKS,
    fork_status::CHECKS,
    fork_acts::CHECKS,
    fork_long::CHECKS,
    diff::CHECKS,
    terminal::CHECKS,
    ended::CHECKS,
    capability_stable::CHECKS,
    event_ids::CHECKS,
    contract::CHECKS,
    contract_refusals::CHECKS,
];

/// Every check of the suite.
///
/// ```
/// assert!(checkfu_conformance::checks().all(|check| !check.killed_by().is_empty()));
/// ```
pub fn checks() -> impl Iterator<Item = &'static Check> {
    AREAS.into_iter().flatten()
}

/// The check with this id, if there is one.
pub fn check(id: &str) -> Option<&'static Check> {
    checks().find(|check| check.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{
        level::Level,
        requirement::{Actor, requirement},
    };

    #[test]
    fn every_check_has_an_id_of_its_own_known_server_requirements_and_a_killer() {
        let mut ids = HashSet::new();
        for check in checks() {
            let shape: Vec<_> = check.id.split('.').collect();
            assert!(
                shape.len() == 3 && shape[0] == "srv" && !shape[2].is_empty(),
                "{}",
                check.id
            );
            assert!(ids.insert(check.id), "{} twice", check.id);
            assert!(!check.killed_by.is_empty(), "{} has no killer", check.id);
            assert!(check.title.ends_with('.'), "{}", check.id);
            assert!(!check.requirements.is_empty(), "{}", check.id);
            for id in check.requirements {
                let row = requirement(id).unwrap_or_else(|| panic!("{} names {id}", check.id));
                assert!(
                    row.actors.contains(&Actor::Server),
                    "{} is judged by {id}, not a server's",
                    check.id
                );
                assert!(
                    check.level >= row.level,
                    "{} is held against a server more firmly than {id}",
                    check.id
                );
            }
        }
        for level in [Level::Documented, Level::Derived, Level::Assumed] {
            assert!(checks().any(|check| check.level == level));
        }
    }
}
