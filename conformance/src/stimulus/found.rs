use std::sync::Arc;

use serde_json::Value;

use super::{
    bench::Bench,
    event::Event,
    log::{LARGEST_PAGE, Log},
    session::{self, Session},
    settled::Settled,
    turn::Turn,
};
use crate::{expect, stop::Stop, wire::request::Request};

/// A Session and its log, which somebody else may still write to.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) session: Session,
    pub(crate) log: Log,
    pub(super) grows: bool,
}

impl Found {
    pub(super) async fn read(bench: &Bench, id: &str) -> Result<Result<Self, String>, Stop> {
        let answer = bench.send(Request::get(session::path(id))).await?;
        if answer.status() != 200 {
            return Ok(Err(format!("cannot be read (status {})", answer.status())));
        }
        let resource = expect::json(&answer)?;
        expect::equal(&answer, "/id", &Value::from(id), &resource["id"])?;
        let session = Session {
            id: id.to_owned(),
            resource,
            answer,
        };
        let log = Log::read(bench, id).await?;
        Ok(Ok(Self {
            session,
            log,
            grows: false,
        }))
    }

    /// Whether nobody wrote to it while it was looked at.
    pub(crate) fn stands(&self) -> Result<(), String> {
        match self.grows {
            true => Err("is being written to".to_owned()),
            false => Ok(()),
        }
    }

    /// Whether nothing in its log says that it goes on by itself.
    fn rests(&self) -> Result<(), String> {
        self.stands()?;
        let statuses = self.log.events.iter().rev();
        let status = statuses
            .into_iter()
            .find(|event| event.kind.starts_with("session.status_"));
        match status {
            Some(event) if event.kind == "session.status_idle" && event.settles_session() => Ok(()),
            Some(event) => Err(format!(
                "is not at rest: its latest status is {} at seq {}",
                event.kind, event.seq
            )),
            None => Err("shows no status in its log".to_owned()),
        }
    }

    /// The two last settled turns of one that rests and fits one page.
    pub(super) fn settled(&self) -> Result<Settled, String> {
        self.rests()?;
        let events = &self.log.events;
        if events.len() > LARGEST_PAGE {
            return Err(format!(
                "has {} events, more than the {LARGEST_PAGE} of a page",
                events.len()
            ));
        }
        let settles = |event: &&Event| self.log.above(event.seq).iter().any(Event::settles_session);
        let inputs: Vec<&Event> = events
            .iter()
            .filter(|event| event.kind == "user.message")
            .filter(settles)
            .collect();
        let [.., one, two] = inputs.as_slice() else {
            return Err(format!("has {} settled turns", inputs.len()));
        };
        let before = Log {
            events: events
                .iter()
                .filter(|event| event.seq < two.seq)
                .cloned()
                .collect(),
            evidence: Arc::clone(&self.log.evidence),
        };
        let turn = |input: &Event, log| Turn {
            input: input.clone(),
            log,
        };
        Ok(Settled {
            session: self.session.clone(),
            first: turn(one, before),
            second: turn(two, self.log.clone()),
        })
    }
}
