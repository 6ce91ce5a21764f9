use sha2::{Digest, Sha256};

/// How many bytes of the digest are kept: 16 hexadecimal digits.
const KEPT: usize = 8;

/// What a passage is on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A heading, a title of a card or a short line that stands alone.
    Heading,
    /// A sentence of a paragraph or of a list item.
    Sentence,
    /// A row of a table, its head included.
    Row,
    /// A whole block of code.
    Code,
}

impl Form {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Sentence => "sentence",
            Self::Row => "row",
            Self::Code => "code",
        }
    }
}

/// The smallest part of a page that has a row of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What it is on its page.
    pub form: Form,
    /// Its words, each run of white space as one space.
    pub text: String,
}

impl Passage {
    pub(crate) fn new(form: Form, text: &str) -> Self {
        Self {
            form,
            text: normalised(text),
        }
    }

    /// The first 16 hexadecimal digits of the SHA-256 of its text.
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.text.as_bytes());
        digest
            .iter()
            .take(KEPT)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

pub(crate) fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_head_of_the_sha_256() {
        // The test vector of FIPS 180 for the message "abc".
        assert_eq!(Passage::new(Form::Sentence, "abc").hash(), "ba7816bf8f01cfea");
    }

    #[test]
    fn white_space_makes_no_difference_and_everything_else_does() {
        let hash = |text| Passage::new(Form::Sentence, text).hash();
        assert_eq!(
            hash("a durable\n  cursor\u{a0}here."),
            hash(" a  durable cursor here.\r\n")
        );
        assert_ne!(hash("a durable cursor."), hash("A durable cursor."));
        assert_ne!(hash("a durable cursor."), hash("a durable cursor"));
        assert_ne!(hash("a *durable* cursor."), hash("a durable cursor."));
    }
}
