use std::{collections::HashSet, sync::Arc};

use tokio::time::sleep;

use super::{bench::Bench, family::Family, found::Found, log::Log, session::Session, settled::Settled, turn};
use crate::stop::Stop;

/// The Sessions that the operator named, as they are. Nothing is ever written to one.
#[derive(Debug)]
pub(crate) struct Given {
    sessions: Vec<Look>,
}

/// One of them, or why it cannot be read.
#[derive(Debug)]
struct Look {
    id: String,
    found: Result<Found, String>,
}

impl Given {
    /// Reads each Session and its list, twice, to see whether it rests.
    pub(crate) async fn read(bench: &Bench) -> Result<Self, Stop> {
        let mut sessions = Vec::new();
        for id in &bench.target.sessions {
            let found = Found::read(bench, id).await?;
            sessions.push(Look {
                id: id.clone(),
                found,
            });
        }
        sleep(turn::BETWEEN_LOOKS).await;
        for look in &mut sessions {
            if let Ok(found) = &mut look.found {
                let now = Log::read(bench, &look.id).await?;
                found.grows = now.head() != found.log.head();
            }
        }
        Ok(Self { sessions })
    }

    /// The first Session that fits; inconclusive with what each of them lacks.
    pub(crate) fn pick<T>(&self, what: &str, fits: impl Fn(&Found) -> Result<T, String>) -> Result<T, Stop> {
        let mut lacking = Vec::new();
        for look in &self.sessions {
            match look.found.as_ref().map_err(Clone::clone).and_then(&fits) {
                Ok(fitting) => return Ok(fitting),
                Err(lacks) => lacking.push(format!("{} {lacks}", look.id)),
            }
        }
        Err(lacks(what, &lacking))
    }

    /// One that is readable.
    pub(crate) fn readable(&self) -> Result<Session, Stop> {
        self.pick("one that is there", |found| Ok(found.session.clone()))
    }

    /// Another one than this, of which neither is a fork of the other.
    pub(crate) fn stranger(&self, to: &str) -> Result<Session, Stop> {
        let found = self.sessions.iter().find(|look| look.id == to);
        let events = found
            .and_then(|look| look.found.as_ref().ok())
            .map_or(&[][..], |found| &found.log.events);
        let own: HashSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
        self.pick(&format!("a stranger to {to}"), |found| {
            if found.session.id == to {
                return Err("is the same".to_owned());
            }
            match found
                .log
                .events
                .iter()
                .any(|event| own.contains(event.id.as_str()))
            {
                true => Err("has a history in common with it".to_owned()),
                false => Ok(found.session.clone()),
            }
        })
    }

    /// One that rests with at least two settled turns and fits one page.
    pub(crate) fn settled(&self) -> Result<Arc<Settled>, Stop> {
        self.pick("one at rest with two settled turns", |found| {
            found.settled().map(Arc::new)
        })
    }

    /// One with more events than this.
    pub(crate) fn longer_than(&self, events: usize) -> Result<Found, Stop> {
        self.pick(
            &format!("one with more than {events} events"),
            |found| match found.log.events.len() {
                count if count > events => Ok(found.clone()),
                count => Err(format!("has {count}")),
            },
        )
    }

    /// One whose children have come to rest, at least one of them after a Run.
    pub(crate) async fn family(&self, bench: &Bench) -> Result<Family, Stop> {
        let mut lacking = Vec::new();
        for look in &self.sessions {
            let lacks = match &look.found {
                Err(lacks) => lacks.clone(),
                Ok(found) => match Family::given(bench, found).await? {
                    Ok(family) => return Ok(family),
                    Err(lacks) => lacks,
                },
            };
            lacking.push(format!("{} {lacks}", look.id));
        }
        Err(lacks("one with children at rest", &lacking))
    }
}

fn lacks(what: &str, lacking: &[String]) -> Stop {
    Stop::Inconclusive(format!(
        "none of the given Sessions is {what}: {}; name another with --session",
        lacking.join("; ")
    ))
}
