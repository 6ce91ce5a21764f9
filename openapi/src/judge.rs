//! The judge: values against the schemas of the document.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Registry, Validator};
use serde_json::Value;

use crate::closing::close_document;
use crate::document::{Document, DocumentError};
use crate::explain::explain;
use crate::operation::{Body, Operation, find};
use crate::pointer::Pointer;
use crate::violation::Violations;

const DOCUMENT_URI: &str = "urn:checkfu:openapi";

/// Judges JSON values by the document.
///
/// An open judge reads the document as a client does: unknown members, enum values and event types pass. A closed
/// judge takes it as the whole truth, as a server's own tests must: an extra or misspelt member, an enum value or an
/// event type that the document does not name is a violation. Both assert `format`.
///
/// A schema is compiled when it is first asked for and kept.
///
/// ```
/// use checkfu_openapi::Judge;
/// use serde_json::json;
///
/// let judge = Judge::open()?;
/// let violations = judge.check("SessionPage", &json!({"data": []})).unwrap_err();
/// assert!(violations.to_string().contains("next_page"));
/// # Ok::<(), checkfu_openapi::DocumentError>(())
/// ```
pub struct Judge {
    document: Document,
    operations: Vec<Operation>,
    registry: Registry<'static>,
    compiled: Mutex<BTreeMap<Pointer, Arc<Validator>>>,
}

impl Judge {
    /// A judge that accepts what it does not know.
    ///
    /// # Errors
    ///
    /// [`DocumentError`] if the document in this crate is unusable.
    pub fn open() -> Result<Self, DocumentError> {
        Self::new(|_| {})
    }

    /// A judge that refuses what the document does not name.
    ///
    /// # Errors
    ///
    /// [`DocumentError`] if the document in this crate is unusable.
    pub fn closed() -> Result<Self, DocumentError> {
        Self::new(close_document)
    }

    /// The document, as published.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Judges a value by a schema of `components.schemas`.
    ///
    /// # Errors
    ///
    /// Every violation found, or a single one if there is no schema of that name.
    pub fn check(&self, schema: &str, value: &Value) -> Result<(), Violations> {
        if self.document.schema(schema).is_none() {
            return Err(Violations::single(
                schema,
                "the document has no schema of this name",
            ));
        }
        self.judge(schema, &Pointer::component("schemas", schema), value)
    }

    /// True if [`Judge::check`] finds nothing; faster, as it stops at the first violation.
    #[must_use]
    pub fn accepts(&self, schema: &str, value: &Value) -> bool {
        self.document.schema(schema).is_some()
            && self
                .validator(&Pointer::component("schemas", schema))
                .is_ok_and(|validator| validator.is_valid(value))
    }

    /// Judges a persisted event. Violations are those of the schema that its `type` selects; an unknown type falls to
    /// `UnknownEvent`, which a closed judge refuses.
    ///
    /// # Errors
    ///
    /// Every violation found.
    pub fn check_event(&self, value: &Value) -> Result<(), Violations> {
        self.check("Event", value)
    }

    /// Judges the data of a stream frame: a preview (`event_start`, `event_delta`) or a persisted event.
    ///
    /// # Errors
    ///
    /// Every violation found.
    pub fn check_frame(&self, value: &Value) -> Result<(), Violations> {
        self.check("StreamFrame", value)
    }

    /// Judges the JSON body of an answer. `path` is concrete and may carry a query; a bodyless answer is `null`.
    ///
    /// # Errors
    ///
    /// Every violation of the schema; or a single one if the document has no such path, method or status, or
    /// documents no JSON for it (the frames of a stream go to [`Judge::check_frame`]).
    pub fn check_response(
        &self,
        method: &str,
        path: &str,
        status: u16,
        body: &Value,
    ) -> Result<(), Violations> {
        let subject = format!("{method} {path} {status}");
        let operation =
            find(&self.operations, method, path).map_err(|reason| Violations::single(&subject, reason))?;
        match operation.response(self.document.root(), status) {
            Body::Undocumented => {
                let known: Vec<String> = operation.statuses.iter().map(u16::to_string).collect();
                let reason = format!(
                    "{} documents no {status}, only {}",
                    operation.id,
                    known.join(", ")
                );
                Err(Violations::single(&subject, reason))
            }
            documented => self.check_body(&subject, documented, body),
        }
    }

    /// Judges the JSON body of a request. `path` is concrete and may carry a query; a bodyless request is `null`.
    ///
    /// # Errors
    ///
    /// As [`Judge::check_response`].
    pub fn check_request(&self, method: &str, path: &str, body: &Value) -> Result<(), Violations> {
        let subject = format!("{method} {path}");
        let operation =
            find(&self.operations, method, path).map_err(|reason| Violations::single(&subject, reason))?;
        self.check_body(&subject, operation.request(self.document.root()), body)
    }

    /// The operation that a method and a concrete path lead to.
    #[must_use]
    pub fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        find(&self.operations, method, path).ok()
    }

    fn new(prepare: impl FnOnce(&mut Value)) -> Result<Self, DocumentError> {
        let document = Document::parse()?;
        let mut prepared = document.root().clone();
        prepare(&mut prepared);
        let registry = Registry::new()
            .draft(Draft::Draft202012)
            .add(DOCUMENT_URI, prepared)
            .and_then(|builder| builder.prepare())
            .map_err(|error| DocumentError::Schema {
                pointer: String::new(),
                reason: error.to_string(),
            })?;
        let operations = document.operations();
        Ok(Self {
            document,
            operations,
            registry,
            compiled: Mutex::default(),
        })
    }

    fn check_body(&self, subject: &str, documented: Body, body: &Value) -> Result<(), Violations> {
        match documented {
            Body::Json(schema) => self.judge(subject, &schema, body),
            Body::Empty | Body::Undocumented if body.is_null() => Ok(()),
            Body::Empty | Body::Undocumented => {
                Err(Violations::single(subject, "the document has no body here"))
            }
            Body::Other(media) => {
                let reason = format!("the document has {} here, not JSON", media.join(", "));
                Err(Violations::single(subject, reason))
            }
        }
    }

    fn judge(&self, subject: &str, schema: &Pointer, value: &Value) -> Result<(), Violations> {
        let validator = self
            .validator(schema)
            .map_err(|error| Violations::single(subject, error.to_string()))?;
        let found = validator
            .iter_errors(value)
            .flat_map(|error| explain(&error))
            .collect();
        Violations::collect(subject, found).map_or(Ok(()), Err)
    }

    fn validator(&self, schema: &Pointer) -> Result<Arc<Validator>, DocumentError> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(schema) {
            return Ok(Arc::clone(validator));
        }
        let reference = serde_json::json!({"$ref": format!("{DOCUMENT_URI}#{}", schema.as_fragment())});
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_registry(&self.registry)
            .build(&reference)
            .map_err(|error| DocumentError::Schema {
                pointer: schema.to_string(),
                reason: error.to_string(),
            })?;
        let validator = Arc::new(validator);
        compiled.insert(schema.clone(), Arc::clone(&validator));
        Ok(validator)
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Judge")
            .field("operations", &self.operations.len())
            .finish_non_exhaustive()
    }
}
