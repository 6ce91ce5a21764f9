//! What the server does to requests, lists and streams.

use super::Instrumented;

pub(super) const MUTANTS: &[Instrumented] = &[
    ("server:any_key", &[("srv.auth.wrong-key-refused", "4xx")]),
    (
        "server:any_version",
        &[("srv.version.unknown-refused", "status 400")],
    ),
    ("server:version_first", &[("srv.errors.order", "status 401")]),
    (
        "server:no_request_id",
        &[
            ("srv.errors.request-id", "a request-id header"),
            ("srv.contract.refusals", "/request_id to be"),
        ],
    ),
    (
        "server:other_request_id",
        &[
            ("srv.errors.envelope", "/request_id"),
            ("srv.contract.refusals", "/request_id to be"),
        ],
    ),
    (
        "server:plain_text_errors",
        &[
            ("srv.errors.envelope", "a JSON body"),
            ("srv.contract.refusals", "a JSON body"),
        ],
    ),
    ("server:post_is_ok", &[("srv.append.answer", "status 202")]),
    (
        "server:no_idempotency",
        &[
            ("srv.idempotency.replay", "the replayed creation"),
            ("srv.idempotency.other-body", "status 422"),
        ],
    ),
    (
        "server:list_ignores_after",
        &[("srv.list.after-is-exclusive", "events above")],
    ),
    (
        "server:list_is_inclusive",
        &[("srv.list.after-is-exclusive", "events above")],
    ),
    (
        "server:page_loops",
        &[("srv.list.page-size-does-not-matter", "a walk that ends")],
    ),
    (
        "server:page_duplicates",
        &[
            ("srv.list.default-page", "at most 100 events without a limit"),
            ("srv.list.page-bounds", "100 events and a next page"),
            ("srv.order.append-only", "the log after the first turn"),
        ],
    ),
    (
        "server:stream_is_text",
        &[("srv.stream.head-and-fields", "content type text/event-stream")],
    ),
    (
        "server:stream_is_stored",
        &[("srv.stream.head-and-fields", "cache-control")],
    ),
    (
        "server:no_comments",
        &[("srv.stream.head-and-fields", "a comment at once")],
    ),
    (
        "server:resume_is_inclusive",
        &[
            ("srv.resume.every-cut", "the stream after"),
            ("srv.resume.at-head", "the first event after the head"),
            ("srv.stream.two-readers-agree", "both readers"),
        ],
    ),
    (
        "server:resume_starts_over",
        &[
            ("srv.resume.every-cut", "the stream after"),
            ("srv.resume.at-head", "the first event after the head"),
            ("srv.stream.two-readers-agree", "both readers"),
        ],
    ),
    (
        "server:replay_loses_event",
        &[
            ("srv.stream.replays-then-stays-live", "the replay"),
            ("srv.stream.seam-loses-nothing", "the stream across its seam"),
        ],
    ),
    (
        "server:resume_loses_event",
        &[
            ("srv.resume.every-cut", "the stream after"),
            ("srv.resume.at-head", "the first event after the head"),
            ("srv.stream.two-readers-agree", "both readers"),
        ],
    ),
    (
        "server:frame_without_id",
        &[("srv.stream.framing", "as in the data")],
    ),
    (
        "server:frame_without_type",
        &[("srv.stream.framing", "as in the data")],
    ),
    (
        "server:frame_of_other_type",
        &[("srv.stream.framing", "as in the data")],
    ),
    (
        "server:frame_of_other_seq",
        &[("srv.stream.framing", "as in the data")],
    ),
    (
        "server:stream_goes_back",
        &[("srv.stream.delivers-once", "each event once")],
    ),
    (
        "server:stream_differs_from_list",
        &[
            ("srv.stream.equals-list", "the stream beside the list"),
            ("srv.stream.seam-loses-nothing", "the stream across its seam"),
            ("srv.preview.durable-as-without", "the stream with previews"),
        ],
    ),
    (
        "server:small_pages",
        &[("srv.list.page-bounds", "100 events and a next page")],
    ),
    (
        "server:key_ignores_body",
        &[("srv.idempotency.other-body", "status 422")],
    ),
    (
        "server:no_fence",
        &[("srv.capability.disabled-is-refused", "4xx")],
    ),
    (
        "server:ahead_is_head",
        &[("srv.resume.ahead-of-head", "a refusal")],
    ),
    (
        "server:seam_loses_event",
        &[
            ("srv.stream.delivers-once", "the stream across its seam"),
            ("srv.stream.seam-loses-nothing", "the stream across its seam"),
        ],
    ),
    (
        "server:previews_unasked",
        &[
            ("srv.preview.only-when-asked", "a persisted envelope"),
            ("srv.preview.only-wanted-types", "previews of agent.message alone"),
            ("srv.preview.on-a-thread", "that asked for none"),
        ],
    ),
    (
        "server:preview_has_id",
        &[("srv.preview.uncursored", "without an id line")],
    ),
    (
        "server:any_workspace",
        &[("srv.workspace.other-is-not-found", "status 404")],
    ),
    (
        "server:forbidden_workspace",
        &[("srv.workspace.other-is-not-found", "status 404")],
    ),
    (
        "server:any_media_type",
        &[("srv.errors.media-type", "a 4xx status")],
    ),
];
