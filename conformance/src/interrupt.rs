//! When somebody wants the run to end.

/// Resolves at Ctrl-C, and at SIGTERM where there is one.
pub(crate) async fn interrupted() {
    #[cfg(unix)]
    if let Ok(mut ended) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = ended.recv() => {}
            () = control_c() => {}
        }
        return;
    }
    control_c().await;
}

async fn control_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
