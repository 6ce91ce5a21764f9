//! The views of a log.

use checkfu_openapi::{FixtureGroup, fixtures};
use checkfu_sdk::model::payload::Confirmation;
use checkfu_sdk::model::{RunId, SessionThreadId, SessionThreadStatus};
use checkfu_sdk::views::{ApprovalState, Author, ContextChange, ToolCallState, ViewLimits, Views};
use serde_json::{Value, json};

use crate::support::event::{event, idle};

fn apply(views: &mut Views, event: &Value) -> bool {
    views.apply(&serde_json::from_value(event.clone()).unwrap())
}

/// An event of a Run in a thread.
fn of(mut event: Value, thread: &str, run: &str) -> Value {
    (event["session_thread_id"], event["run_id"]) = (thread.into(), run.into());
    event
}

/// Views of events that are given their places in order, all of thread `sthr_1` and Run `run_1`.
fn fold(events: &[(&str, Value)]) -> Views {
    let mut views = Views::new();
    for (seq, (event_type, payload)) in (1..).zip(events) {
        apply(
            &mut views,
            &of(event(seq, event_type, payload.clone()), "sthr_1", "run_1"),
        );
    }
    views
}

fn call(kind: &str, permission: &str) -> (&'static str, Value) {
    let payload = json!({
        "tool_use_id": "toolu_1", "name": "deploy", "input": {"to": "web"}, "kind": kind,
        "evaluated_permission": permission,
    });
    ("agent.tool_use", payload)
}

fn confirmed(result: &str) -> (&'static str, Value) {
    (
        "user.tool_confirmation",
        json!({"tool_use_id": "toolu_1", "result": result, "deny_message": "why"}),
    )
}

fn answered() -> (&'static str, Value) {
    (
        "user.custom_tool_result",
        json!({"tool_use_id": "toolu_1", "result": {"ok": 1}, "is_error": true}),
    )
}

fn finished() -> (&'static str, Value) {
    (
        "agent.tool_result",
        json!({"tool_use_id": "toolu_1", "content": "done"}),
    )
}

fn requested() -> (&'static str, Value) {
    (
        "action_approval.requested",
        json!({"approval_id": "appr_1", "tool_use_id": "toolu_1", "name": "deploy"}),
    )
}

fn decided(decision: &str) -> (&'static str, Value) {
    (
        "action_approval.decided",
        json!({"approval_id": "appr_1", "decision": decision, "by": "prin_1"}),
    )
}

/// SDK-3: the messages of users and of the Agent stand in order, each with its thread, its Run and its author.
#[test]
fn messages_stand_in_order() {
    let mut views = Views::new();
    let said = json!({"content": "Hi", "authored_by": "prin_1"});
    apply(&mut views, &of(event(2, "user.message", said), "sthr_1", "run_1"));
    let content = json!([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]);
    apply(
        &mut views,
        &of(
            event(5, "agent.message", json!({"content": content})),
            "sthr_1",
            "run_2",
        ),
    );
    apply(&mut views, &event(6, "agent.thinking", json!({"content": "hm"})));
    let seen: Vec<_> = views
        .messages()
        .map(|message| {
            (
                message.seq.get(),
                message.content.to_text(),
                message.author.clone(),
            )
        })
        .collect();
    let expected = [
        (2, "Hi".to_owned(), Author::User(Some("prin_1".into()))),
        (5, "Hello".to_owned(), Author::Agent),
    ];
    assert_eq!(seen, expected);
    let last = views.messages().next_back().unwrap();
    assert_eq!(last.run_id, Some(RunId::from("run_2")));
    assert_eq!(last.session_thread_id, Some(SessionThreadId::from("sthr_1")));
}

