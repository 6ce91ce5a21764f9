use std::fmt::{self, Write as _};

use crate::{
    capability::CAPABILITIES,
    checks::{check, checks},
    level::Level,
    requirement::requirement,
    trace::{Sentence, resolve, sentences},
    verdict::Verdict,
};

use super::{
    account::{bounds, left, left_line},
    document::{CheckReport, Report},
    statement::{Area, conclusion, identity, listed, statement},
};

/// The report as a table for people: areas with counts, then every check that did not pass, then the conclusion.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strict = if self.strict { ", strict" } else { "" };
        writeln!(
            formatter,
            "{} {} against {}",
            self.suite.name, self.suite.version, self.url
        )?;
        writeln!(
            formatter,
            "profile {}{strict}, run {}, {} ms\n",
            self.profile, self.run_id, self.duration_ms
        )?;
        for (name, value) in identity(self).into_iter().chain(bounds(self)) {
            writeln!(formatter, "{:<16} {value}", name.to_lowercase())?;
        }
        writeln!(formatter)?;
        table(self, formatter)?;
        capabilities(self, formatter)?;
        let told = self
            .checks
            .iter()
            .filter(|check| !matches!(check.verdict, Verdict::Pass | Verdict::NotSelected));
        for check in told {
            writeln!(formatter)?;
            unpassed(check, formatter)?;
        }
        let left = left(self);
        writeln!(formatter, "\n{}", left_line(self))?;
        for (id, why) in left.untouched {
            writeln!(formatter, "  left {id}: {why}")?;
        }
        if let Some(reason) = &self.reason {
            writeln!(formatter, "\n{reason}")?;
        }
        writeln!(formatter, "\n{} (exit {})", conclusion(self), self.exit.code())
    }
}

fn table(report: &Report, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    if report.checks.is_empty() {
        return writeln!(formatter, "no check was run");
    }
    write!(formatter, "{:<14}", "area")?;
    for verdict in Area::columns(report) {
        write!(formatter, "{:>14}", verdict.word())?;
    }
    writeln!(formatter)?;
    for area in Area::all(report) {
        write!(formatter, "{:<14}", area.name)?;
        for count in area.counts {
            match count {
                0 => write!(formatter, "{:>14}", "·")?,
                count => write!(formatter, "{count:>14}")?,
            }
        }
        writeln!(formatter)?;
    }
    Ok(())
}

fn capabilities(report: &Report, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    if report.capabilities.is_empty() {
        return Ok(());
    }
    writeln!(
        formatter,
        "\n{:<18}{:<7}{:<14}{:<12}{:<14}why",
        "capability", "claim", "listed", "probe", "result"
    )?;
    for row in &report.capabilities {
        writeln!(
            formatter,
            "{:<18}{:<7}{:<14}{:<12}{:<14}{}",
            row.id,
            row.claim.word(),
            listed(row.advertised),
            row.probe.word(),
            row.result.word(),
            row.reason
        )?;
    }
    Ok(())
}

fn unpassed(check: &CheckReport, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        formatter,
        "{} {} ({})",
        check.verdict.word(),
        check.id,
        check.level
    )?;
    writeln!(formatter, "  {}", check.title)?;
    for id in &check.requirements {
        writeln!(formatter, "  {id}: {}", statement(id))?;
    }
    if let Some(reason) = &check.reason {
        writeln!(formatter, "  reason:    {reason}")?;
    }
    // A blocked check only repeats what the check that it waits for shows in full.
    if let Some(failure) = check
        .failure
        .as_ref()
        .filter(|_| check.verdict != Verdict::Blocked)
    {
        writeln!(formatter, "  expected:  {}", failure.expected)?;
        writeln!(formatter, "  actual:    {}", failure.actual)?;
        for line in failure.wire.lines() {
            writeln!(formatter, "    {line}")?;
        }
        writeln!(formatter, "  reproduce: {}", failure.reproduce)?;
    }
    Ok(())
}

