use std::fmt::{self, Write as _};

use crate::{
    capability::Offer,
    verdict::{Conclusion, Verdict},
};

use super::{
    account::{bounds, left, left_line, proof},
    document::{CheckReport, Report},
    statement::{Area, conclusion, facts, judged, listed, meaning, seconds, statement, unjudged, with},
};

const STYLE: &str = include_str!("html/style.css");

impl Report {
    /// The report as a conformance statement: one HTML page that needs nothing else, no script, no network.
    pub fn to_html(&self) -> String {
        let mut page = String::new();
        // Writing to a string has no error.
        let _ = write_page(self, &mut page);
        page
    }
}

fn write_page(report: &Report, page: &mut String) -> fmt::Result {
    let word = report.conclusion.word();
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} · Checkfu conformance</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"{}\">\n<p>Checkfu conformance statement</p>\n<h1>{}</h1>\n<p>{}</p>\n",
        Text(word),
        tone(report.conclusion),
        Text(word),
        Text(&conclusion(report)),
    )?;
    if let Some(reason) = &report.reason {
        writeln!(page, "<p>{}</p>", Text(reason))?;
    }
    page.push_str("<dl>\n");
    for (name, value) in facts(report) {
        writeln!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(&value))?;
    }
    page.push_str("</dl>\n</header>\n<main>\n");
    account(report, page)?;
    areas(report, page)?;
    capabilities(report, page)?;
    contradictions(report, page)?;
    undecided(report, page)?;
    passed(report, page)?;
    requirements(report, page)?;
    writeln!(
        page,
        "<section id=\"proof\">\n<h2>Proof of the checks</h2>\n<p>{}</p>\n</section>",
        Text(&proof(report).told())
    )?;
    writeln!(
        page,
        "<section id=\"again\">\n<h2>Again</h2>\n<pre>export CHECKFU_API_KEY=… CHECKFU_PRINCIPAL_ID=…\n{}</pre>\n\
         </section>\n</main>\n</body>\n</html>",
        Text(&report.reproduce)
    )
}

fn account(report: &Report, page: &mut String) -> fmt::Result {
    page.push_str("<section id=\"account\">\n<h2>What was allowed and spent</h2>\n<dl>\n");
    for (name, value) in bounds(report) {
        writeln!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(&value))?;
    }
    writeln!(page, "</dl>\n<p>{}.</p>", Text(&left_line(report)))?;
    let untouched = left(report).untouched;
    if !untouched.is_empty() {
        page.push_str("<details>\n<summary>Sessions that were left as they were</summary>\n<ul>\n");
        for (id, why) in untouched {
            writeln!(page, "<li><code>{}</code> {}</li>", Text(&id), Text(&why))?;
        }
        page.push_str("</ul>\n</details>\n");
    }
    page.push_str("</section>\n");
    Ok(())
}

