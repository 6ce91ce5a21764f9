use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, SqlxCursorError};
use checkfu_sdk::follow::{FollowError, Follower};
use checkfu_sdk::retry::{Backoff, ReconnectPolicy};
use checkfu_sdk::{Client, Event, Seq};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::event::{idle, message, session};
use super::fake_api::FakeApi;
use super::random::Random;

/// The most places that a process passes after the one at which it is to be killed. Three places are one event.
const BEYOND: u64 = 6;

/// The most events that one process and its rival apply, and one more.
const EVENTS_A_KILL: u64 = 10;

/// How many processes are killed: 30, or as many as `CHECKFU_TEST_KILLS` says.
pub(crate) fn kills() -> u64 {
    std::env::var("CHECKFU_TEST_KILLS").map_or(30, |kills| kills.parse().unwrap())
}

/// What these tests need of a database that keeps cursors, and effects that stand twice where they came twice.
pub(crate) trait Database: Clone + Send + Sync + 'static {
    type Transaction: Send;
    type Store: CursorStore<Transaction = Self::Transaction, Error = SqlxCursorError>;

    fn store(&self) -> &Self::Store;

    /// Begins a transaction that locks nothing by itself.
    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, SqlxCursorError>> + Send;

    /// Reads the cursor without locking it.
    fn read(
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<Cursor, SqlxCursorError>> + Send;

    fn apply(
        transaction: &mut Self::Transaction,
        event: &Event,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// The effects and the cursor, as one statement sees them.
    fn state(&self) -> impl Future<Output = (Vec<i64>, i64)> + Send;

    /// What tells another process where the database is.
    fn variables(&self) -> Vec<(&'static str, String)>;
}

/// The rule that a store leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Without {
    Nothing,
    /// The cursor is read and not locked.
    Lock,
    /// The cursor is read once and remembered; what stands in the database decides nothing after that.
    DuplicateCheck,
}

impl FromStr for Without {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::Nothing, Self::Lock, Self::DuplicateCheck];
        let found = all.into_iter().find(|rule| format!("{rule:?}") == name);
        found.ok_or_else(|| name.to_owned())
    }
}

/// Where two that leave out a rule meet: once each has started, and where nothing is locked once each has read the cursor for
/// its first event. On one processor they would take turns by chance, and not need the rule.
struct Meeting {
    arrive: Box<dyn Fn() + Send + Sync>,
    /// How often the other arrived.
    other: watch::Receiver<usize>,
    meetings: AtomicUsize,
    reads: AtomicUsize,
    commits: AtomicUsize,
}

impl Meeting {
    fn new(arrive: impl Fn() + Send + Sync + 'static, other: watch::Receiver<usize>) -> Self {
        Self {
            arrive: Box::new(arrive),
            other,
            meetings: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
            commits: AtomicUsize::new(0),
        }
    }

    /// Passed behind a read without a lock; the first one is that of the start.
    async fn read(&self) {
        if self.reads.fetch_add(1, Ordering::SeqCst) == 1 {
            self.meet().await;
        }
    }

    /// Passed behind a commit; the first one is that of the start.
    async fn committed(&self) {
        if self.commits.fetch_add(1, Ordering::SeqCst) == 0 {
            self.meet().await;
        }
    }

    async fn meet(&self) {
        let number = self.meetings.fetch_add(1, Ordering::SeqCst) + 1;
        (self.arrive)();
        // One that is gone does not come any more.
        let _ = self.other.clone().wait_for(|arrivals| *arrivals >= number).await;
    }
}

/// A store that leaves out a rule.
struct Flawed<D> {
    database: D,
    without: Without,
    remembered: Mutex<Option<Cursor>>,
    meeting: Option<Meeting>,
}

impl<D: Database> Flawed<D> {
    fn new(database: &D, without: Without, meeting: Option<Meeting>) -> Self {
        Self {
            database: database.clone(),
            without,
            remembered: Mutex::default(),
            meeting: meeting.filter(|_| without != Without::Nothing),
        }
    }
}

impl<D: Database> CursorStore for Flawed<D> {
    type Transaction = D::Transaction;
    type Error = SqlxCursorError;

