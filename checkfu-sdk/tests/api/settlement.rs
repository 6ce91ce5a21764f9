use checkfu_sdk::model::SessionThreadId;
use checkfu_sdk::settlement::{Outcome, Settlement, SettlementFold};
use checkfu_sdk::{Event, Seq, Session, StopReason};
use serde_json::{Value, json};

use crate::support::event::{event, idle, message, session};

fn read(value: &Value) -> Event {
    serde_json::from_value(value.clone()).unwrap()
}

fn outcome(value: Value) -> Option<Outcome> {
    Settlement::of(&read(&value)).map(|settlement| settlement.outcome)
}

/// SET-1, WAIT-4, A-WAIT, REP-17: the three terminal events settle; of the ten statuses only they and idle do.
#[test]
fn terminal_events_settle_and_other_statuses_do_not() {
    let status = |name: &str| outcome(event(5, &format!("session.status_{name}"), json!({})));
    assert_eq!(status("completed"), Some(Outcome::Completed));
    assert_eq!(status("failed"), Some(Outcome::Failed));
    assert_eq!(status("canceled"), Some(Outcome::Canceled));
    for open in [
        "pending",
        "provisioning",
        "running",
        "waiting",
        "paused",
        "reconciling",
        "terminated",
    ] {
        assert_eq!(status(open), None, "{open}");
    }
    assert_eq!(outcome(message(5)), None);
    assert_eq!(
        outcome(event(
            5,
            "session.thread_status_idle",
            json!({ "stop_reason": "end_turn" })
        )),
        None
    );
    assert_eq!(outcome(event(5, "run.completed", json!({}))), None);
}

/// SET-1, A-STOP, REP-15: `requires_action` goes on, in every form and place; every other value settles, unknown,
/// absent and unreadable ones included.
#[test]
fn an_idle_settles_unless_an_action_is_required() {
    let forms = |name: &str| {
        [
            json!(name),
            json!({ "type": name }),
            json!({ "type": name, "event_ids": ["e"] }),
        ]
    };
    let under = |reason: &Value| event(5, "session.status_idle", json!({ "stop_reason": reason }));
    let beside = |reason: &Value| {
        let mut event = event(5, "session.status_idle", json!({}));
        event["stop_reason"] = reason.clone();
        event
    };
    for reason in forms("requires_action") {
        assert_eq!(outcome(under(&reason)), None, "{reason}");
        assert_eq!(outcome(beside(&reason)), None, "beside: {reason}");
    }
    for name in [
        "end_turn",
        "retries_exhausted",
        "run_failed",
        "budget_reached",
        "refusal",
        "new_reason",
    ] {
        for reason in forms(name) {
            let settled = Some(Outcome::Idle {
                stop_reason: Some(StopReason::from(name)),
            });
            assert_eq!(outcome(under(&reason)), settled, "{reason}");
            assert_eq!(outcome(beside(&reason)), settled, "beside: {reason}");
        }
    }
    for nothing in [under(&Value::Null), event(5, "session.status_idle", json!({}))] {
        assert_eq!(outcome(nothing), Some(Outcome::Idle { stop_reason: None }));
    }
    for odd in [
        json!(7),
        json!(["requires_action"]),
        json!({ "kind": "requires_action" }),
        json!(true),
    ] {
        let settled = outcome(under(&odd));
        assert_eq!(
            settled,
            Some(Outcome::Idle {
                stop_reason: Some(StopReason::Unreadable(odd.to_string().into()))
            })
        );
    }
    let mut bare = event(5, "session.status_idle", json!({}));
    for payload in [Value::Null, json!("requires_action"), json!([])] {
        bare["payload"] = payload;
        assert_eq!(outcome(bare.clone()), Some(Outcome::Idle { stop_reason: None }));
    }
    bare.as_object_mut().unwrap().remove("payload");
    assert_eq!(outcome(bare), Some(Outcome::Idle { stop_reason: None }));
}

/// A-HEAD: an older idle does not answer for new work; the first one above the input does, and stays.
#[test]
fn only_a_settlement_above_the_input_counts() {
    let mut fold = SettlementFold::after(Seq::from(10));
    assert_eq!(fold.observe(&read(&idle(9, "end_turn"))), None);
    assert_eq!(fold.observe(&read(&idle(10, "end_turn"))), None);
    assert_eq!(fold.observe(&read(&message(11))), None);
    assert_eq!(fold.observe(&read(&idle(12, "requires_action"))), None);
    assert_eq!(
        fold.observe(&read(&idle(15, "end_turn")))
            .map(|settled| settled.seq.get()),
        Some(15)
    );
    assert_eq!(
        fold.observe(&read(&idle(20, "run_failed")))
            .map(|settled| settled.seq.get()),
        Some(15)
    );
    assert_eq!(
        fold.settlement()
            .and_then(|settled| settled.event_id.clone())
            .unwrap()
            .as_str()
            .len(),
        36
    );
}

