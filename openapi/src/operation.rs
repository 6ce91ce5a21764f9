//! The operations of the document and the way from a concrete path to one of them.

use serde_json::Value;

use crate::pointer::{Pointer, resolve};

/// One method on one path template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Upper case, `GET`.
    pub method: String,
    /// The template, `/v1/sessions/{session_id}`.
    pub path: String,
    /// `operationId` of the document.
    pub id: String,
    /// `x-checkfu-source`: page and section of the published documentation this comes from.
    pub source: Option<String>,
    /// `x-checkfu-assumed`: the decision this comes from where the documentation is silent.
    pub assumed: Option<String>,
    /// `x-checkfu-capability`: what a deployment must have enabled to carry it out.
    pub capability: Option<String>,
    /// The documented statuses, ascending.
    pub statuses: Vec<u16>,
    pointer: Pointer,
}

impl Operation {
    /// Where the schema of the JSON answer of `status` stands.
    pub(crate) fn response(&self, root: &Value, status: u16) -> Body {
        let at = resolve(root, &self.pointer.child("responses").child(&status.to_string()));
        match at {
            None => Body::Undocumented,
            Some(response) => Body::of(root, &response),
        }
    }

    /// Where the schema of the JSON request body stands.
    pub(crate) fn request(&self, root: &Value) -> Body {
        match resolve(root, &self.pointer.child("requestBody")) {
            None => Body::Empty,
            Some(request) => Body::of(root, &request),
        }
    }

    /// True if `path` (no query) is an instance of the template.
    fn matches(&self, path: &str) -> bool {
        let mut template = self.path.split('/');
        let mut concrete = path.split('/');
        loop {
            match (template.next(), concrete.next()) {
                (None, None) => return true,
                (Some(wanted), Some(found)) if wanted.starts_with('{') && !found.is_empty() => {}
                (Some(wanted), Some(found)) if wanted == found => {}
                _ => return false,
            }
        }
    }

    fn parameters(&self) -> usize {
        self.path.matches('{').count()
    }
}

/// What the document says of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// No such response.
    Undocumented,
    /// No content at all.
    Empty,
    /// Content, but none of it JSON; the media types.
    Other(Vec<String>),
    /// JSON, with the place of its schema.
    Json(Pointer),
}

impl Body {
    fn of(root: &Value, holder: &Pointer) -> Self {
        let content = holder.child("content");
        let Some(Value::Object(media)) = content.lookup(root) else {
            return Self::Empty;
        };
        if media.contains_key("application/json") {
            return Self::Json(content.child("application/json").child("schema"));
        }
        Self::Other(media.keys().cloned().collect())
    }
}

/// The operation of a method and a concrete path; of several that match, the one with the fewest parameters.
pub(crate) fn find<'a>(
    operations: &'a [Operation],
    method: &str,
    path: &str,
) -> Result<&'a Operation, String> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let on_path: Vec<&Operation> = operations
        .iter()
        .filter(|operation| operation.matches(path))
        .collect();
    if on_path.is_empty() {
        return Err(format!("the document has no path like {path}"));
    }
    let fitting = on_path
        .iter()
        .filter(|operation| operation.method.eq_ignore_ascii_case(method));
    fitting
        .min_by_key(|operation| operation.parameters())
        .copied()
        .ok_or_else(|| {
            let methods: Vec<&str> = on_path
                .iter()
                .map(|operation| operation.method.as_str())
                .collect();
            format!(
                "the document has no {method} on {path}, only {}",
                methods.join(", ")
            )
        })
}

/// Every operation of a document, ordered by path and method.
pub(crate) fn operations(root: &Value) -> Vec<Operation> {
    const METHODS: [&str; 8] = [
        "delete", "get", "head", "options", "patch", "post", "put", "trace",
    ];
    let mut found = Vec::new();
    let paths = root.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten() {
        for method in METHODS {
            let Some(operation) = item.get(method) else {
                continue;
            };
            let pointer = Pointer::root().child("paths").child(path).child(method);
            found.push(operation_at(operation, method, path, pointer));
        }
    }
    found.sort_by(|left, right| (&left.path, &left.method).cmp(&(&right.path, &right.method)));
    found
}

fn operation_at(operation: &Value, method: &str, path: &str, pointer: Pointer) -> Operation {
    let text = |member: &str| operation.get(member).map(as_text);
    let responses = operation.get("responses").and_then(Value::as_object);
    let mut statuses: Vec<u16> = responses
        .into_iter()
        .flatten()
        .filter_map(|(status, _)| status.parse().ok())
        .collect();
    statuses.sort_unstable();
    Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        id: text("operationId").unwrap_or_default(),
        source: text("x-checkfu-source"),
        assumed: text("x-checkfu-assumed"),
        capability: text("x-checkfu-capability"),
        statuses,
        pointer,
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
