use serde_json::{Value, json};

use super::{outcome::ending, setting::Stage};
use crate::{
    model::{history::Call, script::Wrong},
    stimulus::{session, turn},
    wire::{client::Attempted, request::Request},
};

/// Far above any log that the suite makes.
const FAR_AHEAD: u64 = 1 << 40;

impl Stage<'_> {
    /// Makes a call that has to be refused. Where it could append a message, that has a token to look for.
    pub(super) async fn wrong(&self, process: u32, session: &str, what: Wrong) {
        let token = self.fresh();
        let (of, call, request) = match what {
            Wrong::NoAuthor => {
                let mut body = self.message(&token);
                if let Some(payload) = body["payload"].as_object_mut() {
                    payload.remove("authored_by");
                }
                (session, None, Request::post(session::events(session), &body))
            }
            Wrong::SeveralEvents => {
                let body = json!({"events": [self.message(&token)]});
                (session, None, Request::post(session::events(session), &body))
            }
            Wrong::NoJson => {
                let body = format!("{}…", self.message(&token));
                let request = Request::post(session::events(session), &Value::Null).raw_body(body);
                (session, None, request)
            }
            Wrong::UnknownSession => {
                let unknown = session::UNKNOWN_SESSION;
                let body = self.message(&token);
                (unknown, None, Request::post(session::events(unknown), &body))
            }
            Wrong::UnknownQuestion => {
                let payload = json!({"question_id": format!("q_{token}"), "answer": "yes"});
                let body = turn::input(self.bench, "user.question_answer", payload);
                let request = Request::post(session::events(session), &body);
                (
                    session,
                    Some("an answer to a Question that nobody asked"),
                    request,
                )
            }
            Wrong::UnknownThread => {
                let payload = json!({"session_thread_id": "sthr_00000000000000000000000000000000"});
                let body = turn::input(self.bench, "user.interrupt", payload);
                let request = Request::post(session::events(session), &body);
                (
                    session,
                    Some("an interrupt of a thread that is not there"),
                    request,
                )
            }
            Wrong::ForkOfNothing => {
                let body = json!({"from": {"event_id": "evt_00000000000000000000000000000000"}});
                let request = Request::post(format!("{}/fork", session::path(session)), &body);
                (session, Some("a fork of an event that is not there"), request)
            }
            Wrong::BothCursors => {
                let request = Request::get(session::events(session))
                    .query("after", 1)
                    .query("page", "x");
                (session, Some("a list with after and page"), request)
            }
            Wrong::CursorAhead => {
                let request = Request::get(session::stream(session)).after(FAR_AHEAD);
                (
                    session,
                    Some("a stream behind an event that is not there"),
                    request,
                )
            }
        };
        let call = match call {
            Some(what) => Call::Wrong {
                session: of.to_owned(),
                what: what.to_owned(),
            },
            None => Call::Append {
                session: of.to_owned(),
                token,
                // It is to be refused, so there is nothing to find as it was sent.
                sent: None,
            },
        };
        let begun = self.recorder.begin(process, call);
        let request = match request.method {
            "POST" => request.header("idempotency-key", self.fresh()),
            _ => request,
        };
        // Where it is not refused, a stream stays open, and nothing of it is of interest.
        let sent = match self.client.attempt_stream(request).await {
            Ok(Attempted::Answer(attempt)) => Ok(self.client.keep(attempt.exchange)),
            Ok(Attempted::Stream(reading)) => Ok(self.client.record(*reading)),
            Err(fault) => Err(fault),
        };
        self.recorder.end(begun, ending(&sent));
    }
}
