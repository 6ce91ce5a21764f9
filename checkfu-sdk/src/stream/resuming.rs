use std::fmt;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::{FutureExt, Stream as _};

use super::budget::Budget;
use super::connect::{Anchor, Connected, connect};
use super::connection::{Connection, Open, StreamState};
use super::head::{Head, ReadingHead, look, read_head};
use super::item::StreamItem;
use super::opening::{Fork, Opening};
use super::quiet::Meaning;
use crate::client::{Body, Interruption, Observer, StreamChange, stream_changed};
use crate::error::{Error, Limit, StopCause, TransportError, TransportErrorKind};
use crate::events::Log;
use crate::model::{Event, ForkPlace, LogId, PreviewType, RequestId, Seq, Session, SessionStatus};
use crate::settlement::{Outcome, Settlement};

/// What a stream does, whoever reads it: connect, resume after the last event that was handed out, and end.
pub(super) struct Resuming {
    log: Log,
    cursor: Option<Seq>,
    anchor: Option<Anchor>,
    anchored: bool,
    fork: Fork,
    settles_from: Option<Seq>,
    budget: Budget,
    observer: Option<Arc<dyn Observer>>,
    /// The types whose previews are wanted. `None`, and nothing but events is handed out.
    previews: Option<Arc<[PreviewType]>>,
    connections: u64,
    retry_hint: Option<Duration>,
    /// The last event delivered was a terminal one that may be a fork's copy.
    terminal: Option<Seq>,
    /// The server said that there will be no more events.
    is_last: bool,
    final_settlement: Option<Settlement>,
    connection: Connection,
}

/// Goes on in the new state, or hands out an item, or the end.
type Step = ControlFlow<Option<Result<StreamItem, Error>>>;

impl Resuming {
    pub(super) fn new(opening: Opening, previews: Option<Arc<[PreviewType]>>) -> Self {
        Self {
            log: opening.log,
            cursor: opening.after,
            anchor: opening.anchor,
            anchored: opening.anchored,
            fork: opening.fork,
            settles_from: opening.settles_from,
            budget: opening.budget,
            observer: opening.observer,
            previews,
            connections: 0,
            retry_hint: None,
            terminal: None,
            is_last: false,
            final_settlement: None,
            connection: Connection::Idle,
        }
    }

    pub(super) fn log_id(&self) -> &LogId {
        self.log.id()
    }

    /// The last event that was delivered, which a reconnect resumes after; before the first, the cursor that the
    /// stream was opened with.
    pub(super) fn last_seq(&self) -> Option<Seq> {
        self.cursor
    }

    pub(super) fn state(&self) -> StreamState {
        self.connection.state()
    }

    /// What the Session or the child said of its work, if that is what ended the stream.
    pub(super) fn final_settlement(&self) -> Option<&Settlement> {
        self.final_settlement.as_ref()
    }

    pub(super) fn fmt_fields(&self, name: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct(name)
            .field("log", self.log.id())
            .field("last_seq", &self.cursor)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }

