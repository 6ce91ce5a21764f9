//! What the server does to threads and to forks.

use super::Instrumented;

pub(super) const MUTANTS: &[Instrumented] = &[
    (
        "server:approval_stays",
        &[(
            "srv.approval.expires",
            "a turn that ends once its approval expired",
        )],
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
        "server:thread_guessed",
        &[("srv.child.shared-id-needs-a-thread", "4xx")],
    ),
    (
        "server:interrupt_spares_children",
        &[("srv.archive.not-while-waiting", "once its wait was interrupted")],
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
        "server:attempt_stays",
        &[("srv.child.attempts-count", "the attempts of")],
    ),
];