/// SDK-3, WAIT-5, A-PARK, A-GEN: a call of a tool is what its events made of it, and it waits under a generation that
/// counts the waits of its key.
#[test]
fn a_call_is_what_became_of_it() {
    use ToolCallState::{Answered, AwaitsConfirmation, AwaitsResult, Canceled, Denied, Finished, Running};
    let canceled = || ("run.canceled", json!({"reason": "interrupted"}));
    let rest = || ("session.status_idle", json!({"stop_reason": "end_turn"}));
    let boundary = || ("session.status_idle", json!({"stop_reason": "requires_action"}));
    let expired = || ("action_approval.expired", json!({"approval_id": "appr_1"}));
    let wait = || {
        (
            "run.waiting",
            json!({"wait": {"kind": "custom_tool", "tool_use_id": "toolu_1", "generation": 7}}),
        )
    };
    for (number, (events, state, generation)) in [
        (vec![call("builtin", "allow")], Running, 0),
        (vec![call("builtin", "allow"), finished()], Finished, 0),
        (vec![call("builtin", "deny")], Denied, 0),
        (vec![call("builtin", "ask")], AwaitsConfirmation, 1),
        (vec![call("mcp", "ask"), boundary()], AwaitsConfirmation, 1),
        (vec![call("mcp", "ask"), confirmed("allow")], Running, 1),
        (
            vec![call("mcp", "ask"), confirmed("perhaps")],
            AwaitsConfirmation,
            1,
        ),
        (
            vec![call("builtin", "ask"), confirmed("deny"), finished()],
            Denied,
            1,
        ),
        (vec![call("builtin", "ask"), requested(), expired()], Denied, 1),
        (vec![call("custom", "allow")], AwaitsResult, 1),
        (vec![call("custom", "allow"), wait()], AwaitsResult, 7),
        (vec![call("custom", "ask"), confirmed("allow")], AwaitsResult, 2),
        (
            vec![call("custom", "ask"), confirmed("allow"), answered()],
            Answered,
            2,
        ),
        (vec![call("custom", "allow"), answered(), finished()], Finished, 1),
        (
            vec![
                call("custom", "allow"),
                answered(),
                finished(),
                call("custom", "allow"),
            ],
            AwaitsResult,
            2,
        ),
        (vec![call("custom", "allow"), canceled()], Canceled, 1),
        (vec![call("builtin", "allow"), canceled()], Canceled, 0),
        (vec![call("custom", "allow"), rest()], AwaitsResult, 1),
        (
            vec![call("custom", "allow"), ("session.status_canceled", json!({}))],
            Canceled,
            1,
        ),
        (
            vec![call("custom", "allow"), ("session.thread_status_idle", json!({}))],
            Canceled,
            1,
        ),
        (
            vec![
                call("builtin", "allow"),
                ("session.thread_status_idle", json!({})),
            ],
            Running,
            0,
        ),
        (vec![call("custom", "allow"), answered(), canceled()], Answered, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let views = fold(&events);
        let found = views
            .tool_call(Some(&"sthr_1".into()), &"toolu_1".into())
            .unwrap();
        assert_eq!(
            (found.state, found.generation),
            (state, generation),
            "{number}: {events:?}"
        );
        assert_eq!(views.tool_calls().next_back(), Some(found), "{number}");
    }
    let views = fold(&[call("custom", "ask"), confirmed("allow"), answered(), finished()]);
    let call = views.tool_calls().next().unwrap();
    assert_eq!(
        (call.name.as_str(), &call.input),
        ("deploy", &json!({"to": "web"}))
    );
    assert_eq!(call.confirmation, Some(Confirmation::Allow));
    assert_eq!(call.answer, Some(json!({"ok": 1})));
    assert_eq!(call.result.as_ref().unwrap().to_text(), "done");
}

/// SDK-3, THR-8: calls with one id in two threads are two calls.
#[test]
fn calls_are_told_apart_by_their_threads() {
    let mut views = Views::new();
    let (event_type, payload) = call("custom", "allow");
    apply(
        &mut views,
        &of(event(1, event_type, payload.clone()), "sthr_2", "run_2"),
    );
    apply(&mut views, &of(event(2, event_type, payload), "sthr_3", "run_3"));
    let (event_type, payload) = answered();
    apply(&mut views, &of(event(3, event_type, payload), "sthr_2", "run_2"));
    let states: Vec<_> = views.tool_calls().map(|call| call.state).collect();
    assert_eq!(states, [ToolCallState::Answered, ToolCallState::AwaitsResult]);
    apply(
        &mut views,
        &of(event(4, "run.failed", json!({})), "sthr_2", "run_2"),
    );
    assert!(
        views.tool_calls().next_back().unwrap().state.is_pending(),
        "another's Run"
    );
}

/// SDK-3, WAIT-5: an approval is requested, and then decided, lapsed, or given up.
#[test]
fn an_approval_is_what_became_of_it() {
    let expired = ("action_approval.expired", json!({"approval_id": "appr_1"}));
    for (end, state) in [
        (None, ApprovalState::Pending),
        (
            Some(decided("allow")),
            ApprovalState::Decided(Confirmation::Allow),
        ),
        (Some(decided("deny")), ApprovalState::Decided(Confirmation::Deny)),
        (Some(expired), ApprovalState::Expired),
        (Some(("run.canceled", json!({}))), ApprovalState::Canceled),
        (
            Some(("session.thread_status_terminated", json!({}))),
            ApprovalState::Canceled,
        ),
        (
            Some(("session.status_failed", json!({}))),
            ApprovalState::Canceled,
        ),
    ] {
        let mut events = vec![call("builtin", "ask"), requested()];
        events.extend(end);
        let views = fold(&events);
        let approval = views.approval(&"appr_1".into()).unwrap();
        assert_eq!(approval.state, state);
        assert_eq!(approval.tool_use_id, Some("toolu_1".into()));
        assert_eq!(views.approvals().count(), 1);
    }
}

/// SDK-3, THR-2, THR-11: children stand below the thread that spawned them, with what they last did.
#[test]
fn threads_make_a_tree() {
    let mut views = Views::new();
    let created = |seq, id: &str, parent: &str| {
        let payload =
            json!({"session_thread_id": id, "parent_thread_id": parent, "agent_name": id.to_uppercase()});
        of(event(seq, "session.thread_created", payload), id, "")
    };
    let status = |seq, id: &str, name: &str, payload: Value| {
        of(
            event(seq, &format!("session.thread_status_{name}"), payload),
            id,
            "",
        )
    };
    apply(&mut views, &created(3, "sthr_2", "sthr_1"));
    apply(&mut views, &created(4, "sthr_3", "sthr_1"));
    apply(&mut views, &created(5, "sthr_4", "sthr_3"));
    apply(&mut views, &status(6, "sthr_2", "running", json!({})));
    apply(&mut views, &status(7, "sthr_3", "rescheduled", json!({})));
    apply(
        &mut views,
        &status(
            8,
            "sthr_2",
            "idle",
            json!({"stop_reason": {"type": "retries_exhausted"}}),
        ),
    );
    let children = |of: &str| -> Vec<String> {
        let of = of.into();
        views
            .children(&of)
            .map(|thread| thread.session_thread_id.to_string())
            .collect()
    };
    assert_eq!(children("sthr_1"), ["sthr_2", "sthr_3"]);
    assert_eq!(children("sthr_3"), ["sthr_4"]);
    let seen: Vec<_> = views
        .threads()
        .map(|thread| {
            let status = thread.status.as_ref().map(SessionThreadStatus::as_str);
            let reason = thread.stop_reason.as_ref().map(|reason| reason.as_str());
            (thread.seq.get(), thread.agent_name.as_deref(), status, reason)
        })
        .collect();
    let expected = [
        (3, Some("STHR_2"), Some("idle"), Some("retries_exhausted")),
        (4, Some("STHR_3"), Some("rescheduling"), None),
        (5, Some("STHR_4"), None, None),
    ];
    assert_eq!(seen, expected);
    apply(&mut views, &status(9, "sthr_2", "terminated", json!({})));
    assert_eq!(
        views.threads().next().unwrap().status,
        Some(SessionThreadStatus::Terminated)
    );
}

/// SDK-3, RUN-2, MEM-1: the ledger says what each attempt of a Run received and what was written back.
#[test]
fn the_ledger_tells_what_each_attempt_received() {
    let resolved =
        |version: &str| json!({"memory_versions": [{"memory_store_id": "mems_1", "version": version}]});
    let mount = json!({"project_id": "proj_1", "mount_path": "/work", "revision": "abc"});
    let memory = json!({"memory_store_id": "mems_1", "effective_access": "read_only", "version": "7"});
    let views = fold(&[
        ("project.mounted", mount.clone()),
        ("memory.mounted", memory.clone()),
        ("run.started", json!({"attempt": 1, "resolved": resolved("7")})),
        ("run.requeued", json!({"attempt": 1})),
        ("run.started", json!({"attempt": 2, "resolved": resolved("8")})),
        ("memory.writeback_settled", memory),
        ("project.writeback", mount),
        ("checkpoint.created", json!({"checkpoint_id": "ckpt_1"})),
    ]);
    let seen: Vec<_> = views
        .context()
        .map(|entry| match &entry.change {
            ContextChange::Started { attempt, .. } => format!("start {attempt}"),
            ContextChange::ProjectMounted(project) => format!("mounted {:?}", project.revision),
            ContextChange::MemoryMounted(memory) => format!("memory {:?}", memory.version),
            ContextChange::MemoryWritten(_) => "memory written".to_owned(),
            ContextChange::ProjectWritten(_) => "written".to_owned(),
            ContextChange::CheckpointCreated(checkpoint) => checkpoint.checkpoint_id.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "mounted Some(\"abc\")",
        "memory Some(\"7\")",
        "start 1",
        "start 2",
        "memory written",
        "written",
        "ckpt_1",
    ];
    assert_eq!(seen, expected);
    let latest = views.resolved(&"run_1".into()).unwrap();
    assert_eq!(latest.memory_versions[0].version.as_deref(), Some("8"));
    assert_eq!(views.resolved(&"run_2".into()), None);
}

/// SDK-3, STR-4: events that come again, that nobody knows, or that cannot be read change nothing.
#[test]
fn what_is_no_news_changes_nothing() {
    let log = [
        of(
            event(1, "user.message", json!({"content": "Hi"})),
            "sthr_1",
            "run_1",
        ),
        of(
            event(2, "agent.tool_use", call("custom", "ask").1),
            "sthr_1",
            "run_1",
        ),
        of(event(3, requested().0, requested().1), "sthr_1", "run_1"),
        of(
            event(4, confirmed("allow").0, confirmed("allow").1),
            "sthr_1",
            "run_1",
        ),
        of(event(5, "session.thread_created", json!({})), "sthr_2", "run_1"),
        of(event(6, "run.started", json!({"attempt": 1})), "sthr_1", "run_1"),
    ];
    let mut views = Views::new();
    assert!(log.iter().all(|event| apply(&mut views, event)));
    let before = format!("{views:?}");
    assert!(!log.iter().any(|event| apply(&mut views, event)));
    assert_eq!(format!("{views:?}"), before);
    for (seq, event_type) in (7..).zip(["agent.daydream", "agent.message", "agent.tool_use", "run.started"]) {
        assert!(apply(&mut views, &event(seq, event_type, json!({"content": 7}))));
    }
    let after = format!("{views:?}");
    assert_eq!(
        after.replace("last_seq: Some(Seq(10))", "last_seq: Some(Seq(6))"),
        before
    );
}

/// SDK-3, FRK-2, A-FORK: a fork has its source's messages, and nothing waits or lives in it that was under way there.
#[test]
fn a_fork_gives_up_what_was_under_way() {
    let created = json!({"parent_thread_id": "sthr_0"});
    let mut views = fold(&[
        ("user.message", json!({"content": "Hi"})),
        call("custom", "ask"),
        requested(),
        ("session.thread_created", created),
        ("session.status_completed", json!({})),
    ]);
    let forked = json!({"source_session_id": "sess_0", "source_seq": 5});
    apply(&mut views, &event(6, "session.forked", forked));
    apply(&mut views, &idle(7, "end_turn"));
    apply(
        &mut views,
        &of(
            event(8, "user.message", json!({"content": "On"})),
            "sthr_1",
            "run_9",
        ),
    );
    assert_eq!(views.messages().count(), 2);
    assert_eq!(views.tool_calls().next().unwrap().state, ToolCallState::Canceled);
    assert_eq!(views.approvals().next().unwrap().state, ApprovalState::Canceled);
    assert_eq!(
        views.threads().next().unwrap().status,
        Some(SessionThreadStatus::Terminated)
    );
}

/// SDK-3: each view lets go of its oldest entries over its limits, and finds those that it has.
#[test]
fn views_are_bounded() {
    let by_count = ViewLimits::default().entries(3);
    let size = message_of(1).to_string().len();
    let by_bytes = ViewLimits::default().bytes(3 * size + size / 2);
    for limits in [by_count, by_bytes] {
        let mut views = Views::with_limits(limits);
        for seq in 1..=9 {
            apply(&mut views, &message_of(seq));
        }
        let kept: Vec<_> = views.messages().map(|message| message.seq.get()).collect();
        assert_eq!((kept, views.let_go()), (vec![7, 8, 9], 6));
    }
    let mut views = Views::with_limits(by_count);
    for seq in 1..=9 {
        let mut payload = call("custom", "allow").1;
        payload["tool_use_id"] = format!("toolu_{seq}").into();
        apply(&mut views, &event(seq, "agent.tool_use", payload));
    }
    for seq in 10..=18 {
        let payload = json!({"tool_use_id": format!("toolu_{}", seq - 9), "result": seq});
        apply(&mut views, &event(seq, "user.custom_tool_result", payload));
    }
    let answers: Vec<_> = views
        .tool_calls()
        .map(|call| call.answer.clone().unwrap())
        .collect();
    assert_eq!(answers, [json!(16), json!(17), json!(18)]);
    assert_eq!(views.tool_call(None, &"toolu_6".into()), None);
    assert!(views.tool_call(None, &"toolu_7".into()).is_some());
}

fn message_of(seq: u64) -> Value {
    event(seq, "agent.message", json!({"content": "text"}))
}

/// SDK-3: every event of the contract is applied, in whatever order.
#[test]
fn every_event_of_the_contract_is_applied() {
    let all = fixtures().unwrap().documents;
    let events = all
        .into_iter()
        .filter(|fixture| fixture.group == FixtureGroup::Event);
    let (mut views, mut count) = (Views::new(), 0);
    for (seq, fixture) in (1..).zip(events) {
        let mut event = fixture.value;
        event["seq"] = json!(seq);
        assert!(apply(&mut views, &event));
        count = seq;
    }
    assert!(count > 80 && views.last_seq().unwrap().get() == count);
    assert!(views.messages().count() >= 6 && views.tool_calls().count() >= 3);
    assert!(views.approvals().count() >= 2 && views.threads().count() >= 3 && views.context().count() >= 10);
}
