use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A text that may begin and end with half a character, as the pieces of a text do that was cut in UTF-16.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) halves: Halves,
}

/// The halves of characters, as UTF-16 has them, at the ends of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Halves {
    /// The second half of a character, before the text.
    pub(crate) before: Option<u16>,
    /// The first half of a character, behind the text.
    pub(crate) behind: Option<u16>,
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

/// How many bytes a half takes.
const HALF: usize = 3;

/// Reads a JSON string as bytes. They are UTF-8, but halves of characters, which JSON can name and UTF-8 cannot, come in
/// three bytes each.
struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Piece;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Piece, E> {
        let mut rest = bytes;
        let mut halves = Halves::default();
        if let Some((first, behind)) = rest
            .split_first_chunk()
            .and_then(|(first, behind)| Some((half(first)?, behind)))
            && is_second(first)
        {
            (halves.before, rest) = (Some(first), behind);
        }
        if let Some((before, last)) = rest
            .split_last_chunk()
            .and_then(|(before, last)| Some((before, half(last)?)))
            && !is_second(last)
        {
            (halves.behind, rest) = (Some(last), before);
        }
        let text = str::from_utf8(rest).map_err(|_| E::custom("half a character within a text"))?;
        Ok(Piece {
            text: text.to_owned(),
            halves,
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Piece, E> {
        self.visit_bytes(text.as_bytes())
    }
}

/// The half of a character that these bytes are.
fn half([first, second, third]: &[u8; HALF]) -> Option<u16> {
    let is_half = *first == 0xed && (0xa0..=0xbf).contains(second) && (0x80..=0xbf).contains(third);
    is_half.then(|| 0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f))
}

fn is_second(half: u16) -> bool {
    half >= 0xdc00
}
