use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

/// Reads a member that a client can do without: a value of the wrong kind counts as absent.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// The JSON of a resource as the server sent it, unknown members included.
#[derive(Debug, Clone)]
pub(crate) struct Raw(Box<RawValue>);

impl Raw {
    pub(crate) fn new(raw: Box<RawValue>) -> Self {
        Self(raw)
    }

    pub(crate) fn as_value(&self) -> &RawValue {
        &self.0
    }

    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}
