use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ListFlags {
    /// Only what fits: an id such as srv.resume.every-cut, its first parts such as srv.resume, or either with a * for any
    /// letters. Mutants fit by their own names or by those of the checks that have to fail on them.
    #[arg(value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// The broken servers of `prove` instead, each with the checks that have to fail on it.
    #[arg(long)]
    pub(crate) mutants: bool,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
