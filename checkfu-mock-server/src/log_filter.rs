//! What to log, as the command line says it.

use std::str::FromStr;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// A level, or directives such as `target=level` separated by commas.
#[derive(Debug, Clone)]
pub(crate) struct LogFilter(String);

impl LogFilter {
    /// The filter itself.
    pub(crate) fn filter(&self) -> EnvFilter {
        EnvFilter::new(&self.0)
    }
}

impl FromStr for LogFilter {
    type Err = String;

    /// A lone word has to be a level: taken for a target, as the library would, a misspelt level would log nothing.
    fn from_str(text: &str) -> Result<Self, String> {
        for directive in text.split(',').map(str::trim) {
            let lone = !directive.contains(['=', '[']);
            if lone && LevelFilter::from_str(directive).is_err() || directive.is_empty() {
                return Err(format!(
                    "{directive:?} is no level: write off, error, warn, info, debug or trace, or target=level"
                ));
            }
        }
        match EnvFilter::try_new(text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(error) => Err(error.to_string()),
        }
    }
}
