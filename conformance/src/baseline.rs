use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use toml::{Spanned, value::Datetime};

use crate::{
    checks::{check, checks},
    report::{CheckReport, Report},
    verdict::Verdict,
};

/// The failures that an operator knows of, read from a file of his.
///
/// ```
/// use checkfu_conformance::Baseline;
///
/// let baseline = Baseline::read(
///     r#"
///     [[known]]
///     check = "srv.resume.every-cut"
///     reason = "the gateway drops Last-Event-ID"
///     issue = "https://tracker.example/41"
///     expires = 2099-12-31
///     "#,
/// )?;
/// assert!(Baseline::read("[[known]]\ncheck = \"srv.nothing\"\nreason = \"x\"\nissue = \"\"").is_err());
/// # let _ = baseline;
/// # Ok::<(), checkfu_conformance::InvalidBaseline>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    entries: BTreeMap<&'static str, (KnownFailure, Option<NaiveDate>)>,
}

/// Why a failure is known, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KnownFailure {
    /// Why it fails.
    pub reason: String,
    /// Where it is tracked; may be empty.
    pub issue: String,
    /// The last day, in UTC, on which the entry counts, as `2027-01-31`.
    pub expires: Option<String>,
}

/// An entry that does not count any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExpiredEntry {
    /// Its check.
    pub check: &'static str,
    /// The last day, in UTC, on which it counted, as `2027-01-31`.
    pub expires: String,
}

/// A baseline that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBaseline {
    /// No TOML, or not of this shape.
    #[error("{0}")]
    Shape(String),
    /// An entry for a check that does not exist.
    #[error(
        "line {line}: there is no check {check:?}: `list` shows them all; take the entry out if the check is gone"
    )]
    UnknownCheck {
        /// What stands there.
        check: String,
        /// Where it stands, from 1.
        line: usize,
    },
    /// Two entries for one check.
    #[error("line {line}: {check} is listed twice: keep one entry")]
    Twice {
        /// The check.
        check: String,
        /// Where the second entry names it, from 1.
        line: usize,
    },
    /// An entry that does not say why.
    #[error("line {line}: the entry of {check} has an empty reason: say why it fails")]
    NoReason {
        /// The check.
        check: String,
        /// Where the entry names it, from 1.
        line: usize,
    },
    /// A point in time where a day belongs.
    #[error(
        "line {line}: the entry of {check} has an expires that is no day: write it as 2027-01-31, without quotes"
    )]
    NoDay {
        /// The check.
        check: String,
        /// Where the entry names it, from 1.
        line: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: Spanned<String>,
    reason: String,
    issue: String,
    expires: Option<Datetime>,
}

impl Baseline {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`InvalidBaseline`] for anything that cannot be meant, so that a typing error excuses nothing.
    pub fn read(text: &str) -> Result<Self, InvalidBaseline> {
        let file: File = toml::from_str(text).map_err(|error| InvalidBaseline::Shape(error.to_string()))?;
        let mut entries = BTreeMap::new();
        for entry in file.known {
            let line = line_of(text, entry.check.span().start);
            let named = entry.check.into_inner();
            let Some(check) = check(&named) else {
                return Err(InvalidBaseline::UnknownCheck { check: named, line });
            };
            if entry.reason.trim().is_empty() {
                return Err(InvalidBaseline::NoReason { check: named, line });
            }
            let expires = match entry.expires.map(day) {
                Some(None) => return Err(InvalidBaseline::NoDay { check: named, line }),
                known => known.flatten(),
            };
            let known = KnownFailure {
                reason: entry.reason,
                issue: entry.issue,
                expires: expires.map(|day| day.to_string()),
            };
            if entries.insert(check.id, (known, expires)).is_some() {
                return Err(InvalidBaseline::Twice { check: named, line });
            }
        }
        Ok(Self { entries })
    }

    /// The entries of both; where both have one for a check, this one's.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        for (check, entry) in other.entries {
            self.entries.entry(check).or_insert(entry);
        }
        self
    }

    /// The entries that expired and of which no check of the run tells, because it was left out.
    pub(crate) fn expired_beside(&self, judged: &[CheckReport], today: NaiveDate) -> Vec<ExpiredEntry> {
        let tells = |id: &str| {
            let report = judged.iter().find(|report| report.id == id);
            report.is_some_and(|report| report.verdict != Verdict::NotSelected)
        };
        let expired = self
            .entries
            .iter()
            .filter(|(check, (_, expires))| expires.is_some_and(|day| day < today) && !tells(check));
        expired
            .map(|(check, (known, _))| ExpiredEntry {
                check,
                expires: known.expires.clone().unwrap_or_default(),
            })
            .collect()
    }

    /// Takes a failure that is listed for a known one, and finds entries that have to go.
    pub(crate) fn apply(&self, report: CheckReport, today: NaiveDate) -> CheckReport {
        let Some((known, expires)) = self.entries.get(report.id) else {
            return report;
        };
        let expired = expires.filter(|expires| *expires < today);
        let stale = |why: String| (Verdict::StaleBaseline, Some(why));
        let (verdict, reason) = match (report.verdict, expired) {
            (Verdict::NotSelected, _) => return report,
            (Verdict::Fail, None) => (Verdict::KnownFail, Some(told(known))),
            (Verdict::Fail, Some(day)) => (
                Verdict::Fail,
                Some(format!("its baseline entry expired on {day}")),
            ),
            (Verdict::Pass, _) => {
                stale("it is listed in the baseline, and passes: take the entry out".to_owned())
            }
            (Verdict::Error, _) | (_, None) => (report.verdict, report.reason.clone()),
            (other, Some(day)) => stale(format!(
                "its baseline entry expired on {day}, and the check is {}: take the entry out or renew it",
                other.word()
            )),
        };
        CheckReport {
            verdict,
            reason,
            known: Some(known.clone()),
            ..report
        }
    }
}

