use std::{fs::File, io::Write, path::PathBuf};

use checkfu_conformance::Report;

use crate::flags::ServerFlags;

/// The files that a report goes to, opened before the run: one that cannot be written is found out then, not after it.
pub(crate) struct ReportFiles(Vec<(&'static Form, File)>);

struct Form {
    flag: &'static str,
    path: fn(&ServerFlags) -> Option<&PathBuf>,
    render: fn(&Report) -> Result<String, String>,
}

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
        flag: "--write-baseline",
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
            let file = File::create(path)
                .map_err(|error| format!("{}: {} cannot be written: {error}", form.flag, path.display()))?;
            files.push((form, file));
        }
        Ok(Self(files))
    }

    pub(crate) fn write(self, report: &Report) -> Result<(), String> {
        for (form, mut file) in self.0 {
            let text = (form.render)(report);
            text.and_then(|text| file.write_all(text.as_bytes()).map_err(|error| error.to_string()))
                .map_err(|problem| format!("{}: the file was not written: {problem}", form.flag))?;
        }
        Ok(())
    }
}
