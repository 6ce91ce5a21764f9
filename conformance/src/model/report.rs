use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    anomaly::{ANOMALIES, Property},
    checker::{Finding, check},
    history::History,
    shrink::shrunk,
};
use crate::{
    Secret,
    profile::{Profile, Severity},
    report::{Cut, ExitStatus},
    verdict::{Conclusion, Verdict},
};

mod bundle;
mod text;

pub use bundle::BundleError;

/// What histories say of a server, property by property.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ModelReport {
    /// The server; none where histories were read from files.
    pub url: Option<String>,
    /// Names the run in all that it created.
    pub run_id: String,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// What contradictions count as.
    pub profile: Profile,
    /// Whether derived statements fail instead of warn.
    pub strict: bool,
    /// How many histories were judged.
    pub histories: usize,
    /// How many could not be played, and why the last could not.
    pub not_played: Option<(usize, String)>,
    /// How often each property was put to the test.
    pub decided: BTreeMap<Property, usize>,
    /// The histories in which something was found.
    pub cases: Vec<Case>,
    /// Why there is no judgement.
    pub reason: Option<String>,
    #[serde(skip)]
    cut: Option<Cut>,
}

/// A history in which something was found.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Case {
    /// Its number in the run, or its file.
    pub name: String,
    /// What was found, without what the profile leaves out.
    pub findings: Vec<Finding>,
    /// The history, key and all else that must not be shown masked.
    #[serde(skip)]
    pub history: History,
    /// As much of it as still shows the first finding.
    #[serde(skip)]
    pub shrunk: Option<History>,
    #[serde(skip)]
    number: Option<u64>,
    #[serde(skip)]
    decided: BTreeMap<Property, usize>,
}

impl ModelReport {
    pub(super) fn new(profile: Profile, strict: bool) -> Self {
        Self {
            url: None,
            run_id: String::new(),
            seed: None,
            profile,
            strict,
            histories: 0,
            not_played: None,
            decided: BTreeMap::new(),
            cases: Vec::new(),
            reason: None,
            cut: None,
        }
    }

    /// What became of a property. It passes only by what was put to the test.
    pub fn verdict(&self, property: Property) -> Verdict {
        let severities = ANOMALIES.iter().filter(|anomaly| anomaly.property == property);
        let mut severities = severities.map(|anomaly| self.profile.severity(anomaly.level, self.strict));
        if severities.all(|severity| severity == Severity::NotSelected) {
            return Verdict::NotSelected;
        }
        let findings = self.cases.iter().flat_map(|case| &case.findings);
        let of_property = findings.filter(|finding| finding.property == property);
        let worst = of_property.map(|finding| self.weight(finding)).max();
        match (worst, self.decided.get(&property)) {
            (Some(verdict), _) => verdict,
            (None, None | Some(0)) => Verdict::Inconclusive,
            (None, Some(_)) => Verdict::Pass,
        }
    }

    /// What the histories as a whole say about the server.
    pub fn conclusion(&self) -> Conclusion {
        Conclusion::of(self.verdicts())
    }

    /// The exit status.
    pub fn exit(&self) -> ExitStatus {
        ExitStatus::of(&self.verdicts(), self.cut)
    }

    /// Those of the properties and of what was not played; none where there is no judgement.
    fn verdicts(&self) -> Vec<Verdict> {
        if self.reason.is_some() || self.histories == 0 {
            return Vec::new();
        }
        let missing = self.not_played.is_some().then_some(Verdict::Inconclusive);
        let properties = Property::ALL.map(|property| self.verdict(property));
        properties.into_iter().chain(missing).collect()
    }

    pub(super) fn judge(&mut self, mut case: Case) {
        self.histories += 1;
        for (property, count) in &case.decided {
            *self.decided.entry(*property).or_default() += count;
        }
        case.findings
            .retain(|finding| self.profile.severity(finding.level, self.strict) != Severity::NotSelected);
        if let Some(first) = case.findings.first() {
            case.shrunk = shrunk(&case.history, first);
            self.cases.push(case);
            self.cases
                .sort_by(|one, other| (one.number, &one.name).cmp(&(other.number, &other.name)));
        }
    }

    pub(super) fn not_judged(&mut self, reason: String) {
        self.reason = Some(reason);
    }

    pub(super) fn not_played(&mut self, why: String) {
        let before = self.not_played.take().map_or(0, |(count, _)| count);
        self.not_played = Some((before + 1, why));
    }

    pub(super) fn cut(&mut self, cut: Cut) {
        self.cut = Some(cut);
    }

    fn weight(&self, finding: &Finding) -> Verdict {
        match self.profile.severity(finding.level, self.strict) {
            Severity::Fails => Verdict::Fail,
            Severity::Warns => Verdict::Warn,
            Severity::NotSelected => Verdict::NotSelected,
        }
    }
}

impl Case {
    /// A history that was just played; a server may have sent the key back.
    pub(super) fn played(number: u64, history: History, key: &Secret) -> Self {
        let text = history.to_jsonl();
        let masked = key.redact(&text);
        // Masking changes no structure, so what is masked parses as the rest did.
        let history = match masked == text {
            true => history,
            false => History::parse(&masked).unwrap_or(history),
        };
        Self {
            number: Some(number),
            ..Self::read(number.to_string(), history)
        }
    }

    pub(super) fn read(name: String, history: History) -> Self {
        let judgement = check(&history);
        Self {
            name,
            findings: judgement.findings,
            decided: judgement.decided,
            history,
            shrunk: None,
            number: None,
        }
    }
}
