//! A stream held against the list of the same view, whole and behind cursors.

use crate::{
    context::Context,
    expect,
    stimulus::{event::Event, log::Log, replay::Replay, session::Session, thread::Thread},
    stop::Stop,
    wire::request::Request,
};

/// How many cuts of a log are tried, spread over all of it.
const CUTS: usize = 5;
/// How many events are asked for at a time: a page of a long log at once is more than arrives in time where it is disturbed.
const PAGE: usize = 100;

/// Where a view of a log is read, and what a failure calls it.
#[derive(Debug, Clone)]
pub(super) struct View {
    what: String,
    list: String,
    stream: String,
}

impl View {
    pub(super) fn of_session(session: &Session, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            list: session.events(),
            stream: session.stream(),
        }
    }

    pub(super) fn of_thread(thread: &Thread, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            list: thread.events(),
            stream: thread.stream(),
        }
    }

    pub(super) async fn log(&self, cx: &Context<'_>) -> Result<Log, Stop> {
        Log::walk_at(cx.bench, &self.list, PAGE).await
    }

    /// The whole stream has the envelopes of the list, each in a frame that names its seq and type.
    pub(super) async fn expect_mirrored(&self, cx: &mut Context<'_>) -> Result<Log, Stop> {
        let log = self.log(cx).await?;
        let replay = Replay::through(cx.bench, Request::get(&self.stream), log.head()).await?;
        let what = format!("the stream of {} beside its list", self.what);
        expect::same_events(&replay.evidence, &what, &log.events, &replay.events)?;
        self.expect_framed(&replay)?;
        cx.saw(
            format!("{} framed events are {what}", replay.events.len()),
            &replay.evidence,
        );
        Ok(log)
    }

    /// Stream and list go on right behind each of these cursors, which need not be in the view.
    pub(super) async fn expect_resumed(
        &self,
        cx: &mut Context<'_>,
        log: &Log,
        cursors: impl IntoIterator<Item = u64>,
    ) -> Result<(), Stop> {
        for cursor in cursors {
            let rest = log.above(cursor);
            if !rest.is_empty() {
                let resume = Request::get(&self.stream).after(cursor);
                let stream = Replay::through(cx.bench, resume, log.head()).await?;
                let what = format!("the stream of {} after {cursor}", self.what);
                expect::same_events(&stream.evidence, &what, rest, &stream.events)?;
                self.expect_framed(&stream)?;
                cx.saw(format!("{} events are {what}", rest.len()), &stream.evidence);
            }
            let list = Log::walk_after_by(cx.bench, &self.list, cursor, PAGE).await?;
            let kept = list.events.get(..rest.len()).unwrap_or(&list.events);
            let what = format!("the list of {} after {cursor}", self.what);
            expect::same_events(&list.evidence, &what, rest, kept)?;
            cx.saw(format!("{} events are {what}", rest.len()), &list.evidence);
        }
        Ok(())
    }

    fn expect_framed(&self, replay: &Replay) -> Result<(), Stop> {
        for (framed, event) in replay.frames.iter().zip(&replay.events) {
            let (id, kind) = (event.seq.to_string(), event.kind.as_str());
            let frame = &framed.frame;
            if frame.id.as_deref() != Some(&id) || frame.event.as_deref() != Some(kind) {
                let expected = format!("id {id}, event {kind} on the stream of {}", self.what);
                let actual = format!("id {:?}, event {:?}", frame.id, frame.event);
                return Err(replay.fail_at(framed, expected, actual));
            }
        }
        Ok(())
    }
}

/// A few seqs of a log, from its first to the last but one.
pub(super) fn cuts(log: &Log) -> Vec<u64> {
    let inner = log.events.len().saturating_sub(1);
    let step = inner.div_ceil(CUTS).max(1);
    let events: &[Event] = log.events.get(..inner).unwrap_or_default();
    events.iter().step_by(step).map(|event| event.seq).collect()
}
