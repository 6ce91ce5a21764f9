use std::sync::Arc;

/// One dispatched block of an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    event: String,
    data: String,
    id: Arc<str>,
    has_id_line: bool,
}

impl Block {
    /// The event type; `message` where the block named none.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// Whether the block named a type of its own; `message`, which a block without a name has, is none.
    pub fn names_event(&self) -> bool {
        self.event != DEFAULT_EVENT
    }

    /// The data lines, joined with LF.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The last event id at the time of the block; it may come from an earlier block.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether this block itself carried an accepted `id` line, an empty or repeated one included.
    pub fn has_id_line(&self) -> bool {
        self.has_id_line
    }
}

const DEFAULT_EVENT: &str = "message";

/// The block under construction, and what outlives a block.
#[derive(Debug)]
pub(super) struct Pending {
    event: String,
    data: String,
    id: Option<Arc<str>>,
    last_event_id: Arc<str>,
    retry: Option<u64>,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            event: String::new(),
            data: String::new(),
            id: None,
            last_event_id: Arc::from(""),
            retry: None,
        }
    }
}

impl Pending {
    /// The bytes kept for the block under construction.
    pub(super) fn held(&self) -> usize {
        self.event.len() + self.data.len() + self.id.as_ref().map_or(0, |id| id.len())
    }

    /// Takes one line that is not empty.
    pub(super) fn field(&mut self, line: &[u8]) {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match name {
            b"data" => {
                self.data.push_str(&String::from_utf8_lossy(value));
                self.data.push('\n');
            }
            b"event" => self.event = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => self.id = Some(Arc::from(&*String::from_utf8_lossy(value))),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                if let Some(retry) = std::str::from_utf8(value)
                    .ok()
                    .and_then(|digits| digits.parse().ok())
                {
                    self.retry = Some(retry);
                }
            }
            _ => {}
        }
    }

    /// Ends the block. A block without data is no event, but its id counts.
    pub(super) fn dispatch(&mut self) -> Option<Block> {
        let id = self.id.take();
        let has_id_line = id.is_some();
        if let Some(id) = id {
            self.last_event_id = id;
        }
        let mut event = std::mem::take(&mut self.event);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        if event.is_empty() {
            event.push_str(DEFAULT_EVENT);
        }
        Some(Block {
            event,
            data,
            id: Arc::clone(&self.last_event_id),
            has_id_line,
        })
    }

    pub(super) fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    pub(super) fn retry(&self) -> Option<u64> {
        self.retry
    }
}
