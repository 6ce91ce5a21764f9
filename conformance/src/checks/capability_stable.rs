use crate::{
    capability::{CAPABILITIES, Probe},
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::Stimulus,
    stop::Stop,
};

/// Stands near the end of a run, so that what was asked at its beginning is asked again.
pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.capability.refusal-is-stable",
    title: "A disabled capability is refused alike by all its endpoints, and later in the run as before.",
    level: Level::Derived,
    stimulus: Stimulus::Read,
    requirements: &["A-CAP"],
    killed_by: &["half-open-watches", "refuses-now-and-then"],
    run: |cx| Box::pin(refusal_is_stable(cx)),
}];

async fn refusal_is_stable(cx: &mut Context<'_>) -> Judgement {
    let survey = cx.survey().await?;
    let refused: Vec<_> = CAPABILITIES
        .into_iter()
        .filter(|id| survey.outcome(id) == Probe::Refused)
        .collect();
    if refused.is_empty() {
        return Err(Stop::NotApplicable(
            "no capability is refused as disabled".to_owned(),
        ));
    }
    for id in refused {
        let before = survey.probed.iter().filter(|probed| probed.capability == id);
        let now = survey.ask(cx.bench, id).await?;
        for probed in before.chain(&now) {
            let answer = &probed.answer;
            let expected = format!("the same refusal from every endpoint of {id}, each time");
            let actual = format!(
                "{} {} answered {}",
                answer.method(),
                answer.path(),
                answer.status()
            );
            expect::that(probed.outcome == Probe::Refused, answer, expected, &actual)?;
            cx.saw(actual, answer);
        }
    }
    cx.pass()
}
