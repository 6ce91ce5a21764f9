//! Servers that deal with a reader who does not read.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex as Lock},
};

use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use tokio::sync::{Mutex, Notify};

use super::lock::locked;

/// How much a server that loses something keeps for a reader, in bytes.
const KEPT: usize = 256 << 10;

/// What becomes of a stream whose reader does not read, and of all else meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressure {
    /// It waits and nothing else does, as it should be.
    Waits,
    /// All other streams wait too.
    HoldsStreams,
    /// All other streams wait too, and so do calls.
    HoldsCalls,
    /// What comes meanwhile is lost once much is kept for it.
    LosesNewest,
    /// What has been kept longest is lost once much is.
    LosesOldest,
}

/// A stream under this pressure; `step` is what its server's streams have in common.
pub(super) fn pressed(
    pieces: BoxStream<'static, Vec<u8>>,
    pressure: Pressure,
    step: Arc<Mutex<()>>,
) -> BoxStream<'static, Vec<u8>> {
    match pressure {
        Pressure::Waits => pieces,
        Pressure::HoldsStreams | Pressure::HoldsCalls => in_step(pieces, step),
        Pressure::LosesNewest | Pressure::LosesOldest => losing(pieces, pressure),
    }
}

fn in_step(pieces: BoxStream<'static, Vec<u8>>, step: Arc<Mutex<()>>) -> BoxStream<'static, Vec<u8>> {
    let state = (pieces, step, None);
    stream::unfold(state, |(mut pieces, step, held)| async move {
        // Asked for the next one, so the one before is out.
        drop(held);
        let piece = pieces.next().await?;
        let held = Arc::clone(&step).lock_owned().await;
        Some((piece, (pieces, step, Some(held))))
    })
    .boxed()
}

/// What is kept for a reader.
#[derive(Default)]
struct Backlog {
    pieces: Lock<VecDeque<Vec<u8>>>,
    changed: Notify,
}

impl Backlog {
    fn take(&self, piece: Vec<u8>, pressure: Pressure) {
        let mut pieces = locked(&self.pieces);
        let kept: usize = pieces.iter().map(Vec::len).sum();
        if kept + piece.len() > KEPT && !pieces.is_empty() {
            match pressure {
                Pressure::LosesNewest => return,
                _ => pieces.clear(),
            }
        }
        pieces.push_back(piece);
        self.changed.notify_one();
    }
}

fn losing(mut pieces: BoxStream<'static, Vec<u8>>, pressure: Pressure) -> BoxStream<'static, Vec<u8>> {
    let backlog = Arc::new(Backlog::default());
    let filled = Arc::clone(&backlog);
    let filling = async move {
        while let Some(piece) = pieces.next().await {
            filled.take(piece, pressure);
        }
    };
    // Filled as long as the reader is there, at its own pace.
    let filling = tokio::spawn(filling);
    stream::unfold((backlog, Ends(filling)), |(backlog, filling)| async move {
        loop {
            let piece = locked(&backlog.pieces).pop_front();
            if let Some(piece) = piece {
                return Some((piece, (backlog, filling)));
            }
            if filling.0.is_finished() {
                return None;
            }
            backlog.changed.notified().await;
        }
    })
    .boxed()
}

/// A task that ends when nobody waits for it any more.
struct Ends(tokio::task::JoinHandle<()>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.abort();
    }
}
