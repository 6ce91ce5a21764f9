use super::bench::Bench;

/// What every Session of the run is called, so that it can be found again.
pub(crate) fn title(bench: &Bench) -> String {
    titled(&bench.run_id)
}

/// The title of the Sessions of the run with this id.
pub(crate) fn titled(run_id: &str) -> String {
    format!("conformance run {run_id}")
}
