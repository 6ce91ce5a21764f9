use futures::stream::{self, StreamExt, TryStreamExt};

use super::{bench::Bench, session::Session, tape::Tape, turn, wait::Parked};
use crate::{stop::Stop, wire::request::Request};

/// How long each message is, and how many there are: together more than the buffers of a connection hold on either side,
/// of which those of the sender are the larger ones with at most 4 MiB where nobody raised that.
const LENGTH: usize = 256 << 10;
const MESSAGES: usize = 25;
/// What they are full of.
const FILLING: &str = "much of the same, ";
/// How many requests are under way at a time.
const AT_A_TIME: usize = 4;

/// A stream that nobody reads, behind which much was written.
pub(crate) struct Stalled<'run> {
    /// Read up to where the writing began.
    pub(crate) tape: Tape<'run>,
    /// The messages that were accepted meanwhile.
    pub(crate) messages: usize,
}

impl<'run> Stalled<'run> {
    /// Writes long messages to a Session that waits for a call, so that no Agent has to read them.
    pub(crate) async fn reach(bench: &'run Bench, session: &Session) -> Result<Self, Stop> {
        if bench.target.disturbed {
            let why =
                "what arrives is disturbed on purpose (--disturbed), and megabytes of it do not come in time";
            return Err(Stop::NotApplicable(why.to_owned()));
        }
        let parked = Parked::reach(bench, &session.id, 1).await?;
        let mut tape = Tape::open(bench, Request::get(session.stream())).await?;
        let deadline = bench.answer_deadline();
        let awaited = || format!("the event of seq {} before the stall", parked.log.head());
        while tape.expect_next(deadline, awaited).await?.seq < parked.log.head() {}
        let long = FILLING.repeat(LENGTH / FILLING.len());
        let send = |number| {
            let body = turn::message_saying(bench, &format!("Message {number} of many.\n{long}"));
            bench.mutate(Request::post(session.events(), &body))
        };
        stream::iter((1..=MESSAGES).map(send))
            .buffer_unordered(AT_A_TIME)
            .try_for_each(async |answer| match answer.status() {
                200..300 => Ok(()),
                413 => Err(Stop::NotApplicable(format!(
                    "the server takes no message of {LENGTH} bytes (413)"
                ))),
                status => Err(Stop::Inconclusive(format!(
                    "it takes a Session that takes messages while it waits, and one answered {status}"
                ))),
            })
            .await?;
        Ok(Self {
            tape,
            messages: MESSAGES,
        })
    }
}
