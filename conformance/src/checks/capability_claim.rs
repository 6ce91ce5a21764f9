use crate::{
    capability::{CAPABILITIES, Claim, Probe},
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, capability::Survey},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.capability.claimed-but-refused",
        title: "What the operator claims to be on is not refused as disabled, nor listed so.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["WIRE-5"],
        killed_by: &["refuses-what-is-claimed", "lists-as-disabled-what-is-claimed"],
        run: |cx| Box::pin(claimed_but_refused(cx)),
    },
    Check {
        id: "srv.capability.advertised-is-offered",
        title: "What the server lists as enabled is not refused as disabled.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-CAP"],
        killed_by: &["lists-what-it-refuses"],
        run: |cx| Box::pin(advertised_is_offered(cx)),
    },
];

async fn claimed_but_refused(cx: &mut Context<'_>) -> Judgement {
    let survey = cx.survey().await?;
    let listed = cx.listed().await?;
    let claimed: Vec<_> = CAPABILITIES
        .into_iter()
        .filter(|id| cx.bench.claim(id) == Claim::On)
        .collect();
    if claimed.is_empty() {
        let why = "no capability is claimed to be on (--capability NAME=on)";
        return Err(Stop::NotApplicable(why.to_owned()));
    }
    let mut seen = 0;
    for id in claimed {
        seen += offered(cx, &survey, id, "as claimed")?;
        let disabled = listed.says(id) == Some(false);
        let expected = format!("{id} not listed as disabled, as claimed");
        expect::that(!disabled, listed.answer(), expected, "enabled is false")?;
    }
    some(cx, seen)
}

async fn advertised_is_offered(cx: &mut Context<'_>) -> Judgement {
    let survey = cx.survey().await?;
    let listed = cx.listed().await?;
    let enabled: Vec<_> = CAPABILITIES
        .into_iter()
        .filter(|id| listed.says(id) == Some(true))
        .collect();
    if enabled.is_empty() {
        if listed.is_empty() {
            return Err(Stop::Inconclusive("the server lists no capabilities".to_owned()));
        }
        let why = "the server lists no capability as enabled that a deployment may leave off";
        return Err(Stop::NotApplicable(why.to_owned()));
    }
    let mut seen = 0;
    for id in enabled {
        seen += offered(cx, &survey, id, "as listed")?;
    }
    some(cx, seen)
}

/// How many requests for it were served; a refusal as disabled is a failure.
fn offered(cx: &mut Context<'_>, survey: &Survey, id: &str, why: &str) -> Result<usize, Stop> {
    let mut served = 0;
    for probed in survey.probed.iter().filter(|probed| probed.capability == id) {
        let answer = &probed.answer;
        let expected = format!("{id} to be offered {why}");
        let actual = format!("status {} capability.disabled", answer.status());
        expect::that(probed.outcome != Probe::Refused, answer, expected, actual)?;
        if probed.outcome == Probe::Works {
            served += 1;
            let text = format!(
                "{id}: {} {} answered {}",
                answer.method(),
                answer.path(),
                answer.status()
            );
            cx.saw(text, answer);
        }
    }
    Ok(served)
}

fn some(cx: &mut Context<'_>, served: usize) -> Judgement {
    if served == 0 {
        let why = "no request for these capabilities was answered clearly";
        return Err(Stop::Inconclusive(why.to_owned()));
    }
    cx.pass()
}
