use reqwest::header::{HeaderMap, HeaderValue};

/// Header names and values as text; bytes outside ASCII are shown escaped.
pub(super) fn visible(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| match value.to_str() {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().escape_ascii().to_string(),
    };
    headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}
