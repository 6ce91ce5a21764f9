//! A Session's events as its views tell them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::client::Client;

/// The log, the children's own events included, by `seq`.
#[derive(Debug)]
pub(super) struct Record {
    session: String,
    by_seq: BTreeMap<u64, Value>,
    /// Up to where each view has been read: the Session's, then its children's.
    cursors: BTreeMap<String, u64>,
}

impl Record {
    pub(super) fn of(session: &str) -> Self {
        let view = format!("/v1/sessions/{session}/events");
        Self {
            session: session.to_owned(),
            by_seq: BTreeMap::new(),
            cursors: BTreeMap::from([(view, 0)]),
        }
    }

    /// How long the log is now.
    pub(super) async fn head(&self, client: &Client) -> u64 {
        let session = client
            .get(&format!("/v1/sessions/{}", self.session))
            .await
            .ok(200);
        session["last_seq"].as_u64().unwrap()
    }

    /// Reads on.
    pub(super) async fn read(&mut self, client: &Client) {
        let mut unread: Vec<String> = self.cursors.keys().cloned().collect();
        while let Some(view) = unread.pop() {
            let cursor = self.cursors[&view];
            let path = format!("{view}?limit=1000&after={cursor}");
            let page = client.get(&path).await.ok(200);
            for event in page["data"].as_array().unwrap() {
                let seq = event["seq"].as_u64().unwrap();
                self.cursors.insert(view.clone(), seq);
                if event["type"] == "session.thread_created" && !self.by_seq.contains_key(&seq) {
                    let child = event["session_thread_id"].as_str().unwrap();
                    let view = format!("/v1/sessions/{}/threads/{child}/events", self.session);
                    unread.push(view.clone());
                    self.cursors.insert(view, 0);
                }
                let known = self.by_seq.insert(seq, event.clone());
                assert!(
                    known.is_none_or(|known| known == *event),
                    "both views tell the same"
                );
            }
        }
    }

    /// SES-1: reads everything anew; nothing that had been read has changed.
    pub(super) async fn read_again(&mut self, client: &Client) {
        let mut again = Self::of(&self.session);
        again.read(client).await;
        for (seq, event) in &self.by_seq {
            assert_eq!(again.by_seq.get(seq), Some(event), "an event that had been read");
        }
        *self = again;
    }

    pub(super) fn log(&self) -> Vec<Value> {
        self.by_seq.values().cloned().collect()
    }

    /// The Session and everything that belongs to it.
    pub(super) async fn resources(&self, client: &Client) -> Vec<Value> {
        let session = format!("/v1/sessions/{}", self.session);
        let mut resources = vec![client.get(&session).await.ok(200)];
        for part in ["runs", "threads", "action_approvals"] {
            let page = client.get(&format!("{session}/{part}?limit=1000")).await.ok(200);
            resources.extend(page["data"].as_array().unwrap().iter().cloned());
        }
        resources
    }
}
