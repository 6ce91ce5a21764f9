use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use toml::value::Datetime;

use crate::{
    checks::check,
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

/// A baseline that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBaseline {
    /// No TOML, or not of this shape.
    #[error("{0}")]
    Shape(String),
    /// An entry for a check that does not exist.
    #[error("there is no check {0:?}: `list` shows them all; take the entry out if the check is gone")]
    UnknownCheck(String),
    /// Two entries for one check.
    #[error("{0} is listed twice: keep one entry")]
    Twice(String),
    /// An entry that does not say why.
    #[error("the entry of {0} has an empty reason: say why it fails")]
    NoReason(String),
    /// A point in time where a day belongs.
    #[error("the entry of {0} has an expires that is no day: write it as 2027-01-31, without quotes")]
    NoDay(String),
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
    check: String,
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
            let Some(check) = check(&entry.check) else {
                return Err(InvalidBaseline::UnknownCheck(entry.check));
            };
            if entry.reason.trim().is_empty() {
                return Err(InvalidBaseline::NoReason(entry.check));
            }
            let expires = match entry.expires {
                None => None,
                Some(moment) => Some(day(moment).ok_or_else(|| InvalidBaseline::NoDay(entry.check.clone()))?),
            };
            let known = KnownFailure {
                reason: entry.reason,
                issue: entry.issue,
                expires: expires.map(|day| day.to_string()),
            };
            if entries.insert(check.id, (known, expires)).is_some() {
                return Err(InvalidBaseline::Twice(entry.check));
            }
        }
        Ok(Self { entries })
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
        let mut text = String::from(
            "# Known failures, for `server --baseline`. Say in each reason why, and in issue where it is tracked.\n",
        );
        let failures = self
            .checks
            .iter()
            .filter(|check| matches!(check.verdict, Verdict::Fail | Verdict::KnownFail));
        for check in failures {
            let actual = check.failure.as_ref().map_or(String::new(), |failure| {
                format!("expected {}; got {}", failure.expected, failure.actual)
            });
            let (reason, issue) = match &check.known {
                Some(known) => (known.reason.clone(), known.issue.clone()),
                None => (shortened(&actual), String::new()),
            };
            let quoted = |text: String| toml::Value::String(text).to_string();
            text.push_str(&format!(
                "\n[[known]]\ncheck = {}\nreason = {}\nissue = {}\n",
                quoted(check.id.to_owned()),
                quoted(reason),
                quoted(issue)
            ));
            // An entry that expired has to be renewed by hand.
            if let Some(expires) = check.known.as_ref().and_then(|known| known.expires.as_ref()) {
                text.push_str(&format!("expires = {expires}\n"));
            }
        }
        text
    }
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
