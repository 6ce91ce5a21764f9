//! The faults that are planned, and how often each has met and fired.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::effect::Effect;
use super::random::Random;
use super::target::{Facts, On};

/// A fault: which requests it meets, and what it does to them.
///
/// ```
/// use checkfu_mock_server::{Answer, Fault, MockServer, On, Operation, RetryAfter};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), checkfu_mock_server::StartError> {
/// let server = MockServer::builder().start().await?;
/// let busy = Answer::new(503).retry_after(RetryAfter::Seconds(1));
/// let id = server.control().faults().plan(Fault::new(On::operation(Operation::PostEvent).times(2), busy));
/// // … the application under test posts …
/// let status = server.control().faults().status(&id);
/// assert_eq!(status.map(|status| status.fired), Some(0));
/// # server.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// Which requests it meets.
    pub on: On,
    /// What it does to them.
    pub effect: Effect,
}

impl Fault {
    /// A fault that meets these requests with this effect.
    pub fn new(on: On, effect: impl Into<Effect>) -> Self {
        Self {
            on,
            effect: effect.into(),
        }
    }
}

/// A planned fault and what has become of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultStatus {
    /// What it is removed by, such as `fault_1`.
    pub id: String,
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
    /// How many requests it is to meet; nothing means every one that fits.
    pub planned: Option<u64>,
    /// How many requests it has met.
    pub met: u64,
    /// How many of them it has changed: one that is to cut a stream after ten events fires when there are ten.
    pub fired: u64,
    /// The `request-id` of the last request that it met.
    pub last_request: Option<String>,
}

/// The faults of one server. Clones share them.
#[derive(Debug, Clone)]
pub struct Faults(Arc<Plans>);

#[derive(Debug)]
struct Plans {
    seed: u64,
    planned: Mutex<Planned>,
    any: AtomicU64,
}

#[derive(Debug, Default)]
struct Planned {
    entries: Vec<Entry>,
    made: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    fault: Fault,
    seen: u64,
    met: u64,
    fired: Arc<AtomicU64>,
    last_request: Option<String>,
}

impl Faults {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Plans {
            seed,
            planned: Mutex::default(),
            any: AtomicU64::new(0),
        }))
    }

    /// The number that decides wherever a probability is involved; the same seed and the same requests in the same order
    /// give the same faults.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Plans a fault from the next request on; gives its id. Faults that meet the same request all take effect, in the
    /// order in which they were planned, until one leaves no answer to change. One that can never change anything, such as
    /// previews of a `POST`, is planned here all the same and never fires; the builder and the control listener refuse it.
    pub fn plan(&self, fault: Fault) -> String {
        let mut planned = self.lock();
        planned.made += 1;
        let number = planned.made;
        planned.entries.push(Entry {
            number,
            fault,
            seen: 0,
            met: 0,
            fired: Arc::default(),
            last_request: None,
        });
        self.0.any.store(planned.entries.len() as u64, Ordering::Release);
        name(number)
    }

    /// Every planned fault, those that are used up included.
    pub fn all(&self) -> Vec<FaultStatus> {
        self.lock().entries.iter().map(Entry::status).collect()
    }

    /// One planned fault.
    pub fn status(&self, id: &str) -> Option<FaultStatus> {
        self.lock()
            .entries
            .iter()
            .find(|entry| name(entry.number) == id)
            .map(Entry::status)
    }

    /// Forgets a fault; gives what had become of it.
    pub fn remove(&self, id: &str) -> Option<FaultStatus> {
        let mut planned = self.lock();
        let index = planned
            .entries
            .iter()
            .position(|entry| name(entry.number) == id)?;
        let removed = planned.entries.remove(index);
        self.0.any.store(planned.entries.len() as u64, Ordering::Release);
        Some(removed.status())
    }

    /// Forgets every fault.
    pub fn clear(&self) {
        self.lock().entries.clear();
        self.0.any.store(0, Ordering::Release);
    }

    /// Whether any fault is planned, used up or not.
    pub(crate) fn is_planned(&self) -> bool {
        self.0.any.load(Ordering::Acquire) > 0
    }

    /// What meets this request.
    pub(crate) fn meet(&self, facts: &Facts<'_>, request_id: &str) -> Vec<Shot> {
        if !self.is_planned() {
            return Vec::new();
        }
        let seed = self.0.seed;
        let mut planned = self.lock();
        let entries = planned.entries.iter_mut();
        entries
            .filter_map(|entry| entry.meet(seed, facts, request_id))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Planned> {
        self.0.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn meet(&mut self, seed: u64, facts: &Facts<'_>, request_id: &str) -> Option<Shot> {
        let on = &self.fault.on;
        if !on.fits(facts) || on.times.is_some_and(|times| self.met >= times) {
            return None;
        }
        let ordinal = self.seen;
        self.seen += 1;
        let mut random = Random::of(seed, self.number, ordinal);
        if ordinal < on.skip || !random.happens(on.probability) {
            return None;
        }
        self.met += 1;
        self.last_request = Some(request_id.to_owned());
        Some(Shot {
            effect: self.fault.effect.clone(),
            random,
            fired: Arc::clone(&self.fired),
            counted: false,
        })
    }

    fn status(&self) -> FaultStatus {
        FaultStatus {
            id: name(self.number),
            fault: self.fault.clone(),
            planned: self.fault.on.times,
            met: self.met,
            fired: self.fired.load(Ordering::Acquire),
            last_request: self.last_request.clone(),
        }
    }
}

fn name(number: u64) -> String {
    format!("fault_{number}")
}

/// A fault that has met a request.
#[derive(Debug)]
pub(crate) struct Shot {
    pub(crate) effect: Effect,
    pub(crate) random: Random,
    fired: Arc<AtomicU64>,
    counted: bool,
}

impl Shot {
    /// One that nobody planned and nobody counts.
    #[cfg(feature = "mutants")]
    pub(crate) fn uncounted(effect: Effect) -> Self {
        Self {
            effect,
            random: Random::of(0, 0, 0),
            fired: Arc::default(),
            counted: true,
        }
    }

    /// It has changed something, or not.
    pub(crate) fn hit_if(&mut self, changed: bool) {
        if changed {
            self.hit();
        }
    }

    /// It has changed something; counts once.
    pub(crate) fn hit(&mut self) {
        if !std::mem::replace(&mut self.counted, true) {
            self.fired.fetch_add(1, Ordering::AcqRel);
        }
    }
}