/// THR-11, A-STOP: a child's work is settled by its own rest or end, and by the Session's end; neither another thread nor a
/// Session that rests settles it, and an action that is required goes on.
#[test]
fn a_child_is_settled_by_its_own_status_or_the_sessions_end() {
    let child = SessionThreadId::from("sthr_2");
    let of = |thread: Option<&str>, name: &str, payload: Value| {
        let mut status = event(5, name, payload);
        status["session_thread_id"] = json!(thread);
        let event = read(&status);
        let settled = Settlement::of_child(&event, &child);
        let mut fold = SettlementFold::after(Seq::from(4)).of_child("sthr_2");
        assert_eq!(fold.observe(&event), settled.as_ref(), "{status}");
        settled.map(|settled| (settled.outcome, settled.seq.get(), settled.event_id.is_some()))
    };
    let told = |outcome| Some((outcome, 5, true));
    let (own, idle) = (Some("sthr_2"), "session.thread_status_idle");
    let end_turn = Outcome::ThreadIdle {
        stop_reason: Some(StopReason::EndTurn),
    };
    assert_eq!(
        of(own, idle, json!({ "stop_reason": "end_turn" })),
        told(end_turn)
    );
    assert_eq!(
        of(own, idle, json!({})),
        told(Outcome::ThreadIdle { stop_reason: None })
    );
    assert_eq!(of(own, idle, json!({ "stop_reason": "requires_action" })), None);
    let terminated = "session.thread_status_terminated";
    assert_eq!(of(own, terminated, json!({})), told(Outcome::ThreadTerminated));
    assert_eq!(of(own, "session.thread_status_running", json!({})), None);
    for other in [Some("sthr_3"), None] {
        assert_eq!(of(other, idle, json!({ "stop_reason": "end_turn" })), None);
        assert_eq!(of(other, terminated, json!({})), None);
    }
    for thread in [own, Some("sthr_3"), None] {
        let completed = of(thread, "session.status_completed", json!({}));
        assert_eq!(completed, told(Outcome::Completed));
        assert_eq!(
            of(
                thread,
                "session.status_idle",
                json!({ "stop_reason": "end_turn" })
            ),
            None
        );
        assert_eq!(of(thread, "agent.message", json!({})), None);
    }
}

/// THR-11, A-FORK: the end of a child counts wherever it stands, also where a fork copied it; its rest does not.
#[test]
fn the_end_of_a_child_counts_at_any_place() {
    for (name, settled) in [("terminated", true), ("idle", false)] {
        let mut status = event(5, &format!("session.thread_status_{name}"), json!({}));
        status["session_thread_id"] = json!("sthr_2");
        let mut fold = SettlementFold::after(Seq::from(5))
            .of_child("sthr_2")
            .forked_at(Seq::from(9));
        assert_eq!(fold.observe(&read(&status)).is_some(), settled, "{name}");
    }
}

/// A-HEAD, A-FORK: what counts is above the input, and in a fork above its place, whichever is later.
#[test]
fn a_place_counts_above_the_input_and_the_fork() {
    for (input, fork) in [(10, 0), (10, 4), (4, 10)] {
        let fold = SettlementFold::after(Seq::from(input)).forked_at(Seq::from(fork));
        let counted = [3, 9, 10, 11, 99].map(|seq| fold.counts(Seq::from(seq)));
        assert_eq!(counted, [false, false, false, true, true], "{input} {fork}");
    }
}

