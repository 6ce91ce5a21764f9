use std::collections::BTreeMap;

use crate::{
    baseline::Baseline,
    budget::Budget,
    capability::{CAPABILITIES, Claim, UnknownCapability},
    check::Check,
    checks::checks,
    clean_up_end::CleanUpEnd,
    limits::Limits,
    pattern::fits,
    profile::{Profile, Severity},
    stimulus::{
        Stimulus,
        bench::{Bench, Bounds},
    },
    stop::Stop,
    target::Target,
};

/// What to run against which server.
///
/// ```
/// use checkfu_conformance::{Plan, Profile, Target};
///
/// let target = Target::new("http://127.0.0.1:4010", "ck_test_0123456789", "prin_1")?;
/// let plan = Plan::new(target).with_profile(Profile::Reference).with_only(["srv.resume.*"])?;
/// assert!(plan.selected().all(|check| check.area() == "resume"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) target: Target,
    pub(crate) profile: Profile,
    pub(crate) strict: bool,
    pub(crate) limits: Limits,
    pub(crate) stimulus: Stimulus,
    pub(crate) budget: Budget,
    pub(crate) claims: BTreeMap<&'static str, Claim>,
    pub(crate) baseline: Baseline,
    pub(crate) keep: bool,
    pub(crate) clean_up_end: CleanUpEnd,
    pub(crate) only: Vec<String>,
}

/// A pattern that no check fits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no check fits {0:?}: `list` shows them all; a * stands for any letters")]
pub struct UnknownCheck(String);

impl Plan {
    /// Every check, under the profile `published`, not strict, with the default limits.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            profile: Profile::default(),
            strict: false,
            limits: Limits::default(),
            stimulus: Stimulus::default(),
            budget: Budget::default(),
            claims: BTreeMap::new(),
            baseline: Baseline::default(),
            keep: false,
            clean_up_end: CleanUpEnd::default(),
            only: Vec::new(),
        }
    }

    /// Judges by this profile.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Lets contradictions of derived statements fail instead of warn.
    #[must_use]
    pub fn with_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Waits this long for things.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Executes only checks of this class and of those below; the others are inconclusive. [`Stimulus::Read`] sends nothing
    /// but `GET`.
    #[must_use]
    pub fn with_stimulus(self, stimulus: Stimulus) -> Self {
        Self { stimulus, ..self }
    }

    /// Spends no more than this.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Takes the operator's word on a capability.
    ///
    /// # Errors
    /// [`UnknownCapability`] for a name that is none.
    pub fn with_claim(mut self, capability: &str, claim: Claim) -> Result<Self, UnknownCapability> {
        let known = CAPABILITIES.into_iter().find(|id| *id == capability);
        let known = known.ok_or_else(|| UnknownCapability(capability.to_owned()))?;
        self.claims.insert(known, claim);
        Ok(self)
    }

    /// Takes the failures that this lists for known ones.
    #[must_use]
    pub fn with_baseline(self, baseline: Baseline) -> Self {
        Self { baseline, ..self }
    }

    /// Lets the cleaning up be ended before it is done.
    #[must_use]
    pub fn with_clean_up_end(self, clean_up_end: CleanUpEnd) -> Self {
        Self { clean_up_end, ..self }
    }

    /// Leaves the Sessions that the run creates as they are, instead of ending them.
    #[must_use]
    pub fn with_keep(self, keep: bool) -> Self {
        Self { keep, ..self }
    }

    /// Runs only the checks whose id is one of these, where a `*` stands for any letters. None means all.
    ///
    /// # Errors
    /// [`UnknownCheck`] for a pattern that no check fits, so that a typing error cannot select nothing.
    pub fn with_only<S: Into<String>>(
        self,
        patterns: impl IntoIterator<Item = S>,
    ) -> Result<Self, UnknownCheck> {
        let only: Vec<String> = patterns.into_iter().map(Into::into).collect();
        for pattern in &only {
            if !checks().any(|check| fits(pattern, check.id)) {
                return Err(UnknownCheck(pattern.clone()));
            }
        }
        Ok(Self { only, ..self })
    }

    /// The failures that are taken for known ones.
    pub fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    /// The same for the key's own Workspace.
    pub(crate) fn without_workspace(&self) -> Self {
        Self {
            target: self.target.clone().with_workspace(None),
            ..self.clone()
        }
    }

    /// The means to talk to the target, within the bounds.
    pub(crate) fn bench(&self) -> Result<Bench, Stop> {
        Bench::new(Bounds {
            target: self.target.clone(),
            limits: self.limits,
            budget: self.budget,
            stimulus: self.stimulus,
            claims: self.claims.clone(),
            clean_up_end: self.clean_up_end.clone(),
        })
    }

    /// How many checks the patterns select and the profile judges.
    pub fn judged(&self) -> usize {
        let judges = |check: &&Check| {
            let reachable = check.stimulus != Stimulus::Control || self.target.control.is_some();
            reachable && self.profile.severity(check.level, self.strict) != Severity::NotSelected
        };
        self.selected().filter(judges).count()
    }

    /// The checks that the patterns select, whatever the profile.
    pub fn selected(&self) -> impl Iterator<Item = &'static Check> + use<'_> {
        checks()
            .filter(|check| self.only.is_empty() || self.only.iter().any(|pattern| fits(pattern, check.id)))
    }
}
