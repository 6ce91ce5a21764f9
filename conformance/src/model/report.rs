mod bundle;
mod document;
mod text;

pub use bundle::BundleError;
pub use document::{Case, ModelReport, Shrinking};
