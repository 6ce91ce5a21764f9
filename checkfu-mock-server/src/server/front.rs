//! Every request passes here: it gets its id, is written down, and meets its faults.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use axum::response::Response;
use tower_service::Service as _;

use super::connection::Service;
use crate::clock::Clock;
use crate::fault::line::Line;
use crate::fault::operation::Operation;
use crate::fault::plan::{Faults, Shot};
use crate::fault::serve::Exchange;
use crate::fault::sever::Broken;
use crate::fault::target::Facts;
use crate::http::request_id::{REQUEST_ID, RequestId};
use crate::journal::{Ended, Journal, JournalEntry};
use crate::mutant::{self, Mutant, Mutants};
use crate::stop::Stopping;

/// Answers requests of the API.
#[derive(Debug, Clone)]
pub(super) struct Front {
    pub(super) router: Router,
    pub(super) faults: Faults,
    pub(super) journal: Journal,
    pub(super) mutants: Mutants,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stopping: Stopping,
}

impl Service for Front {
    fn connected(&self) -> Vec<Shot> {
        let facts = Facts {
            operation: Operation::Connect,
            method: "",
            path: "",
            session: None,
            keyed: false,
            resumed: false,
        };
        self.faults.meet(&facts, "")
    }

    async fn answer(&self, request: Request<Body>, line: Arc<Line>) -> Result<Response, Broken> {
        self.mutants.clone().enter(self.answer_here(request, line)).await
    }
}

impl Front {
    async fn answer_here(&self, mut request: Request<Body>, line: Arc<Line>) -> Result<Response, Broken> {
        let id = RequestId::fresh();
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        let (operation, session) = Operation::of(&method, &path);
        let headers = request.headers();
        let facts = Facts {
            operation,
            method: method.as_str(),
            path: &path,
            session,
            keyed: headers.contains_key("idempotency-key"),
            resumed: headers.contains_key("last-event-id"),
        };
        let planned = self.faults.meet(&facts, id.as_str());
        let met = planned.len() as u64;
        let shots = planned
            .into_iter()
            .chain(self.mutants.meet(&facts))
            .collect::<Vec<_>>();
        let cursor = headers.get("last-event-id");
        let ticket = self.journal.begin(JournalEntry {
            number: 0,
            at: self.clock.now(),
            method: method.to_string(),
            path: path.clone(),
            operation,
            request_id: id.as_str().to_owned(),
            last_event_id: cursor.map(|cursor| String::from_utf8_lossy(cursor.as_bytes()).into_owned()),
            idempotency_key: facts.keyed,
            status: None,
            bytes: 0,
            ended: Ended::Open,
            faults: met,
        });
        line.begin();
        let id_value = HeaderValue::from_str(id.as_str());
        request.extensions_mut().insert(id);
        let mut router = self.router.clone();
        // What a fault began on an earlier page may go on here.
        let answered = if shots.is_empty() && !self.faults.is_planned() {
            let Ok(response) = router.call(request).await;
            Ok(response)
        } else {
            let stopping = self.stopping.clone();
            let exchange = Exchange {
                operation,
                line,
                stopping,
                shots,
            };
            exchange.answer(router, request).await
        };
        match answered {
            Ok(mut response) => {
                if mutant::active(Mutant::NoRequestId) {
                    response.headers_mut().remove(&REQUEST_ID);
                } else if let Ok(value) = id_value {
                    // An answer that a fault made up has one too, so that its reader can be found here.
                    response.headers_mut().entry(&REQUEST_ID).or_insert(value);
                }
                let status = response.status().as_u16();
                Ok(response.map(|body| ticket.answered(status, self.mutants.body(body))))
            }
            Err(broken) => {
                ticket.cut();
                Err(broken)
            }
        }
    }
}
