use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use checkfu_conformance::{Baseline, Conclusion, Plan, Report};

use crate::flags::ServerFlags;

/// The files that a report goes to, opened before the run: one that cannot be written is found out then, not after it.
pub(crate) struct ReportFiles {
    files: Vec<(&'static Form, File)>,
    /// What a baseline keeps of what was known before.
    earlier: Baseline,
}

struct Form {
    flag: &'static str,
    path: fn(&ServerFlags) -> Option<&PathBuf>,
    render: fn(&Report, &Baseline) -> Result<String, String>,
}

const BASELINE: &str = "--write-baseline";

const FORMS: [Form; 6] = [
    Form {
        flag: "--json",
        path: |flags| flags.json.as_ref(),
        render: |report, _| report.to_json().map_err(|error| error.to_string()),
    },
    Form {
        flag: "--junit",
        path: |flags| flags.junit.as_ref(),
        render: |report, _| report.to_junit().map_err(|error| error.to_string()),
    },
    Form {
        flag: "--markdown",
        path: |flags| flags.markdown.as_ref(),
        render: |report, _| Ok(report.to_markdown()),
    },
    Form {
        flag: "--html",
        path: |flags| flags.html.as_ref(),
        render: |report, _| Ok(report.to_html()),
    },
    Form {
        flag: "--badge",
        path: |flags| flags.badge.as_ref(),
        render: |report, _| Ok(report.to_badge()),
    },
    Form {
        flag: BASELINE,
        path: |flags| flags.write_baseline.as_ref(),
        render: |report, earlier| Ok(report.to_baseline_beside(earlier)),
    },
];

impl ReportFiles {
    pub(crate) fn create(flags: &ServerFlags, plan: &Plan) -> Result<Self, String> {
        let mut files = Vec::new();
        let mut earlier = plan.baseline().clone();
        if let Some(path) = &flags.write_baseline {
            earlier = earlier.joined(standing(path).map_err(|problem| {
                let path = path.display();
                format!(
                    "{BASELINE}: {path} is there, and is no baseline, so nothing takes its place: {problem}"
                )
            })?);
        }
        for form in &FORMS {
            let Some(path) = (form.path)(flags) else {
                continue;
            };
            if let Some((before, _)) = files
                .iter()
                .find(|(before, _): &&(&Form, File)| (before.path)(flags) == Some(path))
            {
                return Err(format!(
                    "{}: {} is the file of {} already",
                    form.flag,
                    path.display(),
                    before.flag
                ));
            }
            // What stands there is kept until there is something to take its place.
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path);
            let file = file
                .map_err(|error| format!("{}: {} cannot be written: {error}", form.flag, path.display()))?;
            files.push((form, file));
        }
        Ok(Self { files, earlier })
    }

    pub(crate) fn write(self, report: &Report) -> Result<(), String> {
        let judged = report.conclusion != Conclusion::NotJudged;
        // Without a judgement nothing is known of what failed before.
        let files = self
            .files
            .into_iter()
            .filter(|(form, _)| judged || form.flag != BASELINE);
        for (form, mut file) in files {
            let text = (form.render)(report, &self.earlier);
            text.and_then(|text| replace(&mut file, &text).map_err(|error| error.to_string()))
                .map_err(|problem| format!("{}: the file was not written: {problem}", form.flag))?;
        }
        Ok(())
    }
}

/// The baseline that stands in this file; an empty one where there is no file, or none with a length.
fn standing(path: &Path) -> Result<Baseline, String> {
    if !path.is_file() {
        return Ok(Baseline::default());
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Baseline::read(&text).map_err(|error| error.to_string())
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
