//! A decoder that reads like the standard's own steps: the whole input at once, no speed, nothing clever.

/// One dispatched block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) event: String,
    pub(crate) data: String,
    /// The last event id at dispatch, which an earlier block may have set.
    pub(crate) id: String,
    /// True if this block held an id line that counts.
    pub(crate) has_id_line: bool,
}

/// What a stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) frames: Vec<Frame>,
    pub(crate) last_event_id: String,
    pub(crate) retry: Option<u64>,
}

pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);

    let mut decoded = Decoded {
        frames: Vec::new(),
        last_event_id: String::new(),
        retry: None,
    };
    let mut event = String::new();
    let mut data = String::new();
    let mut id: Option<String> = None;
    for line in complete_lines(text) {
        if line.is_empty() {
            let has_id_line = id.is_some();
            if let Some(id) = id.take() {
                decoded.last_event_id = id;
            }
            let event = std::mem::take(&mut event);
            let mut data = std::mem::take(&mut data);
            if data.is_empty() {
                continue;
            }
            data.truncate(data.len() - 1);
            decoded.frames.push(Frame {
                event: if event.is_empty() {
                    "message".to_owned()
                } else {
                    event
                },
                data,
                id: decoded.last_event_id.clone(),
                has_id_line,
            });
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => event = value.to_owned(),
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                decoded.retry = value.parse().ok();
            }
            _ => {}
        }
    }
    decoded
}

/// The lines that end with CRLF, LF or CR; what follows the last of them is no line yet.
fn complete_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\r', '\n']) {
        lines.push(&rest[..end]);
        rest = if rest[end..].starts_with("\r\n") {
            &rest[end + 2..]
        } else {
            &rest[end + 1..]
        };
    }
    lines
}
