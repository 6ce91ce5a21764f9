use super::*;
use crate::judgement::blank;

const ID: &str = "srv.resume.every-cut";

fn entry(rest: &str) -> String {
    format!("[[known]]\ncheck = \"{ID}\"\nreason = \"a gateway\"\nissue = \"T-1\"\n{rest}")
}

fn on(day: &str) -> NaiveDate {
    day.parse().unwrap()
}

fn judged(text: &str, verdict: Verdict) -> CheckReport {
    let check = check(ID).unwrap();
    let report = blank(check, verdict, None);
    Baseline::read(text).unwrap().apply(report, on("2027-01-31"))
}

#[test]
fn what_cannot_be_meant_is_refused_and_says_why() {
    for (text, part) in [
        (
            "[[known]]\ncheck = \"srv.nothing\"\nreason = \"x\"\nissue = \"\"",
            "line 2: there is no check \"srv.nothing\": `list`",
        ),
        ("[[knwon]]", "knwon"),
        (&*entry("expire = 2027-01-01"), "expire"),
        (
            &*entry("expires = 2027-01-01T00:00:00Z"),
            "line 2: the entry of srv.resume.every-cut has an expires that is no day",
        ),
        (&*entry("expires = 12:00:00"), "no day"),
        (
            &*(entry("") + &entry("")),
            "line 6: srv.resume.every-cut is listed twice",
        ),
        (&*entry("").replace("a gateway", " "), "empty reason"),
        (
            "[[known]]\ncheck = \"srv.resume.every-cut\"\nreason = \"x\"",
            "issue",
        ),
    ] {
        let error = Baseline::read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    assert!(Baseline::read("").unwrap().entries.is_empty());
}

#[test]
fn a_listed_failure_is_known_until_its_last_day_is_over() {
    let known = judged(&entry("expires = 2027-01-31"), Verdict::Fail);
    assert_eq!(known.verdict, Verdict::KnownFail);
    assert_eq!(known.reason.as_deref(), Some("a gateway (T-1)"));
    let expired = judged(&entry("expires = 2027-01-30"), Verdict::Fail);
    assert_eq!(expired.verdict, Verdict::Fail);
    assert!(expired.reason.unwrap().contains("expired on 2027-01-30"));
}

#[test]
fn an_entry_that_is_not_needed_is_stale() {
    assert_eq!(judged(&entry(""), Verdict::Pass).verdict, Verdict::StaleBaseline);
    let expired = entry("expires = 2027-01-30");
    for verdict in [
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Inconclusive,
        Verdict::NotApplicable,
    ] {
        assert_eq!(
            judged(&expired, verdict).verdict,
            Verdict::StaleBaseline,
            "{verdict:?}"
        );
    }
    for verdict in [
        Verdict::Warn,
        Verdict::Inconclusive,
        Verdict::NotApplicable,
        Verdict::Error,
    ] {
        assert_eq!(judged(&entry(""), verdict).verdict, verdict);
    }
    assert_eq!(
        judged(&expired, Verdict::NotSelected).verdict,
        Verdict::NotSelected
    );
    assert_eq!(judged(&expired, Verdict::Error).verdict, Verdict::Error);
}

#[test]
fn checks_that_are_not_listed_are_left_alone() {
    let baseline = Baseline::read(&entry("")).unwrap();
    for check in checks().filter(|check| check.id != ID) {
        let report = baseline.apply(blank(check, Verdict::Fail, None), on("2027-01-31"));
        assert_eq!(report.verdict, Verdict::Fail);
    }
}

#[test]
fn a_written_reason_is_short_and_never_empty() {
    assert_eq!(shortened(&"ü".repeat(300)).chars().count(), 201);
    assert_eq!(shortened(""), "it fails");
}
