//! Keeps a server going: one life after another, on the same port and the same log.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::StartError;
use super::instance::{self, Instance, Lasting};
use super::listener;
use super::running::GRACE;
use super::snapshot::Snapshots;
use super::store::Place;
use super::terms::Terms;
use crate::control::restart::{Command, Mode, Restart, RestartError};
use crate::stop::{Stop, Stopping};

/// How many connections may wait to be accepted while the server is away.
const BACKLOG: u32 = 1024;

/// A server and what it needs to live again.
pub(super) struct Supervisor {
    pub(super) lasting: Lasting,
    pub(super) terms: Terms,
    pub(super) address: SocketAddr,
    /// Nothing while connections are refused.
    pub(super) listener: Option<TcpListener>,
    /// A log in memory outlives the life that uses it.
    pub(super) place: Place,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) snapshots: Snapshots,
}

/// Why a life ended.
enum Ended {
    Stopped,
    Restart(Restart, oneshot::Sender<Result<(), RestartError>>),
}

impl Supervisor {
    /// Serves until `stopping` says so.
    pub(super) async fn run(mut self, first: Instance, first_stop: (Stop, Stopping), stopping: Stopping) {
        let mut alive = Some((first, first_stop));
        let mut answer: Option<oneshot::Sender<Result<(), RestartError>>> = None;
        loop {
            let ended = match alive.take() {
                Some((instance, life)) => {
                    if let Some(answer) = answer.take() {
                        // Whoever asked may have gone away.
                        let _ = answer.send(Ok(()));
                    }
                    self.live(instance, life, &stopping).await
                }
                None => self.wait(&stopping).await,
            };
            let Ended::Restart(restart, asked) = ended else {
                return;
            };
            match self.rise(&restart).await {
                Ok(risen) => {
                    alive = Some(risen);
                    answer = Some(asked);
                }
                Err(error) => {
                    tracing::error!(%error, "restart");
                    let _ = asked.send(Err(error));
                }
            }
        }
    }

    /// One life.
    async fn live(
        &mut self,
        instance: Instance,
        (stop, life): (Stop, Stopping),
        stopping: &Stopping,
    ) -> Ended {
        let Some(listener) = &self.listener else {
            return Ended::Stopped;
        };
        let front = instance.front.clone();
        let mut serving = Box::pin(listener::serve(listener, front, &self.terms, life));
        let ended = loop {
            tokio::select! {
                () = stopping.requested() => break Ended::Stopped,
                () = &mut serving => break Ended::Stopped,
                command = self.commands.recv() => match command {
                    Some(Command::Snapshot(answer)) => {
                        let _ = answer.send(self.snapshots.take(&self.place).await);
                    }
                    Some(Command::Restart(restart, answer)) => match self.snapshots.check(&restart) {
                        Ok(()) => break Ended::Restart(restart, answer),
                        Err(error) => {
                            let _ = answer.send(Err(error));
                        }
                    },
                    // Nobody can command any more; the server stops by itself alone.
                    None => {
                        stopping.requested().await;
                        break Ended::Stopped;
                    }
                },
            }
        };
        stop.request();
        if !matches!(&ended, Ended::Restart(restart, _) if restart.mode == Mode::Abrupt) {
            serving.await;
        } else {
            // What is not awaited any more is dropped, its connections with it.
            drop(serving);
        }
        instance.end(Instant::now() + GRACE).await;
        ended
    }

    /// No life: the last restart did not succeed.
    async fn wait(&mut self, stopping: &Stopping) -> Ended {
        loop {
            tokio::select! {
                () = stopping.requested() => return Ended::Stopped,
                command = self.commands.recv() => match command {
                    Some(Command::Restart(restart, answer)) => return Ended::Restart(restart, answer),
                    Some(Command::Snapshot(answer)) => drop(answer),
                    None => return Ended::Stopped,
                },
            }
        }
    }

    async fn rise(&mut self, restart: &Restart) -> Result<(Instance, (Stop, Stopping)), RestartError> {
        if !restart.down.is_zero() || self.listener.is_none() {
            self.stay_away(restart.down).await?;
        }
        if let Some(snapshot) = &restart.restore {
            self.snapshots.restore(snapshot, &self.place).await?;
        }
        let (store, _) = instance::open(&self.lasting.settings, Some(&self.place)).await?;
        let (stop, life) = Stop::new();
        let instance = Instance::start(&self.lasting, store, life.clone()).await?;
        Ok((instance, (stop, life)))
    }

    /// Refuses connections for a while, without giving the port away: it stays taken by a socket that does not listen.
    async fn stay_away(&mut self, down: Duration) -> Result<(), RestartError> {
        self.listener = None;
        let address = self.address;
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        };
        let bound = socket.and_then(|socket| {
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(socket)
        });
        let refused = |source| StartError::Bind { address, source };
        let socket = bound.map_err(refused)?;
        tokio::time::sleep(down).await;
        self.listener = Some(socket.listen(BACKLOG).map_err(refused)?);
        Ok(())
    }
}
