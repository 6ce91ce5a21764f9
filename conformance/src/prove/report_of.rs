use tokio::task::AbortHandle;

use crate::{plan::Plan, report::Report, run::run};

/// What a run says, beside what else is judged: on whichever processor is free.
///
/// # Cancel safety
/// Dropping the future ends the run.
pub(super) async fn report_of(plan: Plan) -> Report {
    let running = tokio::spawn(async move { run(&plan, std::future::pending(), |_| {}).await });
    let _ended = EndedOnDrop(running.abort_handle());
    match running.await {
        Ok(report) => report,
        // Nobody else ends it.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

struct EndedOnDrop(AbortHandle);

impl Drop for EndedOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
