use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

use checkfu_conformance::{Conclusion, Report};

use crate::flags::ServerFlags;

/// The files that a report goes to, opened before the run: one that cannot be written is found out then, not after it.
pub(crate) struct ReportFiles(Vec<(&'static Form, File)>);

struct Form {
    flag: &'static str,
    path: fn(&ServerFlags) -> Option<&PathBuf>,
    render: fn(&Report) -> Result<String, String>,
}

const BASELINE: &str = "--write-baseline";

const FORMS: [Form; 6] = [
    Form {
        flag: "--json",
        path: |flags| flags.json.as_ref(),
        render: |report| report.to_json().map_err(|error| error.to_string()),
    },
    Form {
        flag: "--junit",
        path: |flags| flags.junit.as_ref(),
        render: |report| report.to_junit().map_err(|error| error.to_string()),
    },
    Form {
        flag: "--markdown",
        path: |flags| flags.markdown.as_ref(),
        render: |report| Ok(report.to_markdown()),
    },
    Form {
        flag: "--html",
        path: |flags| flags.html.as_ref(),
        render: |report| Ok(report.to_html()),
    },
    Form {
        flag: "--badge",
        path: |flags| flags.badge.as_ref(),
        render: |report| Ok(report.to_badge()),
    },
    Form {
        flag: BASELINE,
        path: |flags| flags.write_baseline.as_ref(),
        render: |report| Ok(report.to_baseline()),
    },
];

impl ReportFiles {
    pub(crate) fn create(flags: &ServerFlags) -> Result<Self, String> {
        let mut files = Vec::new();
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
        Ok(Self(files))
    }

    pub(crate) fn write(self, report: &Report) -> Result<(), String> {
        let judged = report.conclusion != Conclusion::NotJudged;
        // Without a judgement nothing is known of what failed before.
        let files = self
            .0
            .into_iter()
            .filter(|(form, _)| judged || form.flag != BASELINE);
        for (form, mut file) in files {
            let text = (form.render)(report);
            text.and_then(|text| replace(&mut file, &text).map_err(|error| error.to_string()))
                .map_err(|problem| format!("{}: the file was not written: {problem}", form.flag))?;
        }
        Ok(())
    }
}

fn replace(file: &mut File, text: &str) -> io::Result<()> {
    // A pipe or a terminal has no length.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(text.as_bytes())
}
