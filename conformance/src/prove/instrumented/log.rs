//! What the server does to Sessions, their logs and what is made of them.

use super::Instrumented;

pub(super) const MUTANTS: &[Instrumented] = &[
    ("server:last_seq_lags", &[("srv.session.head", "/last_seq")]),
    (
        "server:stop_reason_stays",
        &[("srv.session.birth", "/stop_reason to be null")],
    ),
    (
        "server:event_ids_repeat",
        &[("srv.wait.boundary", "event_ids of the boundary")],
    ),
    (
        "server:trigger_without_run",
        &[
            ("srv.overlap.queue", "a Run of its own"),
            ("srv.run.records", "the Runs to be"),
        ],
    ),
    (
        "server:no_run_created",
        &[("srv.turn.order", "user.message, run.created")],
    ),
    (
        "server:no_run_completed",
        &[("srv.turn.run-settles", "one settlement of")],
    ),
    (
        "server:idle_before_run_completed",
        &[("srv.turn.order", "user.message, run.created")],
    ),
    (
        "server:usage_not_summed",
        &[("srv.usage.adds-up", "session.usage of")],
    ),
    (
        "server:boundary_is_end_turn",
        &[
            ("srv.wait.tool-call-settles-nothing", "no settlement of the turn"),
            ("srv.wait.approval-settles-nothing", "no settlement of the turn"),
            ("srv.wait.several-take-their-answers", "no settlement of the turn"),
            ("srv.outcome.settles-nothing", "no settlement of the turn"),
        ],
    ),
    (
        "server:waiting_without_idle",
        &[("srv.wait.boundary", "run.waiting, session.status_idle")],
    ),
    (
        "server:no_run_waiting",
        &[("srv.wait.boundary", "run.waiting, session.status_idle")],
    ),
    (
        "server:question_does_not_pause",
        &[("srv.wait.question-pauses", "session.status_paused after")],
    ),
    (
        "server:resumes_as_other_run",
        &[("srv.continuation.keeps-the-run", "the Run of run.resumed")],
    ),
    (
        "server:continuation_stays",
        &[("srv.continuation.order", "continuation of run.resumed")],
    ),
    (
        "server:replay_is_conflict",
        &[
            ("srv.answer.replay", "a 2xx status"),
            ("srv.answer.child-replay", "a 2xx status"),
        ],
    ),
    ("server:any_generation", &[("srv.stale.codes", "status 409")]),
    (
        "server:anyone_approves",
        &[("srv.authority.decision-needs-it", "a 4xx status")],
    ),
    (
        "server:interrupt_is_terminal",
        &[
            ("srv.interrupt.running", "a reusable Session"),
            ("srv.interrupt.waiting", "a reusable Session"),
            ("srv.interrupt.question", "a reusable Session"),
        ],
    ),
    (
        "server:interrupt_keeps_run",
        &[
            (
                "srv.interrupt.order",
                "user.interrupt, run.canceled, session.status_idle",
            ),
            ("srv.outcome.interrupted", "run.canceled after the interrupt"),
        ],
    ),
    (
        "server:complete_keeps_runs",
        &[("srv.ending.complete", "run.canceled, session.status_completed")],
    ),
    (
        "server:end_is_not_last",
        &[("srv.ending.complete", "run.canceled, session.status_completed")],
    ),
    (
        "server:any_prompt",
        &[
            (
                "srv.prompt.undecided-is-refused",
                "a refusal of look-alike letters",
            ),
            ("srv.prompt.findings", "status 409"),
            ("srv.prompt.preserve-original", "status 409"),
        ],
    ),
    (
        "server:any_challenge",
        &[("srv.prompt.challenge-binds", "status 409")],
    ),
    (
        "server:session_shows_children",
        &[("srv.thread.local-stays-local", "no Run and no message of a child")],
    ),
    (
        "server:session_hides_children",
        &[
            ("srv.child.call-on-the-session", "on the Session's list"),
            (
                "srv.thread.local-stays-local",
                "session.thread_created of a child",
            ),
        ],
    ),
    (
        "server:archive_only_once",
        &[("srv.archive.idle-child", "a 2xx status")],
    ),
    (
        "server:fork_unmarked",
        &[
            ("srv.fork.keeps-ids-and-seqs", "session.forked behind"),
            ("srv.fork.of-a-fork", "session.forked behind"),
            ("srv.fork.at-any-event", "the tail of a fork"),
        ],
    ),
    (
        "server:no_page_cap",
        &[("srv.list.page-bounds", "1000 events and a next page")],
    ),
    (
        "server:interrupt_unlogged",
        &[(
            "srv.interrupt.order",
            "user.interrupt, run.canceled, session.status_idle",
        )],
    ),
    (
        "server:cause_unlogged",
        &[
            ("srv.append.authorship-kept", "/caused_by/kind"),
            ("srv.payload.authorship-kept", "caused_by of"),
        ],
    ),
    (
        "server:cause_optional",
        &[
            ("srv.append.authorship-required", "status 400"),
            ("srv.authority.authorship-required", "status 400"),
        ],
    ),
    (
        "server:status_lags",
        &[
            ("srv.session.head", "/status to be"),
            ("srv.wait.boundary", "/status"),
        ],
    ),
    (
        "server:thread_guessed",
        &[("srv.child.shared-id-needs-a-thread", "4xx")],
    ),
    (
        "server:interrupt_spares_children",
        &[("srv.archive.not-while-waiting", "once its wait was interrupted")],
    ),
    (
        "server:busy_drops_message",
        &[
            ("srv.overlap.queue", "run.started of"),
            (
                "srv.overlap.interrupt-starts-the-next",
                "run.started of the queued",
            ),
        ],
    ),
    (
        "server:end_takes_messages",
        &[("srv.terminal.takes-no-input", "4xx")],
    ),
    (
        "server:any_sessions_thread",
        &[
            ("srv.thread.fenced-by-session", "status 404"),
            ("srv.thread.fenced-everywhere", "a refusal"),
        ],
    ),
    (
        "server:archives_waiting",
        &[("srv.archive.not-while-waiting", "status 409")],
    ),
    (
        "server:archives_primary",
        &[("srv.archive.not-the-primary", "status 409")],
    ),
    (
        "server:fork_copies_more",
        &[("srv.fork.at-any-event", "the tail of a fork")],
    ),
    (
        "server:fork_loses_last",
        &[
            ("srv.fork.keeps-ids-and-seqs", "of the fork to be"),
            ("srv.fork.of-a-fork", "of the fork to be"),
            ("srv.fork.at-any-event", "the copies of a fork"),
        ],
    ),
    (
        "server:diff_guesses_base",
        &[
            ("srv.diff.tails", "the diff's base"),
            ("srv.diff.relatives", "the base of siblings"),
        ],
    ),
    (
        "server:correction_unused",
        &[("srv.prompt.use-corrected", "the content stored")],
    ),
];
