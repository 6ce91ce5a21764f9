use std::sync::{Arc, Mutex, PoisonError};

use super::{exchange::Exchange, gate::Gate};

/// What was exchanged, in memory. The gate knows how much that is, and lets nothing more out when it is too much.
#[derive(Debug)]
pub(super) struct Transcript {
    gate: Arc<Gate>,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    numbered: usize,
    kept: u64,
    exchanges: Vec<Arc<Exchange>>,
}

impl Transcript {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Self {
            gate,
            pages: Mutex::default(),
        }
    }

    /// The number of the next exchange, from 1.
    pub(super) fn number(&self) -> usize {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.numbered += 1;
        pages.numbered
    }

    pub(super) fn keep(&self, exchange: Exchange) -> Arc<Exchange> {
        let exchange = Arc::new(exchange);
        self.gate.keeps(exchange.weight());
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.kept += exchange.weight();
        pages.exchanges.push(Arc::clone(&exchange));
        exchange
    }

    /// Lets go of an exchange that is no evidence of anything.
    pub(super) fn forget(&self, exchange: &Arc<Exchange>) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let before = pages.exchanges.len();
        pages.exchanges.retain(|kept| !Arc::ptr_eq(kept, exchange));
        if pages.exchanges.len() < before {
            pages.kept = pages.kept.saturating_sub(exchange.weight());
            self.gate.forgets(exchange.weight());
        }
    }

    /// Every exchange kept so far.
    pub(super) fn exchanges(&self) -> Vec<Arc<Exchange>> {
        self.pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .exchanges
            .clone()
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        let pages = self.pages.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.gate.forgets(pages.kept);
    }
}
