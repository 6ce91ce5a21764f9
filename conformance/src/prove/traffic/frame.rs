use serde_json::Value;

/// A block of an event stream as its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame(pub(crate) Vec<String>);

impl Frame {
    /// The block that this text is, without its empty line.
    pub fn read(text: &str) -> Self {
        Self(
            text.lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// No frame: the stream ends here.
    pub(crate) fn end() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn preview(data: &Value) -> Self {
        Self(vec![
            format!("event: {}", data["type"].as_str().unwrap_or_default()),
            format!("data: {data}"),
        ])
    }

    pub(crate) fn is_comment(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|line| line.starts_with(':'))
    }

    /// A frame that shows something before it is there.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.kind(), "event_start" | "event_delta")
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// Sets a field, where there is one.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        let mut lines = self.0.iter_mut();
        if let Some(line) = lines.find(|line| line.starts_with(&format!("{name}: "))) {
            *line = format!("{name}: {}", value.to_string());
        }
    }

    pub(crate) fn drop_field(&mut self, name: &str) {
        self.0.retain(|line| !line.starts_with(&format!("{name}: ")));
    }

    /// Its type.
    pub fn kind(&self) -> &str {
        self.field("event").unwrap_or_default()
    }

    /// The number in its id, or 0.
    pub fn seq(&self) -> u64 {
        self.field("id")
            .and_then(|id| id.parse().ok())
            .unwrap_or_default()
    }

    /// Changes the JSON of the data.
    pub fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let data = self
            .field("data")
            .and_then(|data| serde_json::from_str::<Value>(data).ok());
        if let Some(mut data) = data {
            change(&mut data);
            self.set("data", data);
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text: String = self.0.iter().map(|line| format!("{line}\n")).collect();
        text.push('\n');
        text.into_bytes()
    }
}
