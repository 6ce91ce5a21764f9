//! How fast the server is beside the least that could do the same, measured in turn in one run. What counts are the
//! ratios: a rate says more about the machine.
//!
//! `cargo bench -p checkfu-mock-server --bench speed`, with a part of a name behind `--` to measure less.

mod client;
mod floor;
mod ratio;
mod subject;

use std::env;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use client::{Connection, Reader, deliveries, rate, repeat, replay};
use floor::Floor;
use ratio::compare;
use subject::Subject;

/// What went wrong; it is told and ends the program.
type Failure = Box<dyn std::error::Error + Send + Sync>;

const WRITERS: usize = 64;
const LONG_LOG: usize = 50_000;
const DELIVERIES: usize = 500;
const READERS: usize = 100;
const DURATION: Duration = Duration::from_secs(1);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        eprintln!("nothing is measured but by cargo bench");
        return Ok(());
    }
    let wanted = arguments
        .into_iter()
        .find(|argument| !argument.starts_with('-'))
        .unwrap_or_default();
    // The load has a thread of its own; the two sides share their threads, and never work at the same time.
    let servers = Builder::new_multi_thread().enable_all().build()?;
    Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(measure(&servers, &wanted))
}

async fn measure(servers: &Runtime, wanted: &str) -> Result<(), Failure> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().to_owned();
    let subject = servers
        .spawn(async move { Subject::start(&path).await })
        .await??;
    let long = subject.session().await?;
    let event = subject.event(&long);
    let stored = Connection::open(subject.address()).await?.call(&event).await?;
    repeat(subject.address(), &event, LONG_LOG, WRITERS).await?;
    let list = subject.list(&long);
    let page = Connection::open(subject.address()).await?.call(&list).await?;
    let path = directory.path().to_owned();
    let floor = servers
        .spawn(async move { Floor::start(&path, page.into()).await })
        .await??;
    let bytes = stored.len();
    let append = [
        format!("POST / HTTP/1.1\r\nhost: floor\r\ncontent-length: {bytes}\r\n\r\n").into_bytes(),
        stored,
    ]
    .concat();
    repeat(floor.address, &append, LONG_LOG, WRITERS).await?;

    let bench = Bench {
        wanted,
        floor,
        subject,
        append,
        long,
    };
    println!(
        "events of {bytes} bytes, {} cores",
        std::thread::available_parallelism()?
    );
    println!(
        "{:<46} {:>6}  {:>16}  {:>9} {:>9}",
        "", "times", "least to most", "floor/s", "server/s"
    );
    bench.appends().await?;
    bench.reads().await?;
    bench.live().await?;
    bench.length().await
}

/// Both sides, ready.
struct Bench<'a> {
    wanted: &'a str,
    floor: Floor,
    subject: Subject,
    /// The floor's append of the bytes that the server stores.
    append: Vec<u8>,
    /// A Session with a long log.
    long: String,
}

impl Bench<'_> {
    fn wants(&self, what: &str) -> bool {
        what.contains(self.wanted)
    }

    async fn compare(
        &self,
        what: &str,
        floor: impl AsyncFnMut() -> Result<f64, Failure>,
        subject: impl AsyncFnMut() -> Result<f64, Failure>,
    ) -> Result<(), Failure> {
        if !self.wants(what) {
            return Ok(());
        }
        compare(what, floor, subject).await
    }

    async fn sessions(&self, number: usize) -> Result<Vec<String>, Failure> {
        let mut sessions = Vec::with_capacity(number);
        for _ in 0..number {
            sessions.push(self.subject.session().await?);
        }
        Ok(sessions)
    }

    async fn appends(&self) -> Result<(), Failure> {
        let sessions = self.sessions(WRITERS).await?;
        let events: Vec<_> = sessions
            .iter()
            .map(|session| self.subject.event(session))
            .collect();
        let messages: Vec<_> = sessions
            .iter()
            .map(|session| self.subject.message(session))
            .collect();
        let together = vec![events[0].clone(); WRITERS];
        let crowd = vec![messages[0].clone(); WRITERS];
        for (what, requests) in [
            ("append: an event, 64 Sessions", events.clone()),
            ("append: an event, one Session, 64 writers", together),
            ("append: an event, one writer", events[..1].to_vec()),
            ("append: a message and its Run, 64 Sessions", messages),
            ("append: messages, one Session, 64 writers", crowd),
        ] {
            let floors = vec![self.append.clone(); requests.len()];
            self.compare(
                what,
                async || rate(self.floor.address, &floors, DURATION).await,
                async || rate(self.subject.address(), &requests, DURATION).await,
            )
            .await?;
        }
        Ok(())
    }

    async fn reads(&self) -> Result<(), Failure> {
        for (what, readers) in [("list: 100 events, from memory, 8 readers", 8)] {
            let floors = vec![get("/page"); readers];
            let requests = vec![self.subject.list(&self.long); readers];
            self.compare(
                what,
                async || rate(self.floor.address, &floors, DURATION).await,
                async || rate(self.subject.address(), &requests, DURATION).await,
            )
            .await?;
        }
        let request = self.subject.stream(&self.long);
        self.compare(
            "replay: 50,000 events",
            async || replay(self.floor.address, &get("/log"), LONG_LOG).await,
            async || replay(self.subject.address(), &request, LONG_LOG).await,
        )
        .await
    }

    async fn live(&self) -> Result<(), Failure> {
        for (what, number) in [
            ("live: from the append to 1 reader", 1),
            ("live: from the append to all of 100 readers", READERS),
        ] {
            if !self.wants(what) {
                continue;
            }
            let session = self.subject.session().await?;
            let (request, event) = (self.subject.stream(&session), self.subject.event(&session));
            let (mut floors, mut subjects) = (Vec::new(), Vec::new());
            for _ in 0..number {
                floors.push(Reader::open(self.floor.address, &get("/live")).await?);
                let mut reader = Reader::open(self.subject.address(), &request).await?;
                // A comment, and what every Session begins with.
                reader.until(2).await?;
                subjects.push(reader);
            }
            self.compare(
                what,
                async || deliveries(self.floor.address, &self.append, &mut floors, DELIVERIES).await,
                async || deliveries(self.subject.address(), &event, &mut subjects, DELIVERIES).await,
            )
            .await?;
        }
        Ok(())
    }

    /// Here the server is held against itself.
    async fn length(&self) -> Result<(), Failure> {
        let short = vec![self.subject.event(&self.subject.session().await?)];
        let long = vec![self.subject.event(&self.long)];
        self.compare(
            "itself: append to 50,000 events, not to none",
            async || rate(self.subject.address(), &short, DURATION).await,
            async || rate(self.subject.address(), &long, DURATION).await,
        )
        .await
    }
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: floor\r\n\r\n").into_bytes()
}
