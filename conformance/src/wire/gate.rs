use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use super::request::Request;
use crate::{
    budget::{Budget, Spending},
    stimulus::Stimulus,
};

/// The one place that every request passes on its way out: it counts, paces and refuses.
#[derive(Debug)]
pub(crate) struct Gate {
    budget: Budget,
    stimulus: Stimulus,
    requests: AtomicU64,
    events: AtomicU64,
    kept: AtomicU64,
    clean_up_requests: AtomicU64,
    cleaning: AtomicBool,
    spent: Mutex<Option<String>>,
    next: Mutex<Option<Instant>>,
}

/// Why a request was not let out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// The budget of the run is spent.
    Spent(String),
    /// The run only reads, and this would not.
    Forbidden(String),
}

impl Gate {
    pub(crate) fn new(budget: Budget, stimulus: Stimulus) -> Self {
        Self {
            budget,
            stimulus,
            requests: AtomicU64::new(0),
            events: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            clean_up_requests: AtomicU64::new(0),
            cleaning: AtomicBool::new(false),
            spent: Mutex::default(),
            next: Mutex::default(),
        }
    }

    /// Waits for the request's turn, and counts it if it may be sent.
    pub(crate) async fn pass(&self, request: &Request) -> Result<(), Held> {
        if self.stimulus == Stimulus::Read && request.method != "GET" {
            let what = format!("{} {} in a run that only reads", request.method, request.path);
            return Err(Held::Forbidden(what));
        }
        if self.cleaning.load(Ordering::Relaxed) {
            self.clean_up_requests.fetch_add(1, Ordering::Relaxed);
        } else {
            self.charge(request)?;
        }
        self.pace().await;
        Ok(())
    }

    /// Gives back the event of an append that the server did not take.
    pub(crate) fn refused(&self, request_appends: bool) {
        if request_appends && !self.cleaning.load(Ordering::Relaxed) {
            self.events.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// So many bytes more are kept as evidence.
    pub(crate) fn keeps(&self, bytes: u64) {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes that were kept are gone.
    pub(crate) fn forgets(&self, bytes: u64) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// From here on requests clean up: they are counted apart, and the budget does not bound them.
    pub(crate) fn clean_up(&self) {
        self.cleaning.store(true, Ordering::Relaxed);
    }

    /// Which budget is spent, if one is.
    pub(crate) fn spent(&self) -> Option<String> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn spending(&self) -> Spending {
        Spending {
            requests: self.requests.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            kept: self.kept.load(Ordering::Relaxed),
            clean_up_requests: self.clean_up_requests.load(Ordering::Relaxed),
        }
    }

    fn charge(&self, request: &Request) -> Result<(), Held> {
        let limit = self.budget.kept.unwrap_or(u64::MAX);
        if self.kept.load(Ordering::Relaxed) >= limit {
            let why = format!(
                "the budget of {} MiB of answers is spent (--budget-mebibytes)",
                limit.div_ceil(1 << 20)
            );
            return Err(self.hold(why));
        }
        take(&self.requests, self.budget.requests).map_err(|limit| {
            self.hold(format!(
                "the budget of {limit} requests is spent (--budget-requests)"
            ))
        })?;
        if appends(request) {
            take(&self.events, self.budget.events).map_err(|limit| {
                self.requests.fetch_sub(1, Ordering::Relaxed);
                self.hold(format!("the budget of {limit} events is spent (--budget-events)"))
            })?;
        }
        Ok(())
    }

    fn hold(&self, reason: String) -> Held {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        Held::Spent(spent.get_or_insert(reason).clone())
    }

    async fn pace(&self) {
        let Some(rate) = self.budget.rate else { return };
        let slot = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let slot = next.map_or(now, |next| next.max(now));
            *next = Some(slot + Duration::from_secs_f64(1.0 / rate));
            slot
        };
        sleep_until(slot).await;
    }
}

/// Whether this appends an event to a Session.
pub(crate) fn appends(request: &Request) -> bool {
    request.method == "POST" && request.path.ends_with("/events")
}

/// Adds one unless that exceeds the limit, which is the error.
fn take(counter: &AtomicU64, limit: Option<u64>) -> Result<(), u64> {
    let more = |count: u64| match limit {
        Some(limit) if count >= limit => None,
        _ => Some(count + 1),
    };
    match counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
        Ok(_) => Ok(()),
        Err(count) => Err(limit.unwrap_or(count)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gate(budget: Budget) -> Gate {
        Gate::new(budget, Stimulus::Work)
    }

    #[tokio::test]
    async fn a_refused_append_costs_a_request_and_no_event() {
        let gate = gate(Budget {
            events: Some(1),
            ..Budget::default()
        });
        let append = Request::post("/v1/sessions/sess_1/events", &json!({}));
        gate.pass(&append).await.unwrap();
        gate.refused(appends(&append));
        gate.pass(&append).await.unwrap();
        let held = gate.pass(&append).await.unwrap_err();
        assert!(
            matches!(held, Held::Spent(why) if why.contains("1 events") && why.contains("--budget-events"))
        );
        gate.pass(&Request::get("/v1/sessions")).await.unwrap();
        let spending = gate.spending();
        assert_eq!((spending.requests, spending.events), (3, 1));
    }

    #[tokio::test]
    async fn a_spent_budget_lets_out_only_what_cleans_up() {
        let gate = gate(Budget {
            requests: Some(1),
            ..Budget::default()
        });
        let read = Request::get("/v1/sessions");
        gate.pass(&read).await.unwrap();
        assert_eq!(gate.spent(), None);
        assert!(matches!(gate.pass(&read).await, Err(Held::Spent(_))));
        assert!(gate.spent().unwrap().contains("--budget-requests"));
        gate.clean_up();
        gate.pass(&read).await.unwrap();
        let spending = gate.spending();
        assert_eq!((spending.requests, spending.clean_up_requests), (1, 1));
    }

    #[tokio::test]
    async fn kept_answers_are_bounded_and_forgotten_ones_do_not_count() {
        let gate = gate(Budget {
            kept: Some(100),
            ..Budget::default()
        });
        let read = Request::get("/v1/sessions");
        gate.keeps(99);
        gate.pass(&read).await.unwrap();
        gate.keeps(70);
        gate.forgets(70);
        gate.pass(&read).await.unwrap();
        gate.keeps(1);
        let held = gate.pass(&read).await.unwrap_err();
        assert!(
            matches!(held, Held::Spent(why) if why.contains("1 MiB") && why.contains("--budget-mebibytes"))
        );
        assert_eq!((gate.spending().requests, gate.spending().kept), (2, 100));
        gate.clean_up();
        gate.pass(&read).await.unwrap();
    }

    #[tokio::test]
    async fn a_run_that_reads_lets_out_nothing_else() {
        let gate = Gate::new(Budget::default(), Stimulus::Read);
        gate.pass(&Request::get("/v1/sessions")).await.unwrap();
        let held = gate
            .pass(&Request::post_empty("/v1/sessions/sess_1/cancel"))
            .await;
        assert!(matches!(held, Err(Held::Forbidden(_))), "{held:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_go_out_at_the_rate() {
        let gate = gate(Budget {
            rate: Some(10.0),
            ..Budget::default()
        });
        let began = Instant::now();
        for _ in 0..21 {
            gate.pass(&Request::get("/v1/sessions")).await.unwrap();
        }
        let took = began.elapsed();
        assert!(
            took >= Duration::from_secs(2) && took < Duration::from_millis(2_100),
            "{took:?}"
        );
    }
}
