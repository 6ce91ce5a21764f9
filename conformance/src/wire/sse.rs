use std::ops::Range;

/// One block of an event stream, from its first line to the empty line that ends it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    /// The `id` field as sent in this block, if any; a value with NUL is no id.
    pub(crate) id: Option<String>,
    /// The `event` field as sent in this block, if any.
    pub(crate) event: Option<String>,
    /// The `data` lines, joined by line feeds.
    pub(crate) data: String,
    /// How many `data` lines there were.
    pub(crate) data_lines: usize,
    /// The names of the fields in the order in which they were sent.
    pub(crate) fields: Vec<String>,
    /// Where the block stands in the body.
    pub(crate) bytes: Range<usize>,
    /// Whether a byte of it was not UTF-8.
    pub(crate) invalid_utf8: bool,
}

/// What the reader met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// A block with at least one `data` line.
    Frame(Frame),
    /// A block of fields without `data`, which the format drops.
    Empty(Frame),
    /// A comment line, without its colon.
    Comment(String),
}

/// Decodes `text/event-stream` from bytes split anywhere.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    position: usize,
    block: Option<Frame>,
    after_carriage_return: bool,
    started: bool,
}

impl Reader {
    /// Takes the next bytes and returns what they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Item> {
        let mut items = Vec::new();
        for &byte in bytes {
            self.position += 1;
            let second_half = std::mem::take(&mut self.after_carriage_return) && byte == b'\n';
            if second_half {
                continue;
            }
            match byte {
                b'\r' | b'\n' => {
                    self.after_carriage_return = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    self.end_line(&line, &mut items);
                }
                _ => self.line.push(byte),
            }
        }
        items
    }

    /// Whether the bytes so far end inside a block, which the format discards at the end of the body.
    pub(crate) fn is_mid_block(&self) -> bool {
        self.block.is_some() || !self.line.is_empty()
    }

    fn end_line(&mut self, line: &[u8], items: &mut Vec<Item>) {
        let length = line.len() + 1;
        let mark = "\u{feff}".as_bytes();
        let line = match std::mem::replace(&mut self.started, true) {
            false => line.strip_prefix(mark).unwrap_or(line),
            true => line,
        };
        if line.is_empty() {
            if let Some(mut frame) = self.block.take() {
                frame.bytes.end = self.position;
                items.push(if frame.data_lines > 0 {
                    Item::Frame(frame)
                } else {
                    Item::Empty(frame)
                });
            }
            return;
        }
        let text = String::from_utf8_lossy(line);
        if let Some(comment) = text.strip_prefix(':') {
            items.push(Item::Comment(comment.to_owned()));
            return;
        }
        let start = self.position - length;
        let frame = self.block.get_or_insert_with(|| Frame {
            bytes: start..start,
            ..Frame::default()
        });
        frame.invalid_utf8 |= matches!(text, std::borrow::Cow::Owned(_));
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, value.strip_prefix(' ').unwrap_or(value)),
            None => (text.as_ref(), ""),
        };
        frame.fields.push(name.to_owned());
        match name {
            "id" if !value.contains('\0') => frame.id = Some(value.to_owned()),
            "event" => frame.event = Some(value.to_owned()),
            "data" => {
                if frame.data_lines > 0 {
                    frame.data.push('\n');
                }
                frame.data_lines += 1;
                frame.data.push_str(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
