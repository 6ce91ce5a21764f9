//! What the server does to Sessions and their logs.

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
        "server:no_page_cap",
        &[
            ("srv.list.largest-page", "at most 1000 events"),
            ("srv.list.page-bounds", "1000 events and a next page"),
        ],
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
        "server:correction_unused",
        &[("srv.prompt.use-corrected", "the content stored")],
    ),
    (
        "server:preview_of_other_id",
        &[(
            "srv.preview.final-id-of-each-type",
            "an event of the type agent.message",
        )],
    ),
    (
        "server:boundary_not_rewritten",
        &[("srv.wait.several-resume-together", "the boundary again")],
    ),
    (
        "server:wait_of_other_kind",
        &[("srv.wait.names-its-kind", "what the Run waits for")],
    ),
    (
        "server:latest_first",
        &[(
            "srv.overlap.first-come-first-served",
            "the queued Run that starts first",
        )],
    ),
];
