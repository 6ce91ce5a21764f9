//! Servers that differ where they may: no verdict changes.

mod relayed;
mod styles;

use super::{
    binary::{Binary, RunningServer},
    case::{Pace, judge_all},
    claims::claiming,
    depth::Depth,
    layer::Layer,
    mutant::Mutant,
    relay::Relay,
    report_of::report_of,
    survivor::told,
};
use crate::{
    limits::Limits,
    plan::Plan,
    profile::{Profile, Severity},
    report::Report,
    stimulus::Stimulus,
    verdict::Verdict,
};

/// A server that differs where it may.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equivalent {
    pub(super) name: &'static str,
    /// What leaves it free.
    pub(super) profile: Profile,
    by: By,
}

#[derive(Debug, Clone, Copy)]
enum By {
    /// What a relay does to its traffic.
    Relay(fn(&'static str) -> Mutant),
    /// An Agent of another style, to the checks of waits.
    Style,
    /// Flags of the server that switch capabilities off, and say so.
    Flags(&'static [&'static str]),
}

/// All of them: first what every decision leaves open, then what the published pages do.
pub(super) const EQUIVALENTS: [Equivalent; 14] = [
    relay("changes-nothing", Profile::Reference, Mutant::new),
    relay("carriage-returns", Profile::Reference, relayed::carriage_returns),
    relay(
        "a-few-bytes-at-a-time",
        Profile::Reference,
        relayed::few_bytes_at_a_time,
    ),
    relay("more-comments", Profile::Reference, relayed::more_comments),
    relay("unknown-members", Profile::Reference, relayed::unknown_members),
    relay(
        "members-in-reverse",
        Profile::Reference,
        relayed::members_in_reverse,
    ),
    Equivalent {
        name: "capabilities-off",
        profile: Profile::Reference,
        by: By::Flags(&[
            "threads",
            "forks",
            "diffs",
            "previews",
            "interrupts",
            "waits",
            "outcomes",
            "prompt_integrity",
        ]),
    },
    relay("other-event-ids", Profile::Published, relayed::other_event_ids),
    relay(
        "numbers-with-holes",
        Profile::Published,
        relayed::numbers_with_holes,
    ),
    relay("small-pages", Profile::Published, relayed::small_pages),
    relay("delivers-twice", Profile::Published, relayed::delivers_twice),
    relay(
        "bare-stream-heads",
        Profile::Published,
        relayed::bare_stream_heads,
    ),
    Equivalent {
        name: "waiting_style",
        profile: Profile::Published,
        by: By::Style,
    },
    Equivalent {
        name: "idle_style",
        profile: Profile::Published,
        by: By::Style,
    },
];

const fn relay(name: &'static str, profile: Profile, by: fn(&'static str) -> Mutant) -> Equivalent {
    Equivalent {
        name,
        profile,
        by: By::Relay(by),
    }
}

impl Equivalent {
    /// The quick proof has those of the profile `reference` that every change may break and that take no minutes.
    fn is_quick(&self) -> bool {
        let is_slow = self.name == "a-few-bytes-at-a-time";
        self.profile == Profile::Reference && matches!(self.by, By::Relay(_)) && !is_slow
    }
}

impl AsRef<str> for Equivalent {
    fn as_ref(&self) -> &str {
        self.name
    }
}

/// Judges them by every check; each has a server of its own.
pub(super) async fn equivalents(binary: &Binary, depth: Depth, pace: Pace<'_>) -> Layer {
    let chosen: Vec<_> = EQUIVALENTS
        .into_iter()
        .filter(|equivalent| depth == Depth::Full || equivalent.is_quick())
        .collect();
    judge_all("equivalents", chosen, pace, |equivalent, _| {
        changed_verdicts(binary, equivalent)
    })
    .await
}

async fn changed_verdicts(binary: &Binary, equivalent: Equivalent) -> Vec<String> {
    let named = |problem: String| vec![format!("{}: {problem}", equivalent.name)];
    let flags = match equivalent.by {
        By::Flags(off) => vec!["--disable".to_owned(), off.join(",")],
        By::Relay(_) | By::Style => Vec::new(),
    };
    let server = match binary.start(&flags).await {
        Ok(server) => server,
        Err(error) => return named(error.to_string()),
    };
    match judged(&server, equivalent).await {
        Ok(report) => unexpected(&report, equivalent),
        Err(problem) => named(problem),
    }
}

async fn judged(server: &RunningServer, equivalent: Equivalent) -> Result<Report, String> {
    let told = |error: crate::target::InvalidTarget| error.to_string();
    // Held until the end of the run.
    let mut before = None;
    let target = match equivalent.by {
        By::Relay(make) => {
            let relay = Relay::start(server.url(), make(equivalent.name)).await;
            let relay = relay.map_err(|error| format!("no relay: {error}"))?;
            server.target_at(before.insert(relay).url()).map_err(told)?
        }
        By::Style => styles::target(server, equivalent.name).await?,
        By::Flags(_) => server.target().map_err(told)?,
    };
    let plan = match equivalent.by {
        By::Relay(_) => claiming(target),
        By::Style | By::Flags(_) => Plan::new(target),
    };
    let plan = plan
        .with_profile(equivalent.profile)
        .with_strict(true)
        .with_limits(Limits::default());
    let plan = match equivalent.by {
        By::Style => plan.with_only(styles::AREAS).map_err(|error| error.to_string())?,
        By::Relay(_) | By::Flags(_) => plan,
    };
    Ok(report_of(plan).await)
}

fn unexpected(report: &Report, equivalent: Equivalent) -> Vec<String> {
    if report.count(Verdict::Pass) == 0 {
        let reason = report.reason.as_deref().unwrap_or("nothing passed");
        return vec![format!("{}: {reason}", equivalent.name)];
    }
    let differing = report.checks.iter().filter(|check| match check.verdict {
        Verdict::Pass => false,
        // Some of them share a server, of which nobody may have the control side.
        Verdict::NotSelected => {
            check.stimulus != Stimulus::Control
                && equivalent.profile.severity(check.level, true) != Severity::NotSelected
        }
        Verdict::NotApplicable => !matches!(equivalent.by, By::Flags(_)),
        _ => true,
    });
    differing
        .map(|check| format!("{}: {} is {}", equivalent.name, check.id, told(check)))
        .collect()
}