    /// The next item; `None` once it is over.
    pub(super) fn poll_item(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Error>>> {
        loop {
            let step = match std::mem::replace(&mut self.connection, Connection::Ended) {
                Connection::Idle => {
                    self.connect();
                    Step::Continue(())
                }
                Connection::Connecting(mut connecting) => match connecting.as_mut().poll(context) {
                    Poll::Pending => {
                        self.connection = Connection::Connecting(connecting);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(Connected::Stream { body, request_id })) => self.opened(body, request_id),
                    Poll::Ready(Ok(Connected::NoMore)) => self.no_more(),
                    Poll::Ready(Err(error)) => self.interrupted(error),
                },
                Connection::Open(open) => ready!(self.poll_open(open, context)),
                Connection::ReadingHead(mut reading) => match reading.as_mut().poll(context) {
                    Poll::Pending => {
                        self.connection = Connection::ReadingHead(reading);
                        return Poll::Pending;
                    }
                    Poll::Ready(head) => self.head_read(head),
                },
                Connection::Waiting(mut sleep, until) => match sleep.as_mut().poll(context) {
                    Poll::Pending => {
                        self.connection = Connection::Waiting(sleep, until);
                        return Poll::Pending;
                    }
                    Poll::Ready(()) => {
                        self.connect();
                        Step::Continue(())
                    }
                },
                Connection::Ended => return Poll::Ready(None),
            };
            if let Step::Break(item) = step {
                return Poll::Ready(item);
            }
        }
    }

    fn notify(&self, change: &StreamChange<'_>) {
        let log_id = self.log.id();
        stream_changed(log_id, change);
        if let Some(observer) = &self.observer {
            observer.stream_changed(log_id, change);
        }
    }

    fn connect(&mut self) {
        let anchor = self.anchor.clone().filter(|_| self.anchored);
        let previews = self.previews.clone().unwrap_or_default();
        let connecting = connect(self.log.clone(), self.cursor, anchor, previews);
        self.connection = Connection::Connecting(connecting.boxed());
    }

    fn opened(&mut self, body: Body, request_id: Option<RequestId>) -> Step {
        self.notify(&StreamChange::Opened {
            after: self.cursor,
            reconnects: self.connections,
        });
        self.connections += 1;
        self.connection = Connection::Open(Box::new(Open::new((body, request_id), &self.log)));
        match self.previews {
            Some(_) => Step::Break(Some(Ok(StreamItem::Opened))),
            None => Step::Continue(()),
        }
    }

    fn end(&mut self) -> Step {
        self.connection = Connection::Ended;
        self.notify(&StreamChange::Ended);
        Step::Break(None)
    }

    fn fail(&mut self, error: Error) -> Step {
        self.connection = Connection::Ended;
        self.notify(&StreamChange::Ended);
        Step::Break(Some(Err(error)))
    }

    fn read_head(&self) -> ReadingHead {
        read_head(self.log.clone(), self.cursor, self.settles_from)
    }

    /// A connection ended; `error` is what broke it, `None` a close in good order.
    fn disconnected(&mut self, open: &Open, error: Option<Error>) -> Step {
        let now = self.log.client().clock().now();
        self.budget.connection_ended(open.since, now);
        self.retry_hint = open.decoder.retry().map(Duration::from_millis);
        let cause = error.as_ref().map_or(Interruption::Closed, Interruption::Failed);
        self.notify(&StreamChange::Interrupted {
            after: self.cursor,
            cause,
        });
        if self.terminal.is_some() || (error.is_none() && !open.delivered) {
            self.connection = Connection::ReadingHead(self.read_head());
            return Step::Continue(());
        }
        self.wait(error)
    }

    /// Waits for the next connection, or ends if there is to be none. After a terminal event a Session that cannot be
    /// decoded is no answer either, and is asked for again (`A-FORK`).
    fn wait(&mut self, error: Option<Error>) -> Step {
        let now = self.log.client().clock().now();
        let hint = error.as_ref().and_then(Error::retry_after);
        let next = match &error {
            Some(Error::Decode(_)) if self.terminal.is_some() => {
                self.budget.next_wait(now, None, self.retry_hint)
            }
            Some(error) if !error.is_retryable() => Err(StopCause::NotRetryable),
            _ => self.budget.next_wait(now, hint, self.retry_hint),
        };
        match (next, error) {
            (Ok(wait), _) => {
                self.notify(&StreamChange::Waiting {
                    wait,
                    reconnect: self.budget.used(),
                });
                let sleep = self.log.client().clock().sleep(wait);
                self.connection = Connection::Waiting(sleep, now.checked_add(wait).unwrap_or(now));
                Step::Continue(())
            }
            (Err(stopped), Some(error)) => {
                let attempts = self.budget.attempts(now, stopped);
                self.fail(error.with_attempts(attempts))
            }
            (Err(_), None) => self.end(),
        }
    }

    /// A connection could not be made, or was given up for a Session that could not be read.
    fn interrupted(&mut self, error: Error) -> Step {
        let cause = Interruption::Failed(&error);
        self.notify(&StreamChange::Interrupted {
            after: self.cursor,
            cause,
        });
        self.wait(Some(error))
    }

    /// The Session was read because a connection ended (`A-HEAD`).
    fn head_read(&mut self, head: Result<Head, Error>) -> Step {
        match (self.terminal, head) {
            (_, Ok(head)) if self.is_last && head.is_over => self.end_with(head),
            _ if self.is_last => self.end(),
            (Some(terminal), Ok(head)) if is_copy(terminal, head.session.as_ref()) => {
                self.terminal = None;
                self.wait(None)
            }
            (None, Ok(head)) if !head.is_over => self.wait(None),
            (_, Ok(head)) => self.end_with(head),
            (None, Err(Error::Decode(_))) => self.wait(None),
            (_, Err(error)) => self.wait(Some(error)),
        }
    }

    /// There will be no more events. Whether the work is settled with that, a follow asks the Session.
    fn no_more(&mut self) -> Step {
        if self.settles_from.is_none() {
            return self.end();
        }
        self.is_last = true;
        self.connection = Connection::ReadingHead(self.read_head());
        Step::Continue(())
    }

    fn end_with(&mut self, head: Head) -> Step {
        self.final_settlement = head.settlement;
        self.end()
    }

    fn poll_open(&mut self, mut open: Box<Open>, context: &mut Context<'_>) -> Poll<Step> {
        loop {
            match open.next_item(self.cursor, self.previews.is_some()) {
                Ok(Some(StreamItem::Event(event))) => {
                    let ends = self.deliver(&mut open, &event);
                    self.connection = if ends {
                        Connection::Ended
                    } else {
                        Connection::Open(open)
                    };
                    if ends {
                        self.notify(&StreamChange::Ended);
                    }
                    return Poll::Ready(Step::Break(Some(Ok(StreamItem::Event(event)))));
                }
                // Neither progress nor a sign that the connection brings events (`PRV-4`).
                Ok(Some(item)) => {
                    self.connection = Connection::Open(open);
                    return Poll::Ready(Step::Break(Some(Ok(item))));
                }
                Ok(None) => {}
                Err(error) => {
                    let step = match error {
                        error if error.is_retryable() => self.disconnected(&open, Some(error)),
                        error => self.fail(error),
                    };
                    return Poll::Ready(step);
                }
            }
            match Pin::new(&mut open.body).poll_next(context) {
                Poll::Ready(Some(Ok(bytes))) => {
                    open.silence.broken();
                    open.bytes = bytes;
                }
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(self.disconnected(&open, Some(error.into())));
                }
                Poll::Ready(None) => return Poll::Ready(self.disconnected(&open, None)),
                Poll::Pending => return self.poll_quiet(open, context),
            }
        }
    }

