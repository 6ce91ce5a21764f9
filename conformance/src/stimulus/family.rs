use std::collections::HashMap;

use tokio::time::{Instant, sleep};

use super::{
    bench::Bench,
    event::Event,
    found::Found,
    log::{LARGEST_PAGE, Log},
    session::{self, Session},
    thread::{Thread, Threads},
    turn,
};
use crate::{expect, stop::Stop, wire::request::Request};

/// A Session whose Agent spawned children on a message, with every view of it, once nothing in it goes on by itself.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) session: Session,
    marker: String,
    /// The message as the log shows it.
    pub(crate) input: Event,
    pub(crate) threads: Threads,
    /// The Session's list.
    pub(crate) log: Log,
    /// Each child's own list.
    pub(crate) histories: Vec<(Thread, Log)>,
}

impl Family {
    /// Sends a message that asks for children and waits until every thread has come to rest.
    pub(crate) async fn build(bench: &Bench, session: Session) -> Result<Self, Stop> {
        let marker = bench.fresh_name("family");
        let message = turn::message_saying(bench, &format!("Let a child of yours do this. ({marker})"));
        let answer = bench.mutate(Request::post(session.events(), &message)).await?;
        expect::success(&answer)?;
        Self::rested(bench, session, marker).await
    }

    /// Waits once more, after something was done to it.
    pub(crate) async fn again(self, bench: &Bench) -> Result<Self, Stop> {
        Self::rested(bench, self.session, self.marker).await
    }

    /// Waits until something else holds too, which has to come.
    pub(crate) async fn until(
        self,
        bench: &Bench,
        expected: &str,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<Self, Stop> {
        let deadline = bench.turn_deadline();
        let mut family = self;
        loop {
            family = family.again(bench).await?;
            if holds(&family) {
                return Ok(family);
            }
            if Instant::now() >= deadline {
                let actual = format!("not within {:?}", bench.limits.turn);
                return Err(Stop::fail(expected, actual, &family.log.evidence));
            }
            sleep(turn::BETWEEN_LOOKS).await;
        }
    }

    /// The family of a Session that the operator named, or what it lacks.
    pub(crate) async fn given(bench: &Bench, found: &Found) -> Result<Result<Self, String>, Stop> {
        if let Err(lacks) = found.stands() {
            return Ok(Err(lacks));
        }
        let (before, look) = (
            Look::take(bench, &found.session).await?,
            Look::take(bench, &found.session).await?,
        );
        let ran = |(_, log): &(Thread, Log)| log.events.iter().any(Event::settles_run);
        let lacks = if look.histories.is_empty() {
            Some("has no children")
        } else if !look.is_at_rest() || before.heads() != look.heads() {
            Some("has threads that are not at rest")
        } else if !look.histories.iter().any(ran) {
            Some("has no child whose Run settled")
        } else {
            None
        };
        if let Some(lacks) = lacks {
            return Ok(Err(lacks.to_owned()));
        }
        let input = look.log.events.iter().find(|event| event.kind == "user.message");
        let Some(input) = input.cloned() else {
            return Ok(Err("has no message".to_owned()));
        };
        Ok(Ok(Self {
            session: found.session.clone(),
            marker: String::new(),
            input,
            threads: look.threads,
            log: look.log,
            histories: look.histories,
        }))
    }

    /// The events of a child, by its id.
    pub(crate) fn history(&self, thread_id: &str) -> &[Event] {
        let found = self.histories.iter().find(|(thread, _)| thread.id == thread_id);
        found.map_or(&[], |(_, log)| &log.events)
    }

    async fn rested(bench: &Bench, session: Session, marker: String) -> Result<Self, Stop> {
        let deadline = bench.turn_deadline();
        let mut before = None;
        loop {
            let look = Look::take(bench, &session).await?;
            let heads = look.heads();
            let input = turn::find(&look.log.events, &marker).cloned();
            if let (Some(input), true, true) = (input, look.is_at_rest(), before.as_ref() == Some(&heads)) {
                let Look {
                    threads,
                    log,
                    histories,
                } = look;
                return Ok(Self {
                    session,
                    marker,
                    input,
                    threads,
                    log,
                    histories,
                });
            }
            before = Some(heads);
            if Instant::now() >= deadline {
                let what = match look.histories.is_empty() {
                    true => "the Agent spawned no child",
                    false => "the threads did not come to rest",
                };
                let within = bench.limits.turn;
                let why = format!("{what} within {within:?}; --turn-timeout gives it more");
                return Err(Stop::Inconclusive(why));
            }
            sleep(turn::BETWEEN_LOOKS).await;
        }
    }
}

struct Look {
    threads: Threads,
    log: Log,
    histories: Vec<(Thread, Log)>,
}

impl Look {
    async fn take(bench: &Bench, session: &Session) -> Result<Self, Stop> {
        let threads = Threads::read(bench, &session.id).await?;
        let mut histories = Vec::new();
        for child in threads.children() {
            let log = Log::walk_at(bench, &child.events(), LARGEST_PAGE).await?;
            histories.push((child.clone(), log));
        }
        let log = Log::walk_at(bench, &session::events(&session.id), LARGEST_PAGE).await?;
        Ok(Self {
            threads,
            log,
            histories,
        })
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        let own = self.histories.iter().flat_map(|(_, log)| &log.events);
        self.log.events.iter().chain(own)
    }

    fn heads(&self) -> Vec<(String, u64)> {
        let children = self
            .histories
            .iter()
            .map(|(thread, log)| (thread.id.clone(), log.head()));
        children.chain([(String::new(), self.log.head())]).collect()
    }

    /// Children are there, none of the threads works, and each Run that a view names has settled or waits.
    fn is_at_rest(&self) -> bool {
        let working = |thread: &Thread| matches!(thread.status(), "running" | "rescheduling");
        let mut runs: HashMap<&str, &Event> = HashMap::new();
        for event in self.events().filter(|event| event.kind.starts_with("run.")) {
            let Some(run) = event.run_id() else { continue };
            let latest = runs.entry(run).or_insert(event);
            if latest.seq < event.seq {
                *latest = event;
            }
        }
        let done = |event: &&Event| event.settles_run() || event.kind == "run.waiting";
        !self.histories.is_empty() && !self.threads.all.iter().any(working) && runs.values().all(done)
    }
}
