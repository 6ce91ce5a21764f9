use std::task::{Context, Poll};
use std::time::Duration;

use super::head::{Head, Look, Looking};
use super::silence::Silence;
use crate::clock::Clock;

/// Asks the Session and its log while an open connection brings no event, comments aside: once each time that it has been
/// quiet for a while (`A-HEAD`, `SES-9`).
///
/// A Session that is settled at the cursor brings nothing more, whether or not the server closes. And a server that
/// forgot to send an event keeps a connection alive that will never bring it.
pub(super) struct Quiet {
    silence: Silence,
    looking: Option<Looking>,
    /// How much had arrived when the log was last seen to hold an event that did not come.
    missing_at: Option<u64>,
}

/// What the quiet means.
pub(super) enum Meaning {
    /// Nothing is left to deliver.
    Over(Box<Head>),
    /// The log held an event at two looks in a row, and nothing at all arrived between them.
    Deaf,
}

impl Quiet {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            silence: Silence::new(limit),
            looking: None,
            missing_at: None,
        }
    }

    /// An event was handed out.
    pub(super) fn broken(&mut self) {
        self.silence.broken();
        self.looking = None;
        self.missing_at = None;
    }

    /// Ready once the quiet means something. A look that fails says nothing; the next one may. `arrived` counts what came,
    /// comments aside; `None` stands for a part of something that is on its way.
    pub(super) fn poll_meaning(
        &mut self,
        clock: &dyn Clock,
        arrived: Option<u64>,
        look: impl Fn() -> Looking,
        context: &mut Context<'_>,
    ) -> Poll<Meaning> {
        loop {
            if let Some(looking) = &mut self.looking {
                let Poll::Ready(look) = looking.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                self.looking = None;
                self.silence.broken();
                match look {
                    Ok(Look { head, .. }) if head.is_over => {
                        return Poll::Ready(Meaning::Over(Box::new(head)));
                    }
                    Ok(Look { has_more: true, .. }) if arrived.is_some() && self.missing_at == arrived => {
                        return Poll::Ready(Meaning::Deaf);
                    }
                    Ok(Look { has_more: true, .. }) => self.missing_at = arrived,
                    Ok(_) => self.missing_at = None,
                    Err(_) => {}
                }
            }
            if self.silence.poll_too_long(clock, context).is_pending() {
                return Poll::Pending;
            }
            self.looking = Some(look());
        }
    }
}
