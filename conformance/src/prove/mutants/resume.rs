use serde_json::json;

use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    let trace = super::trace::trace(principal);
    vec![
        Mutant::new("resume-is-inclusive")
            .request(|call| shift_cursor(call, -1))
            .kills("srv.resume.every-cut", "the stream after")
            .kills("srv.resume.at-head", "the first event after the head")
            .kills("srv.resume.mid-turn", "the stream of a turn, left"),
        Mutant::new("resume-ignores-the-cursor")
            .request(|call| {
                call.headers.remove("last-event-id");
            })
            .kills("srv.resume.every-cut", "the stream after")
            .kills("srv.resume.at-head", "the first event after the head"),
        Mutant::new("resume-skips-one")
            .request(|call| shift_cursor(call, 1))
            .kills("srv.resume.every-cut", "the stream after"),
        Mutant::new("stream-skips-one-deep-down")
            .request(|call| {
                if call.cursor().is_some_and(|cursor| cursor >= DEEP_DOWN) {
                    shift_cursor(call, 1);
                }
            })
            .kills("srv.resume.deep-in-the-log", "the stream after"),
        Mutant::new("list-skips-one-deep-down")
            .request(|call| {
                let after = call
                    .parameter("after")
                    .and_then(|after| after.parse::<u64>().ok());
                if let Some(after) = after.filter(|after| *after >= DEEP_DOWN) {
                    call.set_parameter("after", after + 1);
                }
            })
            .kills("srv.resume.deep-in-the-log", "the list after"),
        Mutant::new("reconnect-starts-again")
            .also(move |call, _| {
                let mut again = call.clone();
                again.method = "POST".to_owned();
                again.path = call.path.trim_end_matches("/stream").to_owned();
                again.query.clear();
                again.set_header("content-type", "application/json");
                again.set_json(&trace);
                (call.is_stream() && call.cursor().is_some()).then_some(again)
            })
            .kills("srv.resume.every-cut", "the log after the reconnects")
            .kills("srv.resume.mid-turn", "the one message of the turn"),
        Mutant::new("zero-skips-the-first")
            .request(|call| {
                if call.header("last-event-id") == Some("0") {
                    call.set_header("last-event-id", 1);
                }
            })
            .kills("srv.resume.zero-is-the-start", "the stream after 0"),
        Mutant::new("waits-ahead-of-the-head")
            .request(|call| {
                if call.cursor().is_some_and(|cursor| cursor > 1000) {
                    call.headers.remove("last-event-id");
                }
            })
            .kills("srv.resume.ahead-of-head", "a refusal"),
        Mutant::new("ahead-without-last-seq")
            .answer(|_, answer| {
                if answer.status == 409 {
                    answer.edit(|body| body.put("/error/details", json!({})));
                }
            })
            .kills("srv.resume.ahead-of-head", "/error/details/last_seq"),
        Mutant::new("bad-cursor-is-none")
            .request(|call| {
                if call.cursor().is_none() {
                    call.headers.remove("last-event-id");
                }
            })
            .kills("srv.resume.bad-cursor", "a refusal"),
    ]
}

/// No turn of the suite comes so far.
const DEEP_DOWN: u64 = 60;

fn shift_cursor(call: &mut Call, by: i64) {
    let Some(cursor) = call.cursor().and_then(|cursor| i64::try_from(cursor).ok()) else {
        return;
    };
    call.set_header("last-event-id", (cursor + by).max(0));
}
