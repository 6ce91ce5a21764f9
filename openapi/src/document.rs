//! The parsed OpenAPI document and what can be listed from it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::operation::{Operation, operations};

/// The OpenAPI 3.1 document, as published, byte for byte.
///
/// ```
/// assert!(checkfu_openapi::DOCUMENT.starts_with("openapi: 3.1"));
/// ```
pub const DOCUMENT: &str = include_str!("../openapi.yaml");

/// The document parsed into JSON.
///
/// ```
/// let document = checkfu_openapi::Document::parse()?;
/// assert!(document.schema("Session").is_some());
/// # Ok::<(), checkfu_openapi::DocumentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    root: Value,
}

impl Document {
    /// Parses [`DOCUMENT`].
    ///
    /// # Errors
    ///
    /// [`DocumentError::Parse`] if the text is no YAML, [`DocumentError::Incomplete`] if a section that the judge
    /// reads is absent. A test of this crate keeps both from happening to the published document.
    pub fn parse() -> Result<Self, DocumentError> {
        let root: Value =
            serde_saphyr::from_str(DOCUMENT).map_err(|error| DocumentError::Parse(error.to_string()))?;
        for section in ["/openapi", "/paths", "/components/schemas"] {
            if root.pointer(section).is_none() {
                return Err(DocumentError::Incomplete(section));
            }
        }
        Ok(Self { root })
    }

    /// The whole document as JSON.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// One schema of `components.schemas`, untouched; `None` if there is none of that name.
    #[must_use]
    pub fn schema(&self, name: &str) -> Option<&Value> {
        self.root.get("components")?.get("schemas")?.get(name)
    }

    /// The names in `components.schemas`, sorted.
    #[must_use]
    pub fn schema_names(&self) -> Vec<&str> {
        let schemas = self
            .root
            .pointer("/components/schemas")
            .and_then(Value::as_object);
        let mut names: Vec<&str> = schemas
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// Every persisted event type with the name of its schema (`run.created` to `RunCreatedEvent`).
    #[must_use]
    pub fn event_types(&self) -> BTreeMap<&str, &str> {
        self.mapping("KnownEvent")
    }

    /// The discriminator values of a union schema with the name of the schema of each; empty for any other schema.
    #[must_use]
    pub fn mapping(&self, union: &str) -> BTreeMap<&str, &str> {
        let mapping = self
            .schema(union)
            .and_then(|schema| schema.pointer("/discriminator/mapping")?.as_object());
        mapping
            .into_iter()
            .flatten()
            .filter_map(|(value, target)| Some((value.as_str(), schema_name(target.as_str()?))))
            .collect()
    }

    /// Every error code, in the order of the document.
    #[must_use]
    pub fn error_codes(&self) -> Vec<ErrorCode> {
        let listed = self
            .schema("ErrorCode")
            .and_then(|schema| schema.get("x-checkfu-errors")?.as_object());
        let one = |(code, it): (&String, &Value)| {
            Some(ErrorCode {
                code: code.clone(),
                status: it.get("status")?.as_u64()?.try_into().ok()?,
                error_type: it.get("type")?.as_str()?.to_owned(),
                retryable: it.get("retryable")?.as_bool()?,
            })
        };
        listed.into_iter().flatten().filter_map(one).collect()
    }

    /// Every operation, ordered by path and method.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        operations(&self.root)
    }
}

/// One code of the `code` member of error bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorCode {
    /// The code, `runtime.stale_wait`.
    pub code: String,
    /// The HTTP status that it comes with.
    pub status: u16,
    /// The class of the error, `conflict_error`.
    pub error_type: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// The document in this crate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is no YAML; the parser's words.
    #[error("openapi.yaml is not YAML: {0}")]
    Parse(String),
    /// A section is absent; its JSON pointer.
    #[error("openapi.yaml has no {0}")]
    Incomplete(&'static str),
    /// A schema cannot be compiled; its JSON pointer and the reason.
    #[error("openapi.yaml holds an unusable schema at {pointer}: {reason}")]
    Schema {
        /// Where the schema stands.
        pointer: String,
        /// What the compiler said.
        reason: String,
    },
}

/// The schema name at the end of a reference, or the text itself if it is a bare name.
fn schema_name(reference: &str) -> &str {
    reference
        .strip_prefix("#/components/schemas/")
        .unwrap_or(reference)
}
