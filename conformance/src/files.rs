use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use checkfu_conformance::{Baseline, Conclusion, Plan, Report, model::ModelReport};

use crate::{
    bounded,
    flags::{ReportFlags, ServerFlags},
};

/// The files that a report goes to, opened before the run: one that cannot be written is found out then, not after it.
pub(crate) struct ReportFiles<R>(Vec<(Form<R>, File)>);

const BASELINE: &str = "--write-baseline";

type Render<R> = Box<dyn Fn(&R) -> Result<String, String> + Send + Sync>;

/// A form of a report, and the flag that names its file.
struct Form<R> {
    flag: &'static str,
    render: Render<R>,
    /// Whether there is something to write.
    holds: fn(&R) -> bool,
}

impl ReportFiles<Report> {
    pub(crate) fn create(flags: &ServerFlags, plan: &Plan) -> Result<Self, String> {
        let mut earlier = plan.baseline().clone();
        if let Some(path) = &flags.write_baseline {
            earlier = earlier.joined(standing(path).map_err(|problem| {
                let path = path.display();
                format!(
                    "{BASELINE}: {path} is there, and is no baseline, so nothing takes its place: {problem}"
                )
            })?);
        }
        let baseline = Form {
            // Without a judgement nothing is known of what failed before.
            holds: |report: &Report| report.conclusion != Conclusion::NotJudged,
            ..form(BASELINE, move |report: &Report| {
                Ok(report.to_baseline_beside(&earlier))
            })
        };
        let junit = |report: &Report| report.to_junit().map_err(|error| error.to_string());
        let json = |report: &Report| report.to_json().map_err(|error| error.to_string());
        Self::open([
            (flags.report.json.as_ref(), form("--json", json)),
            (flags.report.junit.as_ref(), form("--junit", junit)),
            (
                flags.report.markdown.as_ref(),
                form("--markdown", |report: &Report| Ok(report.to_markdown())),
            ),
            (
                flags.html.as_ref(),
                form("--html", |report: &Report| Ok(report.to_html())),
            ),
            (
                flags.badge.as_ref(),
                form("--badge", |report: &Report| Ok(report.to_badge())),
            ),
            (flags.write_baseline.as_ref(), baseline),
        ])
    }
}

impl ReportFiles<ModelReport> {
    pub(crate) fn of_histories(flags: &ReportFlags) -> Result<Self, String> {
        let junit = |report: &ModelReport| report.to_junit().map_err(|error| error.to_string());
        let json = |report: &ModelReport| report.to_json().map_err(|error| error.to_string());
        Self::open([
            (flags.json.as_ref(), form("--json", json)),
            (flags.junit.as_ref(), form("--junit", junit)),
            (
                flags.markdown.as_ref(),
                form("--markdown", |report: &ModelReport| Ok(report.to_markdown())),
            ),
        ])
    }
}

impl<R> ReportFiles<R> {
    fn open<const N: usize>(forms: [(Option<&PathBuf>, Form<R>); N]) -> Result<Self, String> {
        let mut files: Vec<(Form<R>, File)> = Vec::new();
        let mut taken: Vec<(&PathBuf, &'static str)> = Vec::new();
        let already = |flag: &str, path: &Path, before: &str| {
            Err(format!(
                "{flag}: {} is the file of {before} already",
                path.display()
            ))
        };
        for (path, form) in forms {
            let Some(path) = path else {
                continue;
            };
            if let Some((_, before)) = taken.iter().find(|(before, _)| *before == path) {
                return already(form.flag, path, before);
            }
            // What stands there is kept until there is something to take its place.
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path);
            let file = file
                .map_err(|error| format!("{}: {} cannot be written: {error}", form.flag, path.display()))?;
            if let Some((other, _)) = files.iter().find(|(_, other)| is_same(other, &file)) {
                return already(form.flag, path, other.flag);
            }
            taken.push((path, form.flag));
            files.push((form, file));
        }
        Ok(Self(files))
    }

    pub(crate) fn write(self, report: &R) -> Result<(), String> {
        for (form, mut file) in self.0.into_iter().filter(|(form, _)| (form.holds)(report)) {
            let text = (form.render)(report);
            text.and_then(|text| replace(&mut file, &text).map_err(|error| error.to_string()))
                .map_err(|problem| format!("{}: the file was not written: {problem}", form.flag))?;
        }
        Ok(())
    }
}

/// Whether these are one file under two names.
#[cfg(unix)]
fn is_same(one: &File, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (one.metadata(), other.metadata()) {
        // To a terminal or a pipe two may write one after the other.
        (Ok(one), Ok(other)) => one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &File) -> bool {
    false
}

/// The baseline that stands in this file; an empty one where there is no file, or none with a length.
fn standing(path: &Path) -> Result<Baseline, String> {
    if !path.is_file() {
        return Ok(Baseline::default());
    }
    let text = bounded::read(path, bounded::BASELINE).map_err(|error| error.to_string())?;
    Baseline::read(&text).map_err(|error| error.to_string())
}

fn form<R>(
    flag: &'static str,
    render: impl Fn(&R) -> Result<String, String> + Send + Sync + 'static,
) -> Form<R> {
    Form {
        flag,
        render: Box::new(render),
        holds: |_| true,
    }
}

fn replace(file: &mut File, text: &str) -> io::Result<()> {
    // A pipe or a terminal has no length.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(text.as_bytes())?;
    match file.metadata()?.is_file() {
        // Some file systems find out late that there is no room.
        true => file.sync_all(),
        false => file.flush(),
    }
}
