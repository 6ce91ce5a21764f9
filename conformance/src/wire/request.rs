use serde_json::Value;

/// A request as a check describes it; the client adds origin, key, version and workspace.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) key: Key,
    pub(crate) version: Version,
}

/// Which key a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Right,
    Wrong,
    Absent,
}

/// Which API version a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Published,
    Unknown,
    Absent,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self {
            body: Some(body.to_string().into_bytes()),
            ..Self::new("POST", path)
        }
    }

    pub(crate) fn post_empty(path: impl Into<String>) -> Self {
        Self::new("POST", path)
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new("DELETE", path)
    }

    pub(crate) fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Resumes a stream behind this cursor.
    pub(crate) fn after(mut self, cursor: impl ToString) -> Self {
        self.headers.retain(|(name, _)| name != "last-event-id");
        self.header("last-event-id", cursor)
    }

    /// The cursor that a stream is resumed behind, if it is a number.
    pub(crate) fn cursor(&self) -> Option<u64> {
        let header = self.headers.iter().find(|(name, _)| name == "last-event-id")?;
        header.1.parse().ok()
    }

    pub(crate) fn raw_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(crate) fn key(self, key: Key) -> Self {
        Self { key, ..self }
    }

    pub(crate) fn version(self, version: Version) -> Self {
        Self { version, ..self }
    }

    fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            key: Key::Right,
            version: Version::Published,
        }
    }
}
