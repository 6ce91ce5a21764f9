use std::fmt::Write as _;

use crate::verdict::Verdict;

use super::{
    account::{self, bounds, proof},
    document::{CheckReport, Report},
    statement::{Area, conclusion, facts, judged, listed, meaning, statement, unjudged, with},
};

impl Report {
    /// The report as a conformance statement in Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Checkfu conformance statement\n\n**{}**\n\n",
            cell(&conclusion(self))
        );
        if let Some(reason) = &self.reason {
            let _ = writeln!(text, "{}\n", cell(reason));
        }
        text.push_str("| | |\n| --- | --- |\n");
        for (name, value) in facts(self) {
            let _ = writeln!(text, "| {name} | {} |", cell(&value));
        }
        text.push_str("\n## What was allowed and spent\n\n| | |\n| --- | --- |\n");
        for (name, value) in bounds(self) {
            let _ = writeln!(text, "| {name} | {} |", cell(&value));
        }
        left(self, &mut text);
        areas(self, &mut text);
        capabilities(self, &mut text);
        for (title, verdicts) in [
            ("Failed", &[Verdict::Fail, Verdict::Error][..]),
            ("Known failures", &[Verdict::KnownFail]),
            ("Stale entries of the baseline", &[Verdict::StaleBaseline]),
            ("Warnings", &[Verdict::Warn]),
        ] {
            section(self, title, verdicts, &mut text);
        }
        let undecided = with(
            self,
            &[
                Verdict::Inconclusive,
                Verdict::Blocked,
                Verdict::NotApplicable,
                Verdict::NotSelected,
            ],
        );
        if !undecided.is_empty() {
            text.push_str("\n## Not judged in this run\n\n| check | verdict | why |\n| --- | --- | --- |\n");
            for check in undecided {
                let why = check.reason.as_deref().unwrap_or("the profile leaves it out");
                let _ = writeln!(
                    text,
                    "| `{}` | {} | {} |",
                    check.id,
                    check.verdict.word(),
                    cell(why)
                );
            }
        }
        requirements(self, &mut text);
        let _ = writeln!(text, "\n## Proof of the checks\n\n{}", proof(self).told());
        let _ = writeln!(
            text,
            "\n## Again\n\n```sh\nexport CHECKFU_API_KEY=… CHECKFU_PRINCIPAL_ID=…\n{}\n```",
            self.reproduce
        );
        text
    }
}

fn left(report: &Report, text: &mut String) {
    let _ = writeln!(text, "\n{}.", account::left_line(report));
    let untouched = account::left(report).untouched;
    if !untouched.is_empty() {
        text.push('\n');
        for (id, why) in untouched {
            let _ = writeln!(text, "- `{id}` was left as it was: {}", cell(&why));
        }
    }
}

fn capabilities(report: &Report, text: &mut String) {
    if report.capabilities.is_empty() {
        return;
    }
    text.push_str(
        "\n## Capabilities\n\n| capability | claim | listed | probe | result | why |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for row in &report.capabilities {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            cell(row.id),
            row.claim.word(),
            listed(row.advertised),
            row.probe.word(),
            row.result.word(),
            cell(&row.reason)
        );
    }
}

fn areas(report: &Report, text: &mut String) {
    let columns = Area::columns(report);
    if columns.is_empty() {
        return;
    }
    text.push_str("\n## By area\n\n| area |");
    for verdict in &columns {
        let _ = write!(text, " {} |", verdict.word());
    }
    let _ = writeln!(text, "\n| --- |{}", " ---: |".repeat(columns.len()));
    for area in Area::all(report) {
        let _ = write!(text, "| {} |", area.name);
        for count in area.counts {
            let _ = if count == 0 {
                write!(text, " · |")
            } else {
                write!(text, " {count} |")
            };
        }
        text.push('\n');
    }
}

fn section(report: &Report, title: &str, verdicts: &[Verdict], text: &mut String) {
    let checks = with(report, verdicts);
    if checks.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {title}");
    for check in checks {
        one(check, text);
    }
}

fn one(check: &CheckReport, text: &mut String) {
    let _ = writeln!(
        text,
        "\n### {}\n\n{} ({})\n",
        check.id,
        cell(check.title),
        check.level
    );
    for id in &check.requirements {
        let _ = writeln!(text, "- {id}: {}", cell(statement(id)));
    }
    if let Some(reason) = &check.reason {
        let _ = writeln!(text, "\n{}", cell(reason));
    }
    if let Some(failure) = &check.failure {
        let told = format!(
            "expected: {}\nactual:   {}\n\n{}\n\n{}",
            failure.expected,
            failure.actual,
            failure.wire.trim_end(),
            failure.reproduce
        );
        let fence = fence(&told);
        let _ = writeln!(text, "\n{fence}text\n{told}\n{fence}");
    }
}

fn requirements(report: &Report, text: &mut String) {
    text.push_str("\n## Requirements\n\n| id | level | statement | verdict | checks |\n| --- | --- | --- | --- | --- |\n");
    for row in judged(report) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            row.requirement.id,
            row.requirement.level,
            cell(&row.requirement.statement),
            row.verdict.word(),
            row.checks
                .iter()
                .map(|id| format!("`{id}`"))
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let unjudged = unjudged();
    if !unjudged.is_empty() {
        text.push_str("\nThe suite has no check for these, so nothing is said about them:\n\n");
        for row in unjudged {
            let _ = writeln!(
                text,
                "- {} ({}): {}",
                row.id,
                meaning(row.level),
                cell(&row.statement)
            );
        }
    }
}

/// Text that stays text, and on one line.
pub(crate) fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' => {
                safe.push('\\');
                safe.push(character);
            }
            _ if character.is_control() => safe.push(' '),
            _ => safe.push(character),
        }
    }
    safe
}

/// More back-ticks than the text has in a row.
fn fence(text: &str) -> String {
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("no ticks"), "```");
        assert_eq!(fence("```` and ``"), "`````");
    }

    #[test]
    fn a_cell_is_one_line_without_markup() {
        assert_eq!(cell("a|b\n<i>*c*"), "a\\|b \\<i\\>\\*c\\*");
    }
}
