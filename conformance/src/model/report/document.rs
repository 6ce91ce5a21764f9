use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{
    absence::Absence,
    anomaly::{ANOMALIES, Property},
    checker::{Finding, check},
    history::History,
    shrink::shrunk,
};
use crate::{
    Budget, Secret, Spending,
    profile::{Profile, Severity},
    report::{Cut, ExitStatus},
    verdict::{Conclusion, Verdict},
};

/// So many histories are kept whatever they show.
const KEPT: usize = 50;
/// So many are shrunk, since each takes as long as hundreds of judgements.
pub(super) const SHRUNK: usize = 5;

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
    /// The histories in which something was found; from a certain number on only those that show something new.
    pub cases: Vec<Case>,
    /// How many more there were.
    pub more: usize,
    /// So many of them are shrunk, the first in which something was found.
    pub shrunk_at_most: usize,
    /// How many of the Sessions that the run created could not be ended, or why nothing was ended; none where they were to
    /// be kept.
    #[serde(skip)]
    pub(in crate::model) left: Option<Result<usize, String>>,
    /// The command that plays the same histories, without what picks them.
    #[serde(skip)]
    pub(in crate::model) repeat: Option<String>,
    /// What the server need not have and has not.
    #[serde(skip)]
    pub(in crate::model) absence: Absence,
    /// Why there is no judgement.
    pub reason: Option<String>,
    /// Whether that is a matter of what the operator gave.
    #[serde(skip)]
    pub(in crate::model) misconfigured: bool,
    /// What the run might spend; none where histories were read from files.
    pub budget: Option<Budget>,
    /// What it spent.
    pub spent: Option<Spending>,
    #[serde(skip)]
    cut: Option<(Cut, String)>,
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
    /// Whether there is less of it that shows the same.
    pub shrinking: Shrinking,
    #[serde(skip)]
    pub(super) number: Option<u64>,
    #[serde(skip)]
    decided: BTreeMap<Property, usize>,
}

/// What became of the search for less of a history that shows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shrinking {
    /// There is less.
    Shrunk,
    /// All of it is needed.
    Smallest,
    /// It was not searched for: that is done for the first histories alone.
    NotTried,
}

impl ModelReport {
    pub(in crate::model) fn new(profile: Profile, strict: bool) -> Self {
        Self {
            url: None,
            run_id: String::new(),
            seed: None,
            profile,
            strict,
            histories: 0,
            not_played: None,
            left: None,
            repeat: None,
            decided: BTreeMap::new(),
            cases: Vec::new(),
            more: 0,
            shrunk_at_most: SHRUNK,
            absence: Absence::default(),
            reason: None,
            misconfigured: false,
            budget: None,
            spent: None,
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
            (None, None | Some(0)) if self.absence.of(property).is_some() => Verdict::NotApplicable,
            (None, None | Some(0)) => Verdict::Inconclusive,
            (None, Some(_)) => Verdict::Pass,
        }
    }

    /// Why a property does not apply, if it does not.
    pub(super) fn why_not(&self, property: Property) -> Option<String> {
        let applies = self.verdict(property) != Verdict::NotApplicable;
        self.absence.of(property).filter(|_| !applies)
    }

    /// How often a property was put to the test.
    pub(super) fn times(&self, property: Property) -> usize {
        self.decided.get(&property).copied().unwrap_or(0)
    }

    /// What the histories as a whole say about the server.
    pub fn conclusion(&self) -> Conclusion {
        match (self.histories, &self.cut) {
            (0, Some((Cut::Interrupted, _))) => Conclusion::NotJudged,
            _ => Conclusion::of(self.verdicts()),
        }
    }

    /// The exit status.
    pub fn exit(&self) -> ExitStatus {
        if self.misconfigured {
            return ExitStatus::Usage;
        }
        ExitStatus::of(&self.verdicts(), self.cut.as_ref().map(|(cut, _)| *cut))
    }

    /// Those of the properties and of what was not played; none where there is no judgement.
    fn verdicts(&self) -> Vec<Verdict> {
        let nothing = self.histories == 0 && self.cut.is_none();
        if self.reason.is_some() || nothing {
            return Vec::new();
        }
        let missing = self.not_played.is_some() || self.cut.is_some();
        let missing = missing.then_some(Verdict::Inconclusive);
        let properties = Property::ALL.map(|property| self.verdict(property));
        properties.into_iter().chain(missing).collect()
    }

    pub(in crate::model) fn judge(&mut self, mut case: Case) {
        self.histories += 1;
        self.absence.note(&case.history);
        for (property, count) in &case.decided {
            *self.decided.entry(*property).or_default() += count;
        }
        case.findings
            .retain(|finding| self.profile.severity(finding.level, self.strict) != Severity::NotSelected);
        let Some(first) = case.findings.first() else {
            return;
        };
        if self.cases.len() >= KEPT && self.knows_all_of(&case) {
            self.more += 1;
            return;
        }
        if self.cases.len() < SHRUNK {
            case.shrunk = shrunk(&case.history, first);
            case.shrinking = match case.shrunk {
                Some(_) => Shrinking::Shrunk,
                None => Shrinking::Smallest,
            };
        }
        self.cases.push(case);
        self.cases
            .sort_by(|one, other| (one.number, &one.name).cmp(&(other.number, &other.name)));
    }

