//! When somebody wants the program to end.

use checkfu_conformance::{CleanUpEnd, ExitStatus};
use tokio::sync::watch::{Receiver, Sender};

/// How often that was said, by Ctrl-C and by SIGTERM where there is one.
pub(crate) struct Interrupts(Receiver<usize>);

impl Interrupts {
    /// Listens from now on: before, a signal ends the program without a word.
    pub(crate) fn listen() -> Self {
        let (counter, count) = tokio::sync::watch::channel(0);
        spawn_count(counter);
        Self(count)
    }

    /// Resolves when it was said, also before.
    pub(crate) async fn interrupted(&self) {
        said(self.0.clone(), 1).await;
    }

    /// Ends a cleaning up when it was said again.
    pub(crate) fn end_the_second_time(&self) -> CleanUpEnd {
        self.end_at(2)
    }

    /// Ends a cleaning up that is all there is.
    pub(crate) fn end_the_first_time(&self) -> CleanUpEnd {
        self.end_at(1)
    }

    /// Ends the program when it is said, which has nothing to leave in order.
    pub(crate) fn exit_at_once(&self) {
        let count = self.0.clone();
        tokio::spawn(async move {
            said(count, 1).await;
            std::process::exit(ExitStatus::Interrupted.code().into());
        });
    }

    fn end_at(&self, times: usize) -> CleanUpEnd {
        let (end, count) = (CleanUpEnd::default(), self.0.clone());
        let ended = end.clone();
        tokio::spawn(async move {
            said(count, times).await;
            end.end();
        });
        ended
    }
}

async fn said(mut count: Receiver<usize>, times: usize) {
    if count.wait_for(|count| *count >= times).await.is_err() {
        // Nobody listens, so nobody is heard.
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
fn spawn_count(counter: Sender<usize>) {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        // Where the system refuses, the signal ends the program as it would anyway.
        let Ok(mut heard) = signal(kind) else { continue };
        let counter = counter.clone();
        tokio::spawn(async move {
            while heard.recv().await.is_some() {
                counter.send_modify(|count| *count += 1);
            }
        });
    }
}

#[cfg(not(unix))]
fn spawn_count(counter: Sender<usize>) {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            counter.send_modify(|count| *count += 1);
        }
    });
}
