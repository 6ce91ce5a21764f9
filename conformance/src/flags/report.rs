use std::path::PathBuf;

use clap::Args;

/// Where a report goes beside stdout.
#[derive(Debug, Args)]
pub(crate) struct ReportFlags {
    /// Writes the report as JSON to this file too; `schema` prints the JSON Schema of a server's, `schema model` that of
    /// histories.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes it as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Writes it in Markdown; that of a server is a conformance statement.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}