    pub(in crate::model) fn not_judged(&mut self, reason: String) {
        self.reason = Some(reason);
    }

    pub(in crate::model) fn not_played(&mut self, why: String) {
        let before = self.not_played.take().map_or(0, |(count, _)| count);
        self.not_played = Some((before + 1, why));
    }

    /// What ended the run before its last history, for people.
    pub(super) fn cut_short(&self) -> Option<&str> {
        self.cut.as_ref().map(|(_, why)| why.as_str())
    }

    pub(in crate::model) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    pub(in crate::model) fn cut(&mut self, cut: Cut, why: String) {
        self.cut = Some((cut, why));
    }

    /// How many of the histories were not shrunk for want of time.
    pub(super) fn not_shrunk(&self) -> usize {
        let cases = self.cases.iter();
        cases.filter(|case| case.shrinking == Shrinking::NotTried).count()
    }

    fn knows_all_of(&self, case: &Case) -> bool {
        let known: BTreeSet<&str> = self.cases.iter().flat_map(Case::anomalies).collect();
        case.anomalies().all(|anomaly| known.contains(anomaly))
    }

    pub(super) fn weight(&self, finding: &Finding) -> Verdict {
        match self.profile.severity(finding.level, self.strict) {
            Severity::Fails => Verdict::Fail,
            Severity::Warns => Verdict::Warn,
            Severity::NotSelected => Verdict::NotSelected,
        }
    }
}

impl Case {
    fn anomalies(&self) -> impl Iterator<Item = &'static str> {
        self.findings.iter().map(|finding| finding.anomaly)
    }

    /// A history that was just played; a server may have sent the key back.
    pub(in crate::model) fn played(number: u64, history: History, key: &Secret) -> Self {
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

    pub(in crate::model) fn read(name: String, history: History) -> Self {
        let judgement = check(&history);
        Self {
            name,
            findings: judgement.findings,
            decided: judgement.decided,
            history,
            shrunk: None,
            shrinking: Shrinking::NotTried,
            number: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forged(name: &str) -> Case {
        let path = format!("{}/tests/histories/{name}.must.jsonl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        Case::read(name.to_owned(), History::parse(&text).unwrap())
    }

    /// A server that is broken in every history costs neither memory nor time without end, and hides no other fault.
    #[test]
    fn many_histories_that_show_the_same_are_counted_and_a_new_anomaly_is_kept() {
        let mut report = ModelReport::new(Profile::Published, false);
        for _ in 0..KEPT + 7 {
            report.judge(forged("lost-write"));
        }
        report.judge(forged("page-gap"));
        assert_eq!((report.cases.len(), report.more), (KEPT + 1, 7));
        assert_eq!(report.histories, KEPT + 8);
        assert_eq!(report.verdict(Property::Paging), Verdict::Fail);
        assert!(report.to_string().contains("7 further histories"), "{report}");
    }

    /// Who looks for the rest of the shrunk histories learns that there are none, in the output and in the bundle.
    #[test]
    fn a_report_says_which_histories_were_not_shrunk() {
        let mut report = ModelReport::new(Profile::Published, false);
        report.seed = Some(1);
        for _ in 0..SHRUNK {
            report.judge(forged("page-gap"));
        }
        assert!(!report.to_string().contains("not shrunk"), "{report}");
        report.judge(forged("lost-write"));
        report.judge(forged("vanished"));
        let told = "2 of these histories are not shrunk, only the first 5 are: lost-write, vanished";
        assert!(report.to_string().contains(told), "{report}");
        let directory = tempfile::tempdir().unwrap();
        report.write_bundle(directory.path()).unwrap();
        let bundle = std::fs::read(directory.path().join("bundle.json")).unwrap();
        let bundle: serde_json::Value = serde_json::from_slice(&bundle).unwrap();
        let cases = bundle["report"]["cases"].as_array().unwrap();
        let not_tried: Vec<_> = cases
            .iter()
            .filter(|case| case["shrinking"] == "not_tried")
            .collect();
        assert_eq!(not_tried.len(), 2, "{bundle:#}");
        assert_eq!(bundle["report"]["shrunk_at_most"], SHRUNK);
    }

    /// What the profile leaves out is neither found nor passed.
    #[test]
    fn the_profile_decides_what_a_finding_counts_as() {
        let verdict = |profile, strict, name, property| {
            let mut report = ModelReport::new(profile, strict);
            report.judge(forged(name));
            report.verdict(property)
        };
        let of = |profile, strict| verdict(profile, strict, "stale-read", Property::FreshReads);
        assert_eq!(of(Profile::Published, false), Verdict::Warn);
        assert_eq!(of(Profile::Published, true), Verdict::Fail);
        let of = |profile| verdict(profile, false, "fork-copy-differs", Property::Fork);
        assert_eq!(of(Profile::Published), Verdict::Pass);
        assert_eq!(of(Profile::Reference), Verdict::Fail);
        let of = |profile| verdict(profile, false, "lost-write", Property::Fork);
        assert_eq!(of(Profile::Reference), Verdict::Inconclusive);
    }
}
