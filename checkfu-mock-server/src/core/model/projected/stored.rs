//! The projections as they are stored: what each command says it changed, as resources, the way a client reads them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{ApprovalSeen, ClockSeen, PendingSeen, Projected, RunSeen, SessionSeen, ThreadSeen, watched};
use crate::core::admission::{ForkOrigin, ThreadAgent};
use crate::core::batch::Outcome;
use crate::core::id::{ApprovalId, PrincipalId, RunId, SessionId, ThreadId, ToolUseId};
use crate::core::model::names::{Names, counts, principal};
use crate::core::moment::Moment;
use crate::core::payload::{Cost, Failure, Resolved, ThreadStopReason, Trigger, Usage};
use crate::core::session::{Head, Session};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};
use crate::core::thread::Thread;
use crate::core::wait::ApprovalStatus;
use crate::wire::approval::ApprovalResource;
use crate::wire::run::RunResource;
use crate::wire::session::SessionResource;
use crate::wire::thread::ThreadResource;

/// The tables beside one log.
#[derive(Debug)]
pub(in crate::core::model) struct Tables {
    head: Head,
    unfinished: bool,
    threads: Vec<(Thread, ThreadSeen)>,
    runs: BTreeMap<u64, RunSeen>,
    approvals: BTreeMap<u64, ApprovalSeen>,
}

impl Tables {
    /// Of a Session that has no events of its own yet.
    pub(in crate::core::model) fn of(session: &Session) -> Self {
        Self {
            head: session.head.clone(),
            unfinished: false,
            threads: session
                .threads
                .iter()
                .map(|thread| (thread.clone(), thread_seen(session, thread)))
                .collect(),
            runs: BTreeMap::new(),
            approvals: BTreeMap::new(),
        }
    }

    /// Takes what a command changed, and nothing else.
    pub(in crate::core::model) fn save(&mut self, session: &Session, outcome: &Outcome, names: &Names) {
        let id = &session.admission.id;
        for run in &outcome.runs {
            let seen = read::<RunJson>(&RunResource::new(id, run)).in_roles(session, names);
            self.runs.insert(run.created_seq, seen);
        }
        for (place, thread) in &outcome.threads {
            let stored = (thread.clone(), thread_seen(session, thread));
            match self.threads.get_mut(*place) {
                Some(known) => *known = stored,
                None => self.threads.push(stored),
            }
        }
        for record in &outcome.approvals {
            let approval = record.approval.as_ref().unwrap();
            let resource = ApprovalResource::new(id, record, approval);
            let seen = read::<ApprovalJson>(&resource).in_roles(session, names);
            self.approvals.insert(approval.created_seq, seen);
        }
        if let Some(last) = outcome.events.last() {
            (self.head.last_seq, self.head.updated_at) = (last.seq, last.created_at);
        }
        if outcome.events.iter().any(|event| event.data.changes_session()) {
            self.head.status = session.head.status;
            self.head.stop_reason.clone_from(&session.head.stop_reason);
            self.head.usage = session.head.usage;
            self.head.first_seq = session.head.first_seq;
            self.unfinished = !session.unfinished.is_empty();
        }
    }

    /// What is kept of the Session itself.
    pub(in crate::core::model) fn head(&self) -> &Head {
        &self.head
    }

    /// What a client reads now, and what the Session waits for.
    pub(in crate::core::model) fn shown(&self, session: &Session, names: &Names, now: i64) -> Projected {
        let place = watched(self.head.last_seq, self.threads.len());
        let (thread, _) = &self.threads[place];
        let now = Moment::from_milliseconds(now);
        let stats = read::<ThreadJson>(&ThreadResource::new(&session.admission, thread, now)).stats;
        Projected {
            session: read::<SessionJson>(&SessionResource::new(&session.admission, &self.head))
                .in_roles(self.unfinished),
            pending: pending(session, names),
            threads: self.threads.iter().map(|(_, seen)| seen.clone()).collect(),
            clock: ClockSeen {
                place,
                active: milliseconds(stats.active_seconds),
                duration: milliseconds(stats.duration_seconds),
            },
            runs: self.runs.values().cloned().collect(),
            approvals: self.approvals.values().cloned().collect(),
        }
    }
}

fn thread_seen(session: &Session, thread: &Thread) -> ThreadSeen {
    let resource = ThreadResource::new(&session.admission, thread, thread.updated_at);
    read::<ThreadJson>(&resource).in_roles(session)
}

fn pending(session: &Session, names: &Names) -> Vec<PendingSeen> {
    let records = session.pending_actions();
    records
        .map(|record| PendingSeen {
            thread: session.ordinal(&record.thread).unwrap(),
            run: names.run_number(&record.run).unwrap(),
            wait: names.wait(&record.wait),
            blocker: names.seq(&record.blocker),
        })
        .collect()
}

