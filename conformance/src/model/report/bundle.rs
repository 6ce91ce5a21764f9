use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::document::ModelReport;
use crate::repeat::quoted;

/// A bundle that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be written: {error}; name another directory", path.display())]
pub struct BundleError {
    path: PathBuf,
    error: io::Error,
}

impl ModelReport {
    /// Writes the histories in which something was found, each whole and shrunk, and beside them the report with seed and
    /// versions, to a directory that is made if it is not there. Returns the files of the whole histories, then those of
    /// the shrunk ones.
    ///
    /// # Errors
    /// [`BundleError`] names the file that could not be written.
    pub fn write_bundle(&self, directory: &Path) -> Result<Vec<PathBuf>, BundleError> {
        let refuse = |path: &Path| {
            let path = path.to_owned();
            |error| BundleError { path, error }
        };
        fs::create_dir_all(directory).map_err(refuse(directory))?;
        let (mut whole, mut shrunk) = (Vec::new(), Vec::new());
        for case in &self.cases {
            let path = directory.join(format!("history-{}.jsonl", case.name));
            fs::write(&path, case.history.to_jsonl()).map_err(refuse(&path))?;
            whole.push(path);
            if let Some(history) = &case.shrunk {
                let path = directory.join(format!("history-{}.shrunk.jsonl", case.name));
                fs::write(&path, history.to_jsonl()).map_err(refuse(&path))?;
                shrunk.push(path);
            }
        }
        let document = serde_json::json!({
            "format": 1,
            "suite": env!("CARGO_PKG_VERSION"),
            "conclusion": self.conclusion(),
            "report": self,
        });
        let path = directory.join("bundle.json");
        fs::write(&path, format!("{document:#}\n")).map_err(refuse(&path))?;
        whole.append(&mut shrunk);
        Ok(whole)
    }

    /// The command that judges what was written to this directory as it was judged here, for a shell.
    pub fn judge_again(&self, directory: &Path) -> String {
        let strict = if self.strict { " --strict" } else { "" };
        format!(
            "checkfu-conformance check-history --profile {}{strict} {}/history-*.jsonl",
            self.profile,
            quoted(&directory.display().to_string())
        )
    }
}