    async fn begin(&self) -> Result<D::Transaction, SqlxCursorError> {
        match self.without {
            Without::Lock => self.database.begin().await,
            _ => self.database.store().begin().await,
        }
    }

    async fn lock(
        &self,
        transaction: &mut D::Transaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqlxCursorError> {
        if self.without == Without::Lock {
            let read = D::read(transaction, key).await;
            if let Some(meeting) = &self.meeting {
                meeting.read().await;
            }
            return read;
        }
        let stored = self.database.store().lock(transaction, key).await?;
        match self.without {
            Without::DuplicateCheck => Ok(self.remembered.lock().unwrap().get_or_insert(stored).clone()),
            _ => Ok(stored),
        }
    }

    async fn advance(
        &self,
        transaction: &mut D::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqlxCursorError> {
        let store = self.database.store();
        if self.without != Without::DuplicateCheck {
            return store.advance(transaction, key, from, to).await;
        }
        *self.remembered.lock().unwrap() = Some(to.clone());
        let stored = store.lock(transaction, key).await?;
        store.advance(transaction, key, stored.seq(), to).await
    }

    async fn forget(
        &self,
        transaction: &mut D::Transaction,
        key: &CursorKey,
    ) -> Result<bool, SqlxCursorError> {
        self.database.store().forget(transaction, key).await
    }

    async fn commit(&self, transaction: D::Transaction) -> Result<(), SqlxCursorError> {
        let committed = self.database.store().commit(transaction).await;
        if let Some(meeting) = &self.meeting {
            meeting.committed().await;
        }
        committed
    }
}

async fn follow<D: Database>(
    client: &Client,
    database: &D,
    without: Without,
    meeting: Option<Meeting>,
) -> Result<Follower<Flawed<D>>, FollowError<SqlxCursorError>> {
    let events = client.sessions().events("sess_1");
    let follow = events.follow("billing", Flawed::new(database, without, meeting));
    follow.start().await
}

/// Kills so many processes that follow one Session, at instants that `random` picks, while a rival in this process is at
/// work on the same cursor and the server breaks off, repeats and splits. `Err` says what was found wrong first. `alone` is
/// the test that calls [`be_killed`].
pub(crate) async fn killed_rivals<D: Database>(
    database: &D,
    alone: &str,
    without: Without,
    kills: u64,
    random: &mut Random,
) -> Result<(), String> {
    let events = kills * EVENTS_A_KILL + 1;
    let log: Vec<Value> = (1..events)
        .map(message)
        .chain([idle(events, "end_turn")])
        .collect();
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), events))
        .set_log(log)
        .set_page(100)
        .stream_the_log_badly();
    let client = api.client();
    let mut held = 0;
    for number in 1..=kills {
        let (at, parks) = (1 + random.below(9), random.below(2) == 0);
        let last = if parks { at } else { at + BEYOND };
        let child = start(&api, database, alone, without, last);
        let (process_arrives, process) = watch::channel(0);
        let (rival_arrives, rival_there) = mpsc::channel();
        let arrive = move || {
            let _ = rival_arrives.send(());
        };
        let meeting = Meeting::new(arrive, process);
        let rival = rival(&client, database, without, meeting, random.below(4));
        let (killed, rival) = tokio::join!(kill(child, at, process_arrives, rival_there), rival);
        rival.map_err(|error| format!("the rival of process {number}: {error}"))?;
        killed?;
        // The database takes its time to see that a process is gone; the lock is free once it has.
        check(database, number).await?;
        held += u64::from(parks && at % 3 != 0);
    }
    eprintln!("{held} of {kills} died in a transaction");
    rest(&client, database, without).await?;
    match check(database, kills).await? {
        cursor if cursor == events => Ok(()),
        cursor => Err(format!("the cursor stands at {cursor}")),
    }
}

/// Each effect once and in order, and the cursor at the last one.
async fn check<D: Database>(database: &D, kills: u64) -> Result<u64, String> {
    let (applied, cursor) = database.state().await;
    match applied == (1..=cursor).collect::<Vec<i64>>() {
        true => Ok(u64::try_from(cursor).unwrap()),
        false => Err(format!(
            "after {kills} kills, applied up to {cursor}: {applied:?}"
        )),
    }
}

