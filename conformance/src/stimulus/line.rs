use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::bench::Bench;
use crate::{
    stop::Stop,
    wire::{
        exchange::Exchange,
        reading::{End, Reading},
        request::Request,
        sse::Frame,
    },
};

/// So many connections in a row that end without a frame are the end of the stream.
const FRUITLESS: u32 = 8;
/// And so many in all are no reading any more.
const CONNECTIONS: usize = 200;
/// The wait after the first fruitless connection; it doubles up to [`LONGEST_WAIT`].
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// An event stream over as many connections as it takes: any connection may end, and is joined again behind a cursor.
pub(crate) struct Line<'run> {
    bench: &'run Bench,
    request: Request,
    reading: Reading,
    earlier: Vec<Arc<Exchange>>,
    fruitless: u32,
}

/// A frame and the number of the connection that it came on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Framed {
    pub(crate) frame: Frame,
    connection: usize,
}

/// What came over every connection of a line, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    connections: Vec<Arc<Exchange>>,
    last: Arc<Exchange>,
}

impl<'run> Line<'run> {
    /// Opens a stream, which has to succeed.
    pub(crate) async fn open(bench: &'run Bench, request: Request) -> Result<Self, Stop> {
        Ok(Self {
            bench,
            reading: bench.open(request.clone()).await?,
            request,
            earlier: Vec::new(),
            fruitless: 0,
        })
    }

    /// The next frame, or how the stream ended for good. A connection that ends is joined again behind `cursor`, without
    /// one as the first was.
    pub(crate) async fn next(
        &mut self,
        deadline: Instant,
        cursor: Option<u64>,
    ) -> Result<Result<Framed, End>, Stop> {
        loop {
            let end = match self.next_here(deadline).await {
                Ok(framed) => {
                    self.fruitless = 0;
                    return Ok(Ok(framed));
                }
                Err(end) => end,
            };
            let over = self.fruitless >= FRUITLESS || self.earlier.len() + 1 >= CONNECTIONS;
            if over || !matches!(end, End::Closed | End::Broken) {
                return Ok(Err(end));
            }
            let wait = (SHORTEST_WAIT * 2_u32.pow(self.fruitless)).min(LONGEST_WAIT);
            sleep(wait).await;
            self.fruitless += 1;
            self.join(cursor).await?;
        }
    }

    /// The next frame of this connection, or how it ended.
    pub(crate) async fn next_here(&mut self, deadline: Instant) -> Result<Framed, End> {
        let frame = self.reading.next_frame(deadline).await?;
        Ok(Framed {
            frame,
            connection: self.earlier.len(),
        })
    }

    /// Leaves this connection for one behind `cursor`, without one as the first was.
    pub(crate) async fn join(&mut self, cursor: Option<u64>) -> Result<(), Stop> {
        let request = match cursor {
            Some(cursor) => self.request.clone().after(cursor),
            None => self.request.clone(),
        };
        let left = std::mem::replace(&mut self.reading, self.bench.open(request).await?);
        self.earlier.push(self.bench.close(left));
        Ok(())
    }

    /// Whether the bytes of this connection end inside a frame.
    pub(crate) fn is_mid_frame(&self) -> bool {
        self.reading.is_mid_frame()
    }

    /// What was read over this connection so far.
    pub(crate) fn snapshot(&self) -> Exchange {
        self.reading.snapshot()
    }

    /// This frame of this connection, as text.
    pub(crate) fn excerpt_of(&self, framed: &Framed) -> String {
        let bytes = framed.frame.bytes.clone();
        match self.earlier.get(framed.connection) {
            Some(exchange) => exchange.excerpt_of(bytes),
            None => self.snapshot().excerpt_of(bytes),
        }
    }

    /// Stops reading and keeps what came.
    pub(crate) fn close(self) -> Record {
        let last = self.bench.close(self.reading);
        let mut connections = self.earlier;
        connections.push(Arc::clone(&last));
        Record { connections, last }
    }
}

impl Record {
    /// The last connection.
    pub(crate) fn last(&self) -> &Arc<Exchange> {
        &self.last
    }

    /// This frame and the exchange that it came in, as text.
    pub(crate) fn excerpt_of(&self, framed: &Framed) -> String {
        let exchange = self.connections.get(framed.connection).unwrap_or(&self.last);
        exchange.excerpt_of(framed.frame.bytes.clone())
    }
}