fn capabilities(report: &Report, page: &mut String) -> fmt::Result {
    if report.capabilities.is_empty() {
        return Ok(());
    }
    page.push_str("<section id=\"capabilities\">\n<h2>Capabilities</h2>\n<table>\n<thead><tr>");
    for column in ["capability", "claim", "listed", "probe", "result", "why"] {
        write!(page, "<th scope=\"col\">{column}</th>")?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &report.capabilities {
        let tone = match row.result {
            Offer::On => "good",
            Offer::Off => "none",
            Offer::Undeclared | Offer::Unknown => "open",
            Offer::Contradicted => "bad",
        };
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td class=\"{tone}\">{}</td><td>{}</td></tr>",
            Text(row.id),
            row.claim.word(),
            listed(row.advertised),
            row.probe.word(),
            row.result.word(),
            Text(&row.reason)
        )?;
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn areas(report: &Report, page: &mut String) -> fmt::Result {
    let columns = Area::columns(report);
    if columns.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<section id=\"areas\">\n<h2>By area</h2>\n<table>\n<thead><tr><th scope=\"col\">area</th>",
    );
    for verdict in &columns {
        write!(page, "<th scope=\"col\" class=\"number\">{}</th>", verdict.word())?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for area in Area::all(report) {
        write!(page, "<tr><th scope=\"row\">{}</th>", Text(area.name))?;
        for (count, verdict) in area.counts.iter().zip(&columns) {
            match count {
                0 => page.push_str("<td class=\"number\">·</td>"),
                count => write!(page, "<td class=\"number {}\">{count}</td>", class(*verdict))?,
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn contradictions(report: &Report, page: &mut String) -> fmt::Result {
    for (id, title, verdicts) in [
        (
            "contradictions",
            "What was wrong",
            &[Verdict::Fail, Verdict::Error, Verdict::Warn][..],
        ),
        ("known", "Known failures", &[Verdict::KnownFail]),
        (
            "stale",
            "Stale entries of the baseline",
            &[Verdict::StaleBaseline],
        ),
    ] {
        let checks = with(report, verdicts);
        if !checks.is_empty() {
            writeln!(page, "<section id=\"{id}\">\n<h2>{title}</h2>")?;
            articles(checks, page)?;
            page.push_str("</section>\n");
        }
    }
    Ok(())
}

fn articles(checks: Vec<&CheckReport>, page: &mut String) -> fmt::Result {
    for check in checks {
        writeln!(
            page,
            "<article id=\"{0}\">\n<h3><span class=\"verdict {1}\">{2}</span> {0}</h3>\n<p>{3} ({4})</p>\n<ul>",
            Text(check.id),
            class(check.verdict),
            check.verdict.word(),
            Text(check.title),
            check.level
        )?;
        for id in &check.requirements {
            writeln!(
                page,
                "<li><a href=\"#{0}\">{0}</a> {1}</li>",
                Text(id),
                Text(statement(id))
            )?;
        }
        page.push_str("</ul>\n");
        if let Some(reason) = &check.reason {
            writeln!(page, "<p>{}</p>", Text(reason))?;
        }
        if let Some(failure) = &check.failure {
            writeln!(
                page,
                "<dl class=\"comparison\"><div><dt>expected</dt><dd>{}</dd></div><div><dt>actual</dt><dd>{}</dd></div></dl>\n\
                 <pre>{}</pre>\n<pre>{}</pre>",
                Text(&failure.expected),
                Text(&failure.actual),
                Text(failure.wire.trim_end()),
                Text(&failure.reproduce)
            )?;
        }
        page.push_str("</article>\n");
    }
    Ok(())
}

fn undecided(report: &Report, page: &mut String) -> fmt::Result {
    let verdicts = [
        Verdict::Inconclusive,
        Verdict::Blocked,
        Verdict::NotApplicable,
        Verdict::NotSelected,
    ];
    let checks = with(report, &verdicts);
    if checks.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<section id=\"undecided\">\n<h2>Not judged in this run</h2>\n<table>\n<thead><tr><th scope=\"col\">check</th>\
         <th scope=\"col\">verdict</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n",
    );
    for check in checks {
        let why = check.reason.as_deref().unwrap_or("the profile leaves it out");
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td class=\"{}\">{}</td><td>{}</td></tr>",
            Text(check.id),
            class(check.verdict),
            check.verdict.word(),
            Text(why)
        )?;
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn passed(report: &Report, page: &mut String) -> fmt::Result {
    let checks = with(report, &[Verdict::Pass]);
    if checks.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<section id=\"passed\">\n<h2>What was seen</h2>\n<p>A check passes by what it saw on the wire and by nothing else. \
         Each is also known to fail: on the broken servers that stand in its last column.</p>\n<table>\n<thead><tr>\
         <th scope=\"col\">check</th><th scope=\"col\">seen</th><th scope=\"col\" class=\"number\">seconds</th>\
         <th scope=\"col\">fails on</th></tr></thead>\n<tbody>\n",
    );
    for check in checks {
        seen(check, page)?;
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn seen(check: &CheckReport, page: &mut String) -> fmt::Result {
    write!(
        page,
        "<tr id=\"{0}\"><th scope=\"row\">{0}<br><small>{1}</small></th><td><ul>",
        Text(check.id),
        Text(check.title)
    )?;
    for witness in &check.witnesses {
        write!(
            page,
            "<li>{} <small>{}, exchange {}</small></li>",
            Text(witness.text()),
            Text(witness.call()),
            witness.exchange()
        )?;
    }
    writeln!(
        page,
        "</ul></td><td class=\"number\">{:.2}</td><td>{}</td></tr>",
        seconds(check.duration_ms),
        Text(&check.killed_by.join(", "))
    )
}

fn requirements(report: &Report, page: &mut String) -> fmt::Result {
    page.push_str(
        "<section id=\"requirements\">\n<h2>Requirements</h2>\n<table>\n<thead><tr><th scope=\"col\">id</th>\
         <th scope=\"col\">level</th><th scope=\"col\">statement</th><th scope=\"col\">verdict</th>\
         <th scope=\"col\">checks</th></tr></thead>\n<tbody>\n",
    );
    for row in judged(report) {
        write!(
            page,
            "<tr id=\"{0}\"><th scope=\"row\">{0}</th><td title=\"{1}\">{2}</td><td>{3}</td><td class=\"{4}\">{5}</td><td>",
            Text(&row.requirement.id),
            meaning(row.requirement.level),
            row.requirement.level,
            Text(&row.requirement.statement),
            class(row.verdict),
            row.verdict.word()
        )?;
        for id in row.checks {
            write!(page, "<a href=\"#{0}\">{0}</a> ", Text(id))?;
        }
        page.push_str("</td></tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
    let unjudged = unjudged();
    if !unjudged.is_empty() {
        page.push_str("<details>\n<summary>Requirements that the suite has no check for, so that nothing is said about them</summary>\n<ul>\n");
        for row in unjudged {
            writeln!(page, "<li>{} {}</li>", Text(&row.id), Text(&row.statement))?;
        }
        page.push_str("</ul>\n</details>\n");
    }
    page.push_str("</section>\n");
    Ok(())
}

fn tone(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Conformant => "good",
        Conclusion::Partial | Conclusion::StaleBaseline => "open",
        Conclusion::Nonconformant => "bad",
        Conclusion::NotJudged => "none",
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "good",
        Verdict::Warn | Verdict::Inconclusive | Verdict::Blocked | Verdict::StaleBaseline => "open",
        Verdict::Fail | Verdict::KnownFail | Verdict::Error => "bad",
        Verdict::NotSelected | Verdict::NotApplicable => "none",
    }
}

/// Text that stays text, in elements and in quoted attributes.
struct Text<'t>(&'t str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                '\n' | '\t' => formatter.write_char(character)?,
                _ if character.is_control() => formatter.write_char('\u{fffd}')?,
                _ => formatter.write_char(character)?,
            }
        }
        Ok(())
    }
}
