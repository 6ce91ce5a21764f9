use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The blocks of a message. A bare string on the wire is one text block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content(Vec<ContentBlock>);

/// One block of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(String),
    /// Any other block, an image or a document for one, with all its members.
    Other(Map<String, Value>),
}

impl Content {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(vec![ContentBlock::Text(text.into())])
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[ContentBlock] {
        &self.0
    }

    /// The text of all text blocks, one after the other.
    ///
    /// ```
    /// use checkfu_sdk::model::payload::Content;
    ///
    /// let content: Content = serde_json::from_str(r#"[{"type": "text", "text": "hi"}]"#)?;
    /// assert_eq!(content.to_text(), "hi");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_text(&self) -> String {
        let texts = self.0.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.as_str()),
            ContentBlock::Other(_) => None,
        });
        texts.collect()
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self(blocks)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Blocks(Vec<ContentBlock>),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Text(text) => Self::text(text),
            Form::Blocks(blocks) => Self(blocks),
        })
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Text<'t> {
            r#type: &'static str,
            text: &'t str,
        }
        match self {
            Self::Text(text) => Text { r#type: "text", text }.serialize(serializer),
            Self::Other(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let only_text = members.len() == 2 && members.get("type").and_then(Value::as_str) == Some("text");
        match members.get("text").and_then(Value::as_str) {
            Some(text) if only_text => Ok(Self::Text(text.to_owned())),
            _ => Ok(Self::Other(members)),
        }
    }
}
