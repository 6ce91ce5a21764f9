use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    list::Walking,
    outcome::{ending, is_success},
    recorder::Ending,
    setting::Stage,
};
use crate::{
    json,
    model::{
        history::{Call, Phase, Seen},
        script::Sending,
    },
    stimulus::{event::Event, session, turn, wait},
    wire::{client::Fault, exchange::Exchange, request::Request},
};

/// How often a message whose fate is unknown is sent again.
const TRIES: usize = 8;
/// Between two tries; a server may still be busy with the one before.
const PAUSE: Duration = Duration::from_millis(15);

/// What messages say beside their tokens: text of several scripts, one script a word.
const PHRASES: [&str; 4] = [
    "Say hello in a few words.",
    "Grüße aus Köln.",
    "こんにちは、元気ですか。",
    "A rocket: 🚀.",
];

impl Stage<'_> {
    pub(super) async fn say(&self, process: u32, session: &str, sending: Sending) {
        let (token, key) = (self.fresh(), self.fresh());
        let body = self.message(&token);
        match sending {
            Sending::Once => drop(self.append(process, session, &token, &key, &body).await),
            Sending::Twice => {
                self.append(process, session, &token, &key, &body).await;
                self.until_known(process, session, &token, &key, &body).await;
            }
            Sending::Lost(micros) => {
                self.cut(
                    process,
                    session,
                    &token,
                    &key,
                    &body,
                    Duration::from_micros(micros),
                )
                .await;
                self.until_known(process, session, &token, &key, &body).await;
            }
            Sending::KeyTwice => {
                self.append(process, session, &token, &key, &body).await;
                let other = self.fresh();
                self.append(process, session, &other, &key, &self.message(&other))
                    .await;
            }
        }
    }

    pub(super) async fn interrupt(&self, process: u32, session: &str) {
        let body = turn::input(self.bench, "user.interrupt", json!({}));
        self.input(process, session, "user.interrupt", &body).await;
    }

    /// Looks what the Agent asked for last, and answers it.
    pub(super) async fn answer(&self, process: u32, session: &str) {
        let events = self.list(process, session, Walking::whole(1000, false)).await;
        let Some(action) = events.iter().rev().find(|event| wait::blocks(event)) else {
            return;
        };
        let body = wait::fitting(self.bench, action);
        let kind = body["type"].as_str().unwrap_or_default().to_owned();
        self.input(process, session, &kind, &body).await;
    }

    /// Sends a message and writes down what is known of it then.
    pub(super) async fn append(
        &self,
        process: u32,
        session: &str,
        token: &str,
        key: &str,
        body: &Value,
    ) -> Phase {
        let begun = self.recorder.begin(process, append_call(session, token, body));
        let sent = self.client.send(request(session, key, body)).await;
        let ending = self.accepted(&sent);
        let phase = ending.phase;
        self.recorder.end(begun, ending);
        phase
    }

    pub(super) fn message(&self, token: &str) -> Value {
        let phrase = PHRASES[token.bytes().map(usize::from).sum::<usize>() % PHRASES.len()];
        turn::message_saying(self.bench, &format!("{phrase} ({token})"))
    }

    async fn input(&self, process: u32, session: &str, kind: &str, body: &Value) {
        let key = self.fresh();
        let call = Call::Input {
            session: session.to_owned(),
            kind: kind.to_owned(),
            key: Some(key.clone()),
            sent: Some(body.clone()),
        };
        let begun = self.recorder.begin(process, call);
        let sent = self.client.send(request(session, &key, body)).await;
        self.recorder.end(begun, self.accepted(&sent));
    }

    /// Drops the connection a while after sending, whatever the server made of it.
    async fn cut(&self, process: u32, session: &str, token: &str, key: &str, body: &Value, after: Duration) {
        let begun = self.recorder.begin(process, append_call(session, token, body));
        let ending = match timeout(after, self.client.send(request(session, key, body))).await {
            Ok(sent) => self.accepted(&sent),
            Err(_) => Ending::unknown("the sender left before the answer"),
        };
        self.recorder.end(begun, ending);
    }

    /// Sends it again under its key until the server says what became of it.
    async fn until_known(&self, process: u32, session: &str, token: &str, key: &str, body: &Value) {
        for _ in 0..TRIES {
            if self.append(process, session, token, key, body).await == Phase::Ok {
                return;
            }
            sleep(PAUSE).await;
        }
    }

    fn accepted(&self, sent: &Result<Arc<Exchange>, Fault>) -> Ending {
        let answer = sent.as_ref().ok().filter(|answer| is_success(answer));
        let body = answer.and_then(|answer| json::read(answer.body()).ok());
        let envelope = body
            .as_ref()
            .map(|body| body.pointer("/data/0").or(body.get("data")).unwrap_or(body));
        match (envelope.filter(|envelope| Event::read(envelope).is_ok()), answer) {
            (Some(envelope), _) => Ending::ok(Some(Seen::Accepted {
                event: self.recorder.name(envelope),
            })),
            (None, Some(answer)) => Ending::ok(Some(Seen::Unnamed {
                status: answer.status(),
            })),
            (None, None) => ending(sent),
        }
    }
}

fn append_call(session: &str, token: &str, body: &Value) -> Call {
    Call::Append {
        session: session.to_owned(),
        token: token.to_owned(),
        sent: Some(body.clone()),
    }
}

fn request(session: &str, key: &str, body: &Value) -> Request {
    Request::post(session::events(session), body).header("idempotency-key", key)
}
