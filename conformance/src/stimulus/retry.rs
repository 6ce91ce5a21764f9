use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chrono::DateTime;
use tokio::time::{Instant, sleep};

use crate::wire::{
    client::{Attempt, Fault},
    exchange::Exchange,
    request::Request,
};

/// A request is sent at most so often.
const TRIES: u32 = 12;
/// The wait after the first try, where the server names none; it doubles up to [`LONGEST_WAIT`].
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(250);
/// A server that is busy for so many requests in a row is not asked again, until it answers one.
const PATIENCE: usize = 5;

/// Sends again what a server, or something on the way to it, could not take for now. Any deployment may answer 429 or
/// 503 and any connection may break; only what stays so is held against the server.
#[derive(Debug, Default)]
pub(super) struct Retry {
    given_up: AtomicUsize,
}

/// The tries of one request.
pub(super) struct Tries<'r> {
    retry: &'r Retry,
    is_repeatable: bool,
    deadline: Instant,
    made: u32,
}

/// What a try came to, as far as another one depends on it.
enum Trouble {
    None,
    /// It was refused before anything was done.
    NotTaken(Option<Duration>),
    /// Nobody knows what was done.
    Unknown,
}

impl Retry {
    pub(super) fn tries(&self, request: &Request, within: Duration) -> Tries<'_> {
        let keyed = request.headers.iter().any(|(name, _)| name == "idempotency-key");
        Tries {
            retry: self,
            is_repeatable: keyed || request.method == "GET",
            deadline: Instant::now() + within,
            made: 0,
        }
    }
}

impl Tries<'_> {
    /// Whether to try again after this, which is true only once the wait for it is over.
    pub(super) async fn again(&mut self, outcome: Result<&Attempt, &Fault>) -> bool {
        self.made += 1;
        let asked = match trouble(outcome) {
            Trouble::None => {
                self.retry.given_up.store(0, Ordering::Relaxed);
                return false;
            }
            Trouble::Unknown if !self.is_repeatable => return false,
            Trouble::Unknown => None,
            Trouble::NotTaken(asked) => asked,
        };
        let doubled = SHORTEST_WAIT * 2_u32.pow(self.made.min(10) - 1);
        let wait = asked.unwrap_or(doubled.min(LONGEST_WAIT));
        let left = self.deadline.saturating_duration_since(Instant::now());
        let spent = self.made >= TRIES || wait >= left;
        if spent || self.retry.given_up.load(Ordering::Relaxed) >= PATIENCE {
            self.retry.given_up.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        sleep(wait).await;
        true
    }
}

fn trouble(outcome: Result<&Attempt, &Fault>) -> Trouble {
    match outcome {
        Err(Fault::Cut(_)) => Trouble::Unknown,
        Err(_) => Trouble::None,
        Ok(attempt) if attempt.is_cut => Trouble::Unknown,
        Ok(attempt) => match attempt.exchange.status() {
            429 | 503 => Trouble::NotTaken(retry_after(&attempt.exchange)),
            502 | 504 => Trouble::Unknown,
            _ => Trouble::None,
        },
    }
}

/// How long the server asks to wait, in seconds or as a date; anything else asks for nothing.
fn retry_after(answer: &Exchange) -> Option<Duration> {
    let text = answer.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(text).ok()?.timestamp();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(
        u64::try_from(until).unwrap_or(0).saturating_sub(now),
    ))
}