fn read<T: for<'de> Deserialize<'de>>(resource: &impl serde::Serialize) -> T {
    let text = serde_json::to_string(resource).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunJson {
    id: RunId,
    r#type: String,
    session_id: SessionId,
    session_thread_id: ThreadId,
    status: RunStatus,
    trigger: Trigger,
    attempt: u32,
    continuation: u32,
    continues_run_id: Option<RunId>,
    deadline_at: Option<Moment>,
    resolved: Option<Resolved>,
    usage: Option<Usage>,
    cost: Option<Cost>,
    error: Option<Failure>,
    created_at: Moment,
    started_at: Option<Moment>,
    settled_at: Option<Moment>,
}

impl RunJson {
    fn in_roles(self, session: &Session, names: &Names) -> RunSeen {
        assert_eq!((self.r#type.as_str(), self.continues_run_id), ("run", None));
        assert_eq!(self.session_id, session.admission.id);
        RunSeen {
            run: names.run_number(&self.id).unwrap(),
            thread: session.ordinal(&self.session_thread_id).unwrap(),
            status: self.status,
            trigger: (
                format!("{:?}", self.trigger.kind),
                names.seq(&self.trigger.event_id),
            ),
            attempt: self.attempt,
            continuation: self.continuation,
            deadline: self.deadline_at.map(Moment::milliseconds),
            resolved: self.resolved.is_some(),
            usage: self.usage.map(counts),
            cost: self.cost.map(|cost| (cost.amount, cost.currency)),
            error: self.error.map(|error| error.code),
            created: self.created_at.milliseconds(),
            started: self.started_at.map(Moment::milliseconds),
            settled: self.settled_at.map(Moment::milliseconds),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadJson {
    id: ThreadId,
    r#type: String,
    agent: ThreadAgent,
    session_id: SessionId,
    parent_thread_id: Option<ThreadId>,
    status: ThreadStatus,
    stop_reason: Option<ThreadStopReason>,
    created_at: Moment,
    updated_at: Moment,
    archived_at: Option<Moment>,
    stats: StatsJson,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatsJson {
    active_seconds: f64,
    duration_seconds: f64,
    startup_seconds: Option<f64>,
}

impl ThreadJson {
    fn in_roles(self, session: &Session) -> ThreadSeen {
        assert_eq!(
            (self.r#type.as_str(), self.session_id),
            ("session_thread", session.admission.id.clone())
        );
        assert!(session.ordinal(&self.id).is_some());
        ThreadSeen {
            agent: self.agent.id,
            parent: self.parent_thread_id.map(|id| session.ordinal(&id).unwrap()),
            status: self.status,
            stop_reason: self.stop_reason.map(|reason| reason.r#type),
            created: self.created_at.milliseconds(),
            updated: self.updated_at.milliseconds(),
            archived: self.archived_at.map(Moment::milliseconds),
            startup: self.stats.startup_seconds.map(milliseconds),
            usage: self.usage.map(counts),
        }
    }
}

#[allow(clippy::cast_possible_truncation)]
fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1_000.0).round() as i64
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalJson {
    #[serde(rename = "id")]
    _id: ApprovalId,
    r#type: String,
    session_id: SessionId,
    session_thread_id: ThreadId,
    run_id: RunId,
    tool_use_id: ToolUseId,
    generation: u32,
    name: String,
    input: Value,
    status: ApprovalStatus,
    decided_by: Option<PrincipalId>,
    deny_message: Option<String>,
    expires_at: Option<Moment>,
    created_at: Moment,
    decided_at: Option<Moment>,
}

impl ApprovalJson {
    fn in_roles(self, session: &Session, names: &Names) -> ApprovalSeen {
        assert_eq!(
            (self.r#type.as_str(), self.session_id),
            ("action_approval", session.admission.id.clone())
        );
        ApprovalSeen {
            thread: session.ordinal(&self.session_thread_id).unwrap(),
            run: names.run_number(&self.run_id).unwrap(),
            tool: self.tool_use_id.as_str().to_owned(),
            generation: self.generation,
            name: self.name,
            input: self.input.to_string(),
            status: self.status,
            decided_by: self.decided_by.as_ref().map(principal),
            deny_message: self.deny_message,
            expires: self.expires_at.map(Moment::milliseconds),
            created: self.created_at.milliseconds(),
            decided: self.decided_at.map(Moment::milliseconds),
        }
    }
}

#[derive(Deserialize)]
struct SessionJson {
    status: SessionStatus,
    stop_reason: Option<String>,
    first_seq: u64,
    last_seq: u64,
    forked_from: Option<ForkOrigin>,
    usage: Option<Usage>,
    created_at: Moment,
    updated_at: Moment,
}

impl SessionJson {
    fn in_roles(self, unfinished: bool) -> SessionSeen {
        SessionSeen {
            status: self.status,
            stop_reason: self.stop_reason,
            seqs: (self.first_seq, self.last_seq),
            forked_at: self.forked_from.map(|origin| origin.seq),
            usage: self.usage.map(counts),
            created: self.created_at.milliseconds(),
            updated: self.updated_at.milliseconds(),
            unfinished,
        }
    }
}
