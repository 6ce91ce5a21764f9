mod bundle;
mod document;
mod json;
mod junit;
mod markdown;
mod text;

pub use bundle::BundleError;
pub use document::{Case, ModelReport, Shrinking};
pub use json::MODEL_REPORT_SCHEMA_JSON;
