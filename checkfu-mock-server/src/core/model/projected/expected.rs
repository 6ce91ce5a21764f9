//! The projections as the specification has them.

use super::{ApprovalSeen, ClockSeen, PendingSeen, Projected, RunSeen, SessionSeen, ThreadSeen, watched};
use crate::core::model::moves::Subject;
use crate::core::model::roster::{CHILD, COORDINATOR};
use crate::core::model::specification::Model;
use crate::core::model::state::{Judgement, Wait, WaitState};
use crate::core::status::RunStatus;
use crate::core::wait::ApprovalStatus;

/// Everything that HTTP has to show of the Session now.
pub(in crate::core::model) fn of_model(model: &Model) -> Projected {
    Projected {
        session: session(model),
        pending: model.open_waits().map(pending).collect(),
        clock: clock(model),
        threads: (0..model.threads.len())
            .map(|place| thread(model, place))
            .collect(),
        runs: (0..model.runs.len())
            // A-FORK: the Runs of a fork are its own.
            .filter(|&number| model.runs[number].first_seq > model.copied)
            .map(|number| run(model, number))
            .collect(),
        approvals: model
            .waits
            .iter()
            .filter_map(|wait| approval(model, wait, wait.requested?))
            .collect(),
    }
}

/// A-HEAD.
fn session(model: &Model) -> SessionSeen {
    SessionSeen {
        status: model.status,
        stop_reason: model.stop_reason.clone(),
        seqs: (1, model.last_seq()),
        forked_at: Some(model.copied).filter(|copied| *copied > 0),
        usage: model.usage(),
        created: model.created,
        updated: model.at(model.last_seq()),
        unfinished: (0..model.runs.len()).any(|run| !model.is_settled(run)),
    }
}

/// A-PARK.
fn pending(wait: &Wait) -> PendingSeen {
    PendingSeen {
        thread: wait.thread,
        run: wait.run,
        wait: wait.spelled(),
        blocker: wait.blocker,
    }
}

/// THR-10, THR-12, THR-13, A-ARCH.
fn thread(model: &Model, place: usize) -> ThreadSeen {
    let thread = &model.threads[place];
    let child = place > 0;
    ThreadSeen {
        agent: if child { CHILD } else { COORDINATOR }.to_owned(),
        parent: child.then_some(0),
        status: model.thread_status(place),
        stop_reason: thread.stop_reason.clone(),
        created: thread.created,
        updated: thread.updated,
        archived: thread.archived.map(|seq| model.at(seq)),
        startup: thread.startup.map(|(_, took)| took),
        usage: model.usage_of(place),
    }
}

/// THR-13: the clock of a thread that has ended stands still.
fn clock(model: &Model) -> ClockSeen {
    let place = watched(model.last_seq(), model.threads.len());
    let thread = &model.threads[place];
    ClockSeen {
        place,
        active: model.active_time(place),
        duration: thread.ended.map_or(model.now, |(_, at)| at) - thread.created,
    }
}

/// RUN-1, RUN-2, A-CONT, A-DLN.
fn run(model: &Model, number: usize) -> RunSeen {
    let run = &model.runs[number];
    let executes = match run.status {
        RunStatus::Running | RunStatus::Reconciling => true,
        // The claim of a continuation stands in the log with its deadline; that of an attempt comes with its start.
        RunStatus::Provisioning => !run.fresh,
        _ => false,
    };
    RunSeen {
        run: number,
        thread: run.thread,
        status: run.status,
        trigger: (run.trigger.to_owned(), run.first_seq),
        attempt: run.attempt,
        continuation: run.continuation,
        deadline: run.deadline.filter(|_| executes),
        resolved: run.started.is_some(),
        usage: run.spent.map(|spent| spent.tokens),
        cost: run.spent.map(|spent| (spent.amount(), "USD".to_owned())),
        error: run.error.map(ToOwned::to_owned),
        created: model.at(run.created),
        started: run.started.map(|seq| model.at(seq)),
        settled: run.settled.map(|seq| model.at(seq)),
    }
}

/// WAIT-5, A-GEN: an expired request was never decided, and one whose wait is over without an answer is canceled.
fn approval(model: &Model, wait: &Wait, requested: u64) -> Option<ApprovalSeen> {
    let Subject::Tool(tool) = wait.subject else {
        return None;
    };
    let decided = match wait.judgement {
        Some(Judgement::Decided { seq, answer }) => Some((seq, answer)),
        _ => None,
    };
    let status = match (wait.judgement, wait.state) {
        (Some(Judgement::Decided { answer, .. }), _) if answer.value == 0 => ApprovalStatus::Allowed,
        (Some(Judgement::Decided { .. }), _) => ApprovalStatus::Denied,
        (Some(Judgement::Expired { .. }), _) => ApprovalStatus::Expired,
        (None, WaitState::Open) => ApprovalStatus::Pending,
        (None, _) => ApprovalStatus::Canceled,
    };
    Some(ApprovalSeen {
        thread: wait.thread,
        run: wait.run,
        tool: tool.to_owned(),
        generation: wait.generation,
        name: format!("use {tool}"),
        input: format!("{{\"of\":\"{tool}\"}}"),
        status,
        decided_by: decided.map(|(_, answer)| answer.author),
        deny_message: decided.filter(|(_, answer)| answer.mark).map(|_| "no".to_owned()),
        expires: wait.expires,
        created: model.at(requested),
        decided: decided.map(|(seq, _)| model.at(seq)),
    })
}
