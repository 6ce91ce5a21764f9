//! The content of a message: blocks, and where theirs comes from.

use axum::http::Uri;
use serde_json::Value;

use crate::core::payload::{Block, Source};
use crate::http::fields::{Fields, invalid, kind};
use crate::wire::error::ApiError;

/// An array of blocks; a bare string is short for one text block.
pub(super) fn content(fields: &mut Fields) -> Result<Vec<Block>, ApiError> {
    let path = fields.path_of("content");
    match fields.required("content")? {
        Value::String(text) if text.is_empty() => Err(invalid(&path, "must not be empty")),
        Value::String(text) => Ok(vec![Block::Text { text }]),
        Value::Array(blocks) if blocks.is_empty() => Err(invalid(&path, "must have at least one block")),
        Value::Array(blocks) => blocks
            .into_iter()
            .enumerate()
            .map(|(index, value)| block(value, &format!("{path}[{index}]")))
            .collect(),
        other => Err(invalid(
            &path,
            &format!("must be a string or an array of blocks, not {}", kind(&other)),
        )),
    }
}

fn block(value: Value, path: &str) -> Result<Block, ApiError> {
    let mut fields = Fields::of(value, path)?;
    let block = match fields.required_text("type")?.as_str() {
        "text" => Block::Text {
            text: fields.required_word("text")?,
        },
        "image" => Block::Image {
            source: source(&mut fields, &["base64", "url", "file"])?,
        },
        "document" => Block::Document {
            source: source(&mut fields, &["base64", "url", "file", "text"])?,
            title: fields.optional_text("title")?,
        },
        _ => return Err(fields.invalid("type", "must be text, image or document")),
    };
    fields.finish()?;
    Ok(block)
}

fn source(block: &mut Fields, allowed: &[&str]) -> Result<Source, ApiError> {
    let mut fields = Fields::of(block.required("source")?, &block.path_of("source"))?;
    let type_name = fields.required_text("type")?;
    if !allowed.contains(&type_name.as_str()) {
        return Err(fields.invalid("type", &format!("must be one of {}", allowed.join(", "))));
    }
    let source = match type_name.as_str() {
        "url" => Source::Url {
            url: absolute_url(&mut fields)?,
        },
        "file" => Source::File {
            file_id: fields.required_word("file_id")?,
        },
        "text" => Source::Text {
            media_type: fields.required_word("media_type")?,
            data: fields.required_text("data")?,
        },
        _ => Source::Base64 {
            media_type: fields.required_word("media_type")?,
            data: base64(&mut fields)?,
        },
    };
    fields.finish()?;
    Ok(source)
}

fn base64(fields: &mut Fields) -> Result<String, ApiError> {
    let data = fields.required_text("data")?;
    match data_encoding::BASE64.decode(data.as_bytes()) {
        Ok(_) => Ok(data),
        Err(_) => Err(fields.invalid("data", "must be base64 with padding")),
    }
}

fn absolute_url(fields: &mut Fields) -> Result<String, ApiError> {
    let url = fields.required_text("url")?;
    let absolute = url
        .parse::<Uri>()
        .is_ok_and(|uri| uri.scheme_str() == Some("https") && uri.host().is_some());
    if absolute {
        Ok(url)
    } else {
        Err(fields.invalid("url", "must be an absolute https address"))
    }
}