    /// Nothing arrived: is it over, or silent for too long?
    fn poll_quiet(&mut self, mut open: Box<Open>, context: &mut Context<'_>) -> Poll<Step> {
        if let Some(terminal) = self.terminal {
            let head = open.head.get_or_insert_with(|| self.read_head());
            match head.as_mut().poll(context) {
                Poll::Ready(Ok(head)) if is_copy(terminal, head.session.as_ref()) => {
                    open.head = None;
                    self.terminal = None;
                }
                Poll::Ready(Ok(head)) => return Poll::Ready(self.end_with(head)),
                // Whether the connection may still bring anything is not known without the Session.
                Poll::Ready(Err(error)) => return Poll::Ready(self.interrupted(error)),
                Poll::Pending => {}
            }
        }
        let (clock, arrived) = (self.log.client().clock(), open.arrived());
        let look = || look(self.log.clone(), self.cursor, self.settles_from);
        match open.quiet.poll_meaning(clock, arrived, look, context) {
            Poll::Ready(Meaning::Over(head)) => return Poll::Ready(self.end_with(*head)),
            Poll::Ready(Meaning::Deaf) => {
                let error = TransportError::new(TransportErrorKind::Interrupted)
                    .caused_by("the log holds an event that the connection does not bring");
                return Poll::Ready(self.disconnected(&open, Some(error.into())));
            }
            Poll::Pending => {}
        }
        match open.silence.poll_too_long(self.log.client().clock(), context) {
            Poll::Ready(limit) => {
                let error = TransportError::timed_out(Limit::Idle, limit);
                Poll::Ready(self.disconnected(&open, Some(error.into())))
            }
            Poll::Pending => {
                self.connection = Connection::Open(open);
                Poll::Pending
            }
        }
    }

    /// Moves the cursor to an event that is handed out; says whether the stream is over with it.
    fn deliver(&mut self, open: &mut Open, event: &Event) -> bool {
        self.cursor = Some(event.seq());
        if self.anchored {
            self.anchor = Some(Anchor {
                seq: event.seq(),
                event_id: event.id().clone(),
            });
        }
        self.budget.refill();
        open.delivered = true;
        open.head = None;
        open.quiet.broken();
        if let Some(child) = &self.log.id().session_thread_id
            && let Some(end) = Settlement::of_child(event, child)
            && end.outcome == Outcome::ThreadTerminated
        {
            // A fork's copy of it counts, too: the child has ended there (`A-FORK`).
            self.final_settlement = Some(end);
            return true;
        }
        let terminal = Settlement::of(event).is_some_and(|settlement| settlement.outcome.is_terminal());
        match self.fork {
            Fork::At(fork) => terminal && event.seq() > fork,
            Fork::Unknown => {
                self.terminal = terminal.then_some(event.seq());
                false
            }
        }
    }
}

/// Whether a terminal event at this place is a copy, which a fork's Session carries and goes on after. Where a fork does
/// not tell its place, its status has to.
fn is_copy(terminal: Seq, session: Option<&Session>) -> bool {
    session.is_some_and(|session| match session.fork() {
        ForkPlace::None => false,
        ForkPlace::At(fork) => terminal <= fork,
        ForkPlace::Unreadable => {
            !session.status().is_some_and(SessionStatus::is_terminal) || session.last_seq() > Some(terminal)
        }
    })
}
