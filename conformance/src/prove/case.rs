use std::{future::Future, time::Duration};

use futures::StreamExt;

use super::layer::Layer;
use crate::limits::Limits;

/// What a layer needs to know of how it is judged.
#[derive(Clone, Copy)]
pub(super) struct Pace<'p> {
    /// How many cases are judged at a time.
    pub(super) jobs: usize,
    /// Is told a line for each case.
    pub(super) progress: &'p (dyn Fn(&str) + Sync),
}

impl Pace<'_> {
    pub(super) fn tell(&self, layer: &str, case: &str, problems: &[String]) {
        let sign = if problems.is_empty() { "holds" } else { "BROKEN" };
        (self.progress)(&format!("{sign:<12} {layer}: {case}"));
        for problem in problems {
            (self.progress)(&format!("             {problem}"));
        }
    }
}

/// For servers that are bound to keep the suite waiting.
pub(super) fn impatient() -> Limits {
    Limits {
        answer: Duration::from_secs(3),
        turn: Duration::from_secs(4),
        ..Limits::default()
    }
}

/// Judges every case, several at a time and without patience. What does not hold is judged once more, alone and with the
/// limits of any run, so that a slow machine is not taken for a survivor.
pub(super) async fn judge_all<N, Judged>(
    name: &'static str,
    cases: Vec<N>,
    pace: Pace<'_>,
    judge: impl Fn(N, Limits) -> Judged + Sync,
) -> Layer
where
    N: Clone + AsRef<str> + Send,
    Judged: Future<Output = Vec<String>> + Send,
{
    let mut layer = Layer::new(name);
    let mut doubtful = Vec::new();
    let mut judged = futures::stream::iter(cases)
        .map(|case| {
            let judging = judge(case.clone(), impatient());
            async move { (case, judging.await) }
        })
        .buffer_unordered(pace.jobs);
    while let Some((case, problems)) = judged.next().await {
        if problems.is_empty() {
            pace.tell(name, case.as_ref(), &problems);
            layer.add(problems);
        } else {
            (pace.progress)(&format!("once more    {name}: {}", case.as_ref()));
            doubtful.push(case);
        }
    }
    drop(judged);
    for case in doubtful {
        let shown = case.as_ref().to_owned();
        let problems = judge(case, Limits::default()).await;
        pace.tell(name, &shown, &problems);
        layer.add(problems);
    }
    layer.problems.sort();
    layer
}
