//! The blocks of an event stream, taken apart and put together again.

use bytes::{BufMut, Bytes, BytesMut};

use super::effect::{Format, LineEnds, Spacing};

/// One block: a comment, a preview or a durable event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Field names and values; a comment's name is empty.
    pub(super) fields: Vec<(Bytes, Bytes)>,
}

impl Block {
    /// A block of these fields.
    pub(super) fn of(fields: &[(&'static str, String)]) -> Self {
        Self {
            fields: fields
                .iter()
                .map(|(name, value)| (Bytes::from_static(name.as_bytes()), Bytes::from(value.clone())))
                .collect(),
        }
    }

    /// Reads what the server itself wrote: LF, one space.
    pub(super) fn parse(text: &Bytes) -> Self {
        let mut fields = Vec::new();
        let mut start = 0;
        for line in text.split(|byte| *byte == b'\n') {
            let line = text.slice(start..start + line.len());
            start += line.len() + 1;
            let colon = line.iter().position(|byte| *byte == b':');
            if let Some(colon) = colon {
                let value = line.slice(colon + 1..);
                let value = if value.starts_with(b" ") {
                    value.slice(1..)
                } else {
                    value
                };
                fields.push((line.slice(..colon), value));
            }
        }
        Self { fields }
    }

    pub(super) fn value(&self, name: &str) -> Option<&Bytes> {
        self.fields
            .iter()
            .find(|(known, _)| known == name.as_bytes())
            .map(|(_, value)| value)
    }

    /// Sets a field that is there.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Bytes>) {
        if let Some(field) = self.fields.iter_mut().find(|(known, _)| known == name.as_bytes()) {
            field.1 = value.into();
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.fields.retain(|(known, _)| known != name.as_bytes());
    }

    /// A durable event: what has an `id:`.
    pub(super) fn is_event(&self) -> bool {
        self.value("id").is_some()
    }

    pub(super) fn is_preview(&self) -> bool {
        self.value("event")
            .is_some_and(|kind| kind == "event_start" || kind == "event_delta")
    }

    pub(super) fn is_delta(&self) -> bool {
        self.value("event").is_some_and(|kind| kind == "event_delta")
    }

    pub(super) fn seq(&self) -> Option<u64> {
        std::str::from_utf8(self.value("id")?).ok()?.parse().ok()
    }
}

/// Writes blocks in one way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    pub(super) format: Format,
    lines: u64,
    started: bool,
}

impl Style {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    pub(super) fn leaves_out(&self, block: &Block) -> bool {
        self.format.no_comments && block.fields.iter().all(|(name, _)| name.is_empty())
    }

    pub(super) fn write(&mut self, block: &Block) -> Bytes {
        let mut out = BytesMut::new();
        if !self.started {
            self.started = true;
            for _ in 0..self.format.byte_order_marks {
                out.put_slice("\u{feff}".as_bytes());
            }
        }
        if block.is_event() {
            for _ in 0..self.format.comments {
                self.line(&mut out, b": nothing");
                self.line(&mut out, b":");
            }
            if self.format.unknown_field {
                self.line(&mut out, b"checkfu: 1");
                self.line(&mut out, b"nothing");
            }
        }
        for (name, value) in &block.fields {
            match split(name, value, self.format.split_data) {
                Some((first, second)) => {
                    self.field(&mut out, name, first);
                    self.field(&mut out, name, second);
                }
                None => self.field(&mut out, name, value),
            }
        }
        self.line(&mut out, b"");
        out.freeze()
    }

    fn field(&mut self, out: &mut BytesMut, name: &[u8], value: &[u8]) {
        out.put_slice(name);
        out.put_u8(b':');
        // A value that begins with a space needs one before it in any case.
        if self.format.spacing == Spacing::One || value.starts_with(b" ") {
            out.put_u8(b' ');
        }
        self.line(out, value);
    }

    fn line(&mut self, out: &mut BytesMut, line: &[u8]) {
        out.put_slice(line);
        let ends: &[u8] = match (self.format.line_ends, self.lines % 3) {
            // CR and then LF would be one line end, not the end of a line and an empty one.
            (LineEnds::Mixed, 0) if line.is_empty() => b"\r\n",
            (LineEnds::Lf, _) | (LineEnds::Mixed, 0) => b"\n",
            (LineEnds::CrLf, _) | (LineEnds::Mixed, 1) => b"\r\n",
            (LineEnds::Cr, _) | (LineEnds::Mixed, _) => b"\r",
        };
        out.put_slice(ends);
        if self.lines == 1 && self.format.late_byte_order_mark {
            out.put_slice("\u{feff}".as_bytes());
        }
        self.lines += 1;
    }
}

/// Data in two lines, split where JSON allows white space: after its opening brace.
fn split<'a>(name: &[u8], value: &'a [u8], wanted: bool) -> Option<(&'a [u8], &'a [u8])> {
    (wanted && name == b"data" && value.starts_with(b"{")).then(|| value.split_at(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"id: 7\nevent: agent.message\ndata: {\"seq\":7}";

    fn written(format: Format) -> Vec<u8> {
        Style::new(format)
            .write(&Block::parse(&Bytes::from_static(TEXT)))
            .to_vec()
    }

    /// STR-5: the default style is the server's own; every other one is what its name says.
    #[test]
    fn a_block_is_written_in_every_style() {
        assert_eq!(written(Format::default()), [TEXT, b"\n\n"].concat());
        let line_ends = LineEnds::Mixed;
        assert_eq!(
            written(Format {
                line_ends,
                spacing: Spacing::None,
                ..Format::default()
            }),
            b"id:7\nevent:agent.message\r\ndata:{\"seq\":7}\r\r\n"
        );
        assert_eq!(
            written(Format {
                split_data: true,
                byte_order_marks: 2,
                ..Format::default()
            }),
            "\u{feff}\u{feff}id: 7\nevent: agent.message\ndata: {\ndata: \"seq\":7}\n\n".as_bytes()
        );
    }
}
