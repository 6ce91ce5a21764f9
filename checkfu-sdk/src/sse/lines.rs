use std::borrow::Cow;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// More bytes without a line end than there is room for.
pub(super) struct LineTooLong;

/// Cuts a byte stream into lines ended by LF, CR or CRLF.
#[derive(Debug, Default)]
pub(super) struct Lines {
    partial: Vec<u8>,
    /// The current line is a comment: its bytes are read and not kept.
    comment: bool,
    /// The last line ended with CR, so an LF that follows belongs to it.
    after_carriage_return: bool,
    start: Start,
}

/// How much of a byte order mark was seen at the start of the stream.
#[derive(Debug, Default, PartialEq)]
enum Start {
    #[default]
    Fresh,
    Marked(usize),
    Passed,
}

impl Lines {
    /// The next complete line without its end; a comment comes out as `:`.
    pub(super) fn next_line<'i>(
        &mut self,
        input: &mut &'i [u8],
        room: usize,
    ) -> Result<Option<Cow<'i, [u8]>>, LineTooLong> {
        self.skip_byte_order_mark(input);
        if self.after_carriage_return && !input.is_empty() {
            self.after_carriage_return = false;
            if input[0] == b'\n' {
                *input = &input[1..];
            }
        }
        let Some(end) = input.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            let rest = std::mem::take(input);
            self.keep(rest);
            return if self.partial.len() > room {
                Err(LineTooLong)
            } else {
                Ok(None)
            };
        };
        let line = &input[..end];
        self.after_carriage_return = input[end] == b'\r';
        *input = &input[end + 1..];
        if self.comment {
            self.comment = false;
            return Ok(Some(Cow::Borrowed(b":")));
        }
        if self.partial.len() + line.len() > room && !(self.partial.is_empty() && line.starts_with(b":")) {
            return Err(LineTooLong);
        }
        if self.partial.is_empty() {
            return Ok(Some(Cow::Borrowed(line)));
        }
        let mut whole = std::mem::take(&mut self.partial);
        whole.extend_from_slice(line);
        Ok(Some(Cow::Owned(whole)))
    }

    /// Whether a line has begun that is no comment.
    pub(super) fn holds_part(&self) -> bool {
        !self.partial.is_empty()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.partial.is_empty() && bytes.first() == Some(&b':') {
            self.comment = true;
        }
        if !self.comment {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn skip_byte_order_mark(&mut self, input: &mut &[u8]) {
        while self.start != Start::Passed {
            let Some(&byte) = input.first() else { return };
            let seen = match self.start {
                Start::Marked(seen) => seen,
                _ => 0,
            };
            if byte != BYTE_ORDER_MARK[seen] {
                self.partial.extend_from_slice(&BYTE_ORDER_MARK[..seen]);
                self.start = Start::Passed;
                return;
            }
            *input = &input[1..];
            self.start = if seen + 1 == BYTE_ORDER_MARK.len() {
                Start::Passed
            } else {
                Start::Marked(seen + 1)
            };
        }
    }
}
