use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    known::Known,
    outcome::{ending, is_success, refusal_in_words},
    recorder::{Begun, Ending},
    setting::Stage,
};
use crate::{
    configuration::note_refused_creation,
    json,
    model::{
        history::{Call, Seen},
        script::Place,
    },
    stimulus::session,
    wire::{client::Fault, exchange::Exchange, request::Request},
};

/// Why there is no Session to play in.
#[derive(Debug)]
pub(super) enum Barren {
    Unreachable(String),
    Refused(String),
}

impl Stage<'_> {
    /// Makes the first Session. The first creation of a run may show that the server does not know what the operator gave,
    /// which the bench keeps then.
    pub(super) async fn create(&self, deployment: &str) -> Result<(), Barren> {
        let body = json!({
            "agent_deployment_id": deployment,
            "principal_id": self.bench.target.principal,
            "title": format!("conformance run {} history {}", self.bench.run_id, self.history),
        });
        let agent = deployment.to_owned();
        let begun = self.recorder.begin(0, Call::Create { agent });
        let request = Request::post("/v1/sessions", &body).header("idempotency-key", self.fresh());
        let sent = self.client.send(request).await;
        if let Err(Fault::Unreachable(why)) = &sent {
            return Err(Barren::Unreachable(why.clone()));
        }
        let answer = sent.as_ref().ok().filter(|answer| !is_success(answer)).cloned();
        let made = self.made(begun, sent);
        if let Some(answer) = &answer {
            note_refused_creation(self.bench, answer).await;
        }
        made.map_err(|why| Barren::Refused(answer.map_or(why, |answer| refusal_in_words(&answer))))
    }

    pub(super) async fn fork(&self, process: u32, session: &str, place: Place) {
        let at = Some(self.cursor(session, place)).filter(|at| *at > 0);
        let session_id = session.to_owned();
        let begun = self.recorder.begin(
            process,
            Call::Fork {
                session: session_id,
                at,
            },
        );
        let body = at.map_or_else(|| json!({}), |at| json!({"from": {"seq": at}}));
        let request = Request::post(format!("{}/fork", session::path(session)), &body);
        let sent = self
            .client
            .send(request.header("idempotency-key", self.fresh()))
            .await;
        // A history without this fork is as good as one with it.
        let _ = self.made(begun, sent);
    }

    /// Ends an operation that makes a Session.
    fn made(&self, begun: Begun, sent: Result<Arc<Exchange>, Fault>) -> Result<(), String> {
        let id = sent
            .as_ref()
            .ok()
            .filter(|answer| is_success(answer))
            .and_then(|answer| {
                let body = json::read(answer.body()).ok()?;
                let id = body.get("id").and_then(Value::as_str)?;
                // Ids go into paths.
                let plain = id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                (plain && !id.is_empty()).then(|| id.to_owned())
            });
        match id {
            Some(id) => {
                self.recorder
                    .end(begun, Ending::ok(Some(Seen::Session { id: id.clone() })));
                self.sessions.add(Known::new(id));
                Ok(())
            }
            None => {
                let ending = ending(&sent);
                let why = ending
                    .why
                    .clone()
                    .unwrap_or_else(|| "an answer without an id".to_owned());
                self.recorder.end(begun, ending);
                Err(why)
            }
        }
    }
}
