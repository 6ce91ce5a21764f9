use super::{
    line,
    passage::{Form, Passage},
    prose,
};

/// Divides the text of a page into the passages that have rows, in their order.
///
/// Pages come as Markdown or as text copied from a rendered page. In both:
///
/// - A blank line ends what goes on over lines. Quote marks (`>`) before a line are not part of it, but for fenced code.
/// - **Headings**: a line with `#` marks, the `title` of a component tag alone on its line (the rest of such a tag is no
///   text), and a paragraph of one line without an end mark. A heading is one passage, without its marks.
/// - **List items**: a bullet or a number of one or two digits begins an item. The marker is dropped, the lines of the
///   item are joined, and its sentences are passages as those of a paragraph are.
/// - **Table cells**: the cells of a row (between `|`, or between tabs) mean nothing without each other, so a row is one
///   passage: its cells joined by ` | `. The head of the table is a row; the line under it is not.
/// - **Code**: a fenced block is one passage without its fences and what stands beside them. Without a fence, a
///   paragraph is code if it begins with a word of a command or a program, a brace, or a line of only an HTTP method
///   and a path.
/// - Everything else is prose, divided into sentences: `.`, `!` or `?`, what closes behind it, and a space. No sentence
///   ends inside a code span, after `...`, or after e.g., i.e., cf. and vs.
///
/// ```
/// use checkfu_conformance::trace::{Form, passages};
///
/// let page = passages("# Cursors\n\nA cursor is a number. It only\nrises.\n\n| a | b |\n| - | - |\n");
/// let found: Vec<_> = page.iter().map(|passage| (passage.form, passage.text.as_str())).collect();
/// assert_eq!(
///     found,
///     [
///         (Form::Heading, "Cursors"),
///         (Form::Sentence, "A cursor is a number."),
///         (Form::Sentence, "It only rises."),
///         (Form::Row, "a | b"),
///     ]
/// );
/// ```
pub fn passages(page: &str) -> Vec<Passage> {
    let mut reader = Reader::default();
    for line in page.trim_start_matches('\u{feff}').lines() {
        reader.line(line);
    }
    reader.end_block();
    reader.passages
}

#[derive(Default)]
struct Reader {
    passages: Vec<Passage>,
    open: Open,
    lines: Vec<String>,
}

/// What the lines that are being gathered are.
#[derive(Default, PartialEq, Eq)]
enum Open {
    #[default]
    Paragraph,
    Item,
    Code,
    Fence(String),
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Open::Fence(fence) = &self.open {
            if line::closes(line, fence) {
                self.end_block();
            } else {
                self.lines.push(line.to_owned());
            }
            return;
        }
        let line = line::unquoted(line);
        if line.is_empty() {
            self.end_block();
        } else if self.open == Open::Code {
            self.lines.push(line.to_owned());
        } else if let Some(fence) = line::fence(line) {
            self.begin(Open::Fence(fence));
        } else if let Some(title) = line::tag(line) {
            self.alone(Form::Heading, title.unwrap_or_default());
        } else if let Some(heading) = line::heading(line) {
            self.alone(Form::Heading, heading);
        } else if let Some(cells) = line::row(line) {
            self.alone(Form::Row, &cells);
        } else if line::is_rule(line) {
            self.end_block();
        } else if let Some(item) = line::item(line) {
            self.begin(Open::Item);
            self.lines.push(item.to_owned());
        } else {
            if self.lines.is_empty() && line::opens_code(line) {
                self.begin(Open::Code);
            }
            self.lines.push(line.to_owned());
        }
    }

    fn begin(&mut self, open: Open) {
        self.end_block();
        self.open = open;
    }

    fn alone(&mut self, form: Form, text: &str) {
        self.end_block();
        self.push(form, text);
    }

    fn end_block(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let text = lines.join("\n");
        match std::mem::take(&mut self.open) {
            Open::Fence(_) | Open::Code => self.push(Form::Code, &text),
            Open::Paragraph if lines.len() == 1 && !prose::is_ended(&text) => {
                self.push(Form::Heading, &text);
            }
            Open::Paragraph | Open::Item => {
                for sentence in prose::sentences(&text) {
                    self.push(Form::Sentence, &sentence);
                }
            }
        }
    }

    fn push(&mut self, form: Form, text: &str) {
        let passage = Passage::new(form, text);
        if !passage.text.is_empty() {
            self.passages.push(passage);
        }
    }
}

#[cfg(test)]
mod tests;
