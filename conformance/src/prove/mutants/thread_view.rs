use serde_json::{Value, json};

use super::{
    children::Children,
    edit::{each, of_the_session, pages},
};
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit, Frame},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [histories(), streams()].into_iter().flatten().collect()
}

fn histories() -> Vec<Mutant> {
    let children = Children::default();
    let known = children.clone();
    vec![
        Mutant::new("thread-after-is-inclusive")
            .request(|call| {
                let after = call
                    .parameter("after")
                    .and_then(|after| after.parse::<u64>().ok());
                if let Some(after) = after.filter(|_| call.is_thread_events()) {
                    call.set_parameter("after", after.saturating_sub(1));
                }
            })
            .kills("srv.thread.after-and-page", "events above"),
        Mutant::new("thread-events-ignore-after")
            .request(|call| {
                if call.is_thread_events() {
                    call.drop_parameter("after");
                }
            })
            .kills("srv.thread.after-and-page", "events above"),
        Mutant::new("thread-page-loses-its-last")
            .answer(|call, answer| {
                if call.is_thread_events() && call.parameter("limit") == Some("3") {
                    answer.edit_events(|events| drop(events.pop()));
                }
            })
            .kills("srv.thread.after-and-page", "the thread's walk with pages of 3"),
        Mutant::new("thread-prefers-after-to-page")
            .request(|call| {
                if call.is_thread_events() && call.parameter("after").is_some() {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.thread.page-and-after-conflict", "status 400"),
        of_a_thread("primary-thread-lacks-the-message", |events| {
            events.retain(|event| event["type"] != "user.message")
        })
        .kills(
            "srv.thread.primary-is-session",
            "the primary thread's list beside",
        ),
        of_a_thread("primary-thread-ends-early", |events| drop(events.pop())).kills(
            "srv.thread.primary-is-session",
            "the primary thread's list beside",
        ),
        of_a_thread("child-without-its-runs", |events| {
            events.retain(|event| !is_run(event))
        })
        .kills("srv.thread.child-has-its-runs", "a child whose list has"),
        Mutant::new("child-history-is-the-sessions")
            .answer(move |call, answer| known.learn(call, answer))
            .request(move |call| {
                if call.is_thread_events() && children.has(call.thread()) {
                    call.leave_thread();
                }
            })
            .kills(
                "srv.thread.child-has-its-runs",
                "without the message to the primary",
            ),
        of_a_thread("child-events-name-no-thread", |events| {
            each(events, |event| event.put("/session_thread_id", Value::Null))
        })
        .kills("srv.thread.views-agree", "an event of"),
        of_a_thread("views-number-apart", |events| {
            each(events, |event| event.add("/seq", 1000))
        })
        .kills("srv.thread.views-agree", "each id under one seq"),
        of_a_thread("two-events-under-one-seq", |events| {
            each(events, |event| event.put("/payload/own", true.into()))
        })
        .kills("srv.thread.views-agree", "one event under seq"),
        of_the_session("child-runs-in-the-session", |events| {
            let spawned = events
                .iter()
                .find(|event| event["type"] == "session.thread_created");
            let Some(child) = spawned.map(|event| event["session_thread_id"].clone()) else {
                return;
            };
            let runs = events.iter_mut().filter(|event| event["type"] == "run.completed");
            runs.for_each(|event| event.put("/session_thread_id", child.clone()));
        })
        .kills("srv.thread.local-stays-local", "no Run and no message of a child"),
        of_the_session("session-stop-reason-as-an-object", |events| {
            let idles = events
                .iter_mut()
                .filter(|event| event["type"] == "session.status_idle");
            idles.for_each(|idle| idle.put("/payload/stop_reason", json!({"type": "end_turn"})));
        })
        .kills("srv.thread.stop-reasons", "a string as the stop reason"),
        of_the_session("thread-stop-reason-as-a-string", |events| {
            let idles = events
                .iter_mut()
                .filter(|event| event["type"] == "session.thread_status_idle");
            idles.for_each(|idle| idle.put("/payload/stop_reason", "end_turn".into()));
        })
        .kills(
            "srv.thread.stop-reasons",
            "an object with a type as the stop reason",
        ),
        of_the_session("session-hides-thread-messages", |events| {
            events.retain(|event| event["type"] != "agent.thread_message_received")
        })
        .kills("srv.thread.local-stays-local", "of a child in the Session's list"),
    ]
}

fn streams() -> Vec<Mutant> {
    let children = Children::default();
    let known = children.clone();
    vec![
        frames("thread-stream-drops-an-event", |frame| match frame.kind() {
            "run.started" => Vec::new(),
            _ => vec![frame],
        })
        .kills(
            "srv.thread.stream-equals-list",
            "the thread's stream beside its list",
        ),
        frames("thread-stream-without-ids", |mut frame| {
            frame.drop_field("id");
            vec![frame]
        })
        .kills("srv.thread.stream-equals-list", "on a thread's stream"),
        Mutant::new("child-stream-is-the-sessions")
            .answer(move |call, answer| known.learn(call, answer))
            .request(move |call| {
                if call.is_thread_stream() && children.has(call.thread()) {
                    call.leave_thread();
                }
            })
            .kills(
                "srv.thread.stream-of-a-child",
                "the child's stream beside its list",
            ),
        cursors("child-stream-ignores-the-cursor", |_| None)
            .kills("srv.thread.stream-of-a-child", "the child's stream after"),
        cursors("thread-stream-is-inclusive", |cursor| {
            Some(cursor.parse::<u64>().ok()?.saturating_sub(1).to_string())
        })
        .kills("srv.thread.stream-resumes", "the thread's stream after"),
        cursors("thread-stream-skips-one", |cursor| {
            Some((cursor.parse::<u64>().ok()? + 1).to_string())
        })
        .kills("srv.thread.stream-resumes", "the thread's stream after"),
        cursors("thread-stream-waits-ahead", |cursor| {
            Some(cursor.to_owned()).filter(|cursor| cursor.parse::<u64>().is_ok_and(|cursor| cursor < 1000))
        })
        .kills("srv.thread.stream-gaps-alike", "as on the Session's stream"),
        cursors("thread-stream-takes-any-cursor", |cursor| {
            Some(cursor.to_owned()).filter(|cursor| cursor.parse::<u64>().is_ok())
        })
        .kills("srv.thread.stream-gaps-alike", "as on the Session's stream"),
        frames("thread-stream-ends-after-replay", |frame| {
            vec![frame, Frame::end()]
        })
        .kills(
            "srv.thread.stream-lives",
            "a new event on the thread's open stream",
        ),
        frames("thread-stream-shows-nothing-live", |frame| match frame.seq() {
            1 => vec![frame],
            _ => Vec::new(),
        })
        .kills(
            "srv.thread.stream-lives",
            "a new event on the thread's open stream",
        ),
    ]
}

fn is_run(event: &Value) -> bool {
    event["type"]
        .as_str()
        .is_some_and(|kind| kind.starts_with("run."))
}

/// Changes the events of every list of a thread.
fn of_a_thread(name: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Mutant {
    pages(name, Call::is_thread_events, change)
}

/// Changes the frames of every stream of a thread.
fn frames(name: &'static str, change: impl Fn(Frame) -> Vec<Frame> + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).frame(move |call, _, frame| match call.is_thread_stream() {
        true => change(frame),
        false => vec![frame],
    })
}

/// Changes or drops the cursor of every stream of a thread.
fn cursors(name: &'static str, change: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).request(move |call| {
        let Some(cursor) = call.header("last-event-id").map(str::to_owned) else {
            return;
        };
        match change(&cursor) {
            _ if !call.is_thread_stream() => {}
            Some(cursor) => call.set_header("last-event-id", cursor),
            None => drop(call.headers.remove("last-event-id")),
        }
    })
}