/// SET-1: a settlement is told in words, with its reason and its place.
#[test]
fn a_settlement_is_told_in_words() {
    let stop_reason = || Some(StopReason::EndTurn);
    for (outcome, told) in [
        (
            Outcome::Idle {
                stop_reason: stop_reason(),
            },
            "idle (end_turn)",
        ),
        (Outcome::Idle { stop_reason: None }, "idle"),
        (Outcome::Completed, "completed"),
        (Outcome::Failed, "failed"),
        (Outcome::Canceled, "canceled"),
        (Outcome::RunCompleted, "run completed"),
        (Outcome::RunFailed, "run failed"),
        (Outcome::RunCanceled, "run canceled"),
        (
            Outcome::ThreadIdle {
                stop_reason: stop_reason(),
            },
            "thread idle (end_turn)",
        ),
        (Outcome::ThreadIdle { stop_reason: None }, "thread idle"),
        (Outcome::ThreadTerminated, "thread terminated"),
    ] {
        assert_eq!(outcome.to_string(), told);
    }
    let settlement = Settlement::of(&read(&idle(9, "end_turn"))).unwrap();
    assert_eq!(settlement.to_string(), "idle (end_turn) at seq 9");
}

/// A-FORK: copied status events settle nothing, terminal ones included.
#[test]
fn copied_events_settle_nothing_in_a_fork() {
    let mut fold = SettlementFold::after(Seq::ZERO).forked_at(Seq::from(7));
    assert_eq!(
        fold.observe(&read(&event(7, "session.status_completed", json!({})))),
        None
    );
    assert_eq!(
        fold.observe(&read(&event(
            8,
            "session.forked",
            json!({ "source_session_id": "sess_0" })
        ))),
        None
    );
    assert_eq!(
        fold.observe(&read(&idle(9, "end_turn")))
            .map(|settled| settled.seq.get()),
        Some(9)
    );
}

/// A-HEAD, REP-14: a Session says that it is settled by its status and stop reason; missing members say nothing.
#[test]
fn a_session_tells_its_settlement() {
    let read = |value: Value| {
        let session: Session = serde_json::from_value(value).unwrap();
        Settlement::of_session(&session).map(|settled| (settled.outcome, settled.seq.get()))
    };
    let end_turn = Outcome::Idle {
        stop_reason: Some(StopReason::EndTurn),
    };
    assert_eq!(
        read(session("idle", json!("end_turn"), 9)),
        Some((end_turn.clone(), 9))
    );
    assert_eq!(
        read(session("idle", json!({ "type": "end_turn" }), 9)),
        Some((end_turn, 9))
    );
    assert_eq!(
        read(session("idle", json!(null), 9)),
        Some((Outcome::Idle { stop_reason: None }, 9))
    );
    assert_eq!(
        read(session("completed", json!(null), 9)),
        Some((Outcome::Completed, 9))
    );
    assert_eq!(read(session("idle", json!("requires_action"), 9)), None);
    for open in ["pending", "running", "waiting", "paused", "something_new"] {
        assert_eq!(read(session(open, json!(null), 9)), None, "{open}");
    }
    for missing in ["status", "stop_reason", "last_seq"] {
        let mut partial = session("idle", json!("end_turn"), 9);
        partial.as_object_mut().unwrap().remove(missing);
        assert_eq!(read(partial), None, "without {missing}");
    }
    let mut ended = session("completed", json!(null), 9);
    ended.as_object_mut().unwrap().remove("stop_reason");
    assert_eq!(read(ended.clone()), Some((Outcome::Completed, 9)));
    ended.as_object_mut().unwrap().remove("last_seq");
    assert_eq!(read(ended), None);
}

/// A-FORK: the status that a fork copied is not its own, up to the place of the fork.
#[test]
fn a_fork_tells_its_own_settlement_only() {
    for (last_seq, settled) in [(8, false), (9, false), (10, true)] {
        for status in ["idle", "completed"] {
            let mut fork = session(status, json!("end_turn"), last_seq);
            fork["forked_from"] = json!({ "session_id": "sess_0", "event_id": "evt_9", "seq": 9 });
            let fork: Session = serde_json::from_value(fork).unwrap();
            assert_eq!(
                Settlement::of_session(&fork).is_some(),
                settled,
                "{status} {last_seq}"
            );
        }
    }
}

/// FOL-6: a settlement that is stored beside a cursor reads back as it was, whatever its reason.
#[test]
fn a_settlement_survives_being_stored() {
    for reason in [
        json!("end_turn"),
        json!({ "type": "brand_new" }),
        json!([1, 2]),
        json!(null),
    ] {
        let event = read(&event(5, "session.status_idle", json!({ "stop_reason": reason })));
        let settlement = Settlement::of(&event).unwrap();
        let stored = serde_json::to_string(&settlement).unwrap();
        assert_eq!(
            serde_json::from_str::<Settlement>(&stored).unwrap(),
            settlement,
            "{stored}"
        );
    }
}