/// What the suite knows of a check, of a capability, of a requirement or of a sentence of the pages, for people.
pub fn explain(id: &str) -> Option<String> {
    let mut text = String::new();
    if let Some(check) = check(id) {
        let _ = writeln!(text, "{} ({})\n  {}", check.id(), check.level(), check.title());
        for id in check.requirements() {
            let _ = writeln!(text, "  {id}: {}", statement(id));
        }
        let _ = writeln!(
            text,
            "  stimulus {}: it {}",
            check.stimulus(),
            check.stimulus().does()
        );
        let needs = match check.needs() {
            needs if needs.is_empty() => "no capability that a deployment may leave off".to_owned(),
            needs => format!("{}; it does not apply without", needs.join(", ")),
        };
        let _ = writeln!(text, "  needs {needs}");
        let _ = writeln!(text, "  a contradiction {}", consequence(check.level()));
        let _ = writeln!(text, "  shown to fail on: {}", check.killed_by().join(", "));
        return Some(text);
    }
    if CAPABILITIES.contains(&id) {
        let needing: String = checks()
            .filter(|check| check.needs().contains(&id))
            .map(|check| format!("  needed by {}\n", check.id()))
            .collect();
        return Some(match needing.is_empty() {
            true => format!(
                "{id} (capability)\n  a deployment may leave it off; no check needs it yet\n  \
                 --capability {id}=on is compared with GET /v1/capabilities by srv.capability.claimed-but-refused; off changes nothing\n"
            ),
            false => format!(
                "{id} (capability)\n  a deployment may leave it off; its checks do not apply then\n  \
                 --capability {id}=on claims that it is there: a refusal fails srv.capability.claimed-but-refused\n  \
                 --capability {id}=off claims that it is not: its checks are not executed\n  \
                 --capability {id}=auto, the default, goes by GET /v1/capabilities and by a refusal 403 capability.disabled\n{needing}"
            ),
        });
    }
    if let Some(sentence) = sentences().iter().find(|sentence| sentence.id == id) {
        return Some(explain_sentence(sentence));
    }
    let row = requirement(id)?;
    let _ = writeln!(
        text,
        "{} ({}, {})\n  {}",
        row.id, row.level, row.source, row.statement
    );
    let said: Vec<&str> = sentences()
        .iter()
        .filter(|sentence| sentence.named().contains(&id))
        .map(|sentence| sentence.id.as_str())
        .collect();
    if !said.is_empty() {
        let _ = writeln!(text, "  said in {}", said.join(", "));
    }
    let judged: Vec<_> = checks()
        .filter(|check| check.requirements().contains(&id))
        .collect();
    if judged.is_empty() {
        text.push_str("  no check yet\n");
    }
    for check in judged {
        let how = match check.level() <= row.level {
            true => "proven by",
            false => "less firmly checked by",
        };
        let _ = writeln!(text, "  {how} {} ({})", check.id(), check.level());
    }
    Some(text)
}

fn explain_sentence(sentence: &Sentence) -> String {
    let mut text = format!(
        "{} ({}, {})\n  {}\n",
        sentence.id, sentence.level, sentence.page, sentence.paraphrase
    );
    for id in sentence.named() {
        let statement = requirement(id).map_or("", |row| row.statement.as_str());
        let _ = writeln!(text, "  {id}: {statement}");
    }
    let resolution = resolve(sentence);
    let _ = write!(text, "  {}", resolution.state.word());
    for part in [resolution.checks.join(", "), resolution.note] {
        if !part.is_empty() {
            let _ = write!(text, ": {part}");
        }
    }
    text.push('\n');
    text
}

fn consequence(level: Level) -> &'static str {
    match level {
        Level::Documented => "fails the run",
        Level::Derived => "is a warning, and fails the run with --strict or under the profile reference",
        Level::Assumed => "fails the run under the profile reference; other profiles leave the check out",
    }
}