/// Starts this binary again as a follower that tells each place it passes and stops at the place `last`.
fn start<D: Database>(api: &FakeApi, database: &D, alone: &str, without: Without, last: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", alone, "--include-ignored", "--nocapture"])
        .env("CHECKFU_TEST_URL", api.url())
        .env("CHECKFU_TEST_PLACES", last.to_string())
        .env("CHECKFU_TEST_WITHOUT", format!("{without:?}"))
        .envs(database.variables())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the process at the place `at`, or soon after, and passes on who is there for a [`Meeting`].
async fn kill(
    mut child: Child,
    at: u64,
    process_arrives: watch::Sender<usize>,
    rival_there: mpsc::Receiver<()>,
) -> Result<(), String> {
    // The process ends with this pipe, so a test that fails leaves none behind.
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let killed = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let reached = lines.any(|line| {
            if line.ends_with("ARRIVED") {
                process_arrives.send_modify(|arrivals| *arrivals += 1);
                let _ = rival_there.recv();
                drop(writeln!(stdin, "THERE"));
            }
            line.ends_with(&format!("PLACE {at}"))
        });
        child.kill().unwrap();
        child.wait().unwrap();
        reached
    });
    match killed.await.unwrap() {
        true => Ok(()),
        false => Err(format!("the process never reached place {at}")),
    }
}

/// A rival in this process: it applies so many events, leaves the next one half done and goes.
async fn rival<D: Database>(
    client: &Client,
    database: &D,
    without: Without,
    meeting: Meeting,
    events: u64,
) -> Result<(), String> {
    let follower = follow(client, database, without, Some(meeting)).await;
    let mut follower = follower.map_err(told)?;
    for left in (0..=events).rev() {
        let mut delivery = follower.next().await.map_err(told)?.unwrap();
        let (event, transaction) = delivery.parts();
        D::apply(transaction, event).await.map_err(told)?;
        if left > 0 {
            delivery.commit().await.map_err(told)?;
        }
    }
    Ok(())
}

/// A follower that applies all that is left.
async fn rest<D: Database>(client: &Client, database: &D, without: Without) -> Result<(), String> {
    let mut follower = follow(client, database, without, None).await.map_err(told)?;
    while let Some(mut delivery) = follower.next().await.map_err(told)? {
        let (event, transaction) = delivery.parts();
        D::apply(transaction, event).await.map_err(told)?;
        delivery.commit().await.map_err(told)?;
    }
    Ok(())
}

fn told(error: impl std::error::Error) -> String {
    error.to_string()
}

/// The process that is killed: it follows, says each place that it passes, and stops at the last one.
pub(crate) async fn be_killed<D: Database>(database: D) -> Result<(), FollowError<SqlxCursorError>> {
    let (rival_arrives, rival) = watch::channel(0);
    std::thread::spawn(move || {
        for _ in std::io::stdin().lines().map_while(Result::ok) {
            rival_arrives.send_modify(|arrivals| *arrivals += 1);
        }
        std::process::exit(1);
    });
    let variable = |name: &str| std::env::var(name).unwrap();
    let last: u64 = variable("CHECKFU_TEST_PLACES").parse().unwrap();
    let without = variable("CHECKFU_TEST_WITHOUT").parse().unwrap();
    let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(4));
    let builder = Client::builder()
        .base_url(variable("CHECKFU_TEST_URL"))
        .api_key("k")
        .reconnect_policy(ReconnectPolicy::default().backoff(quick));
    let client = builder.build().unwrap();
    let meeting = Meeting::new(|| println!("\nARRIVED"), rival);
    let mut follower = follow(&client, &database, without, Some(meeting)).await?;
    let mut passed = 0;
    let mut pass = async || {
        passed += 1;
        println!("\nPLACE {passed}");
        if passed == last {
            std::future::pending::<()>().await;
        }
    };
    while let Some(mut delivery) = follower.next().await? {
        pass().await;
        let (event, transaction) = delivery.parts();
        D::apply(transaction, event).await.unwrap();
        pass().await;
        delivery.commit().await?;
        pass().await;
    }
    Ok(())
}