impl Report {
    /// A baseline of the failures of this run. Entries that it was judged by keep what they say.
    pub fn to_baseline(&self) -> String {
        self.to_baseline_beside(&Baseline::default())
    }

    /// The same with those entries of an earlier one about which this run says nothing: of checks that it left out or could
    /// not decide.
    pub fn to_baseline_beside(&self, earlier: &Baseline) -> String {
        let mut text = String::from(
            "# Known failures, for `server --baseline`. Say in each reason why, and in issue where it is tracked.\n",
        );
        for check in checks() {
            let earlier = earlier.entries.get(check.id).map(|(known, _)| known);
            let report = self.check(check.id);
            let known = report.and_then(|report| report.known.as_ref()).or(earlier);
            match report.map(|report| report.verdict) {
                Some(Verdict::Fail | Verdict::KnownFail) => {
                    let known = known.cloned().unwrap_or_else(|| unexplained(report));
                    text.push_str(&entry(check.id, &known));
                }
                Some(Verdict::Pass | Verdict::Warn | Verdict::StaleBaseline) => {}
                _ => text.extend(known.map(|known| entry(check.id, known))),
            }
        }
        text
    }
}

/// The entry for a failure that nobody has explained yet.
fn unexplained(report: Option<&CheckReport>) -> KnownFailure {
    let failure = report.and_then(|report| report.failure.as_ref());
    let actual = failure.map_or(String::new(), |failure| {
        format!("expected {}; got {}", failure.expected, failure.actual)
    });
    KnownFailure {
        reason: shortened(&actual),
        issue: String::new(),
        expires: None,
    }
}

fn entry(check: &str, known: &KnownFailure) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    // An entry that expired has to be renewed by hand.
    let expires = known.expires.as_ref();
    format!(
        "\n[[known]]\ncheck = {}\nreason = {}\nissue = {}\n{}",
        quoted(check),
        quoted(&known.reason),
        quoted(&known.issue),
        expires.map_or(String::new(), |day| format!("expires = {day}\n"))
    )
}

/// The day it is, in UTC.
pub(crate) fn today() -> NaiveDate {
    DateTime::<Utc>::from(std::time::SystemTime::now()).date_naive()
}

fn told(known: &KnownFailure) -> String {
    match known.issue.is_empty() {
        true => known.reason.clone(),
        false => format!("{} ({})", known.reason, known.issue),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None if text.is_empty() => "it fails".to_owned(),
        None => text.to_owned(),
    }
}

/// The line of a place in the text, from 1.
fn line_of(text: &str, place: usize) -> usize {
    let before = text.as_bytes().get(..place).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

fn day(moment: Datetime) -> Option<NaiveDate> {
    match (moment.date, moment.time, moment.offset) {
        (Some(date), None, None) => {
            NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
