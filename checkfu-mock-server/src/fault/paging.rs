//! Cursors and pages that are changed, on the way in and on the way out.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use bytes::Bytes;
use data_encoding::BASE64URL_NOPAD;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::effect::{Page, PageEdit, Resume};

/// A `next_page` that leads back to the query in it.
const AGAIN: &str = "again_";

const LAST_EVENT_ID: &str = "last-event-id";

/// Moves the cursor of a stream back; tells whether there was one.
pub(super) fn rewind(headers: &mut HeaderMap, resume: Resume) -> bool {
    let cursor = headers
        .get(LAST_EVENT_ID)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let Some(cursor) = cursor.filter(|cursor| *cursor > 0) else {
        return false;
    };
    match resume.rewind.map(|events| cursor.saturating_sub(events)) {
        None | Some(0) => {
            headers.remove(LAST_EVENT_ID);
        }
        Some(cursor) => {
            headers.insert(LAST_EVENT_ID, HeaderValue::from(cursor));
        }
    }
    true
}

/// Follows a `next_page` of an empty page back to its query, through as many of them as there were.
pub(super) fn follow_again(uri: &mut Uri) {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let first = original(path, query);
    if let Some(query) = std::iter::successors(first, |query| original(path, query)).last() {
        set_query(uri, &query);
    }
}

fn original(path: &str, query: &str) -> Option<String> {
    // The server refuses a page beside a cursor, whoever gave the page out.
    if value(query, "after").is_some() {
        return None;
    }
    let token = value(query, "page")?;
    let (encoded, _) = token.strip_prefix(AGAIN)?.rsplit_once('.')?;
    let decoded = BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?;
    let original = String::from_utf8(decoded).ok()?;
    // Taken of this list alone, and only as it was given out; the server refuses any other.
    (again(path, &original) == token).then_some(original)
}

fn again(path: &str, query: &str) -> String {
    let mut seal = DefaultHasher::new();
    (path, query).hash(&mut seal);
    format!(
        "{AGAIN}{}.{:016x}",
        BASE64URL_NOPAD.encode(query.as_bytes()),
        seal.finish()
    )
}

/// Changes the question; tells whether there was something to change.
pub(super) fn change_query(uri: &mut Uri, page: Page) -> bool {
    let query = uri.query().unwrap_or_default().to_owned();
    let changed = match page.edit {
        PageEdit::Shorter => {
            let wanted = value(&query, "limit").map_or(Some(100), |limit| limit.parse::<u64>().ok());
            let few = u64::from(page.items.max(1));
            wanted
                .filter(|wanted| *wanted > few)
                .map(|_| with(&query, "limit", &few.to_string()))
        }
        PageEdit::Overlap => value(&query, "after")
            .and_then(|after| after.parse::<u64>().ok()?.checked_sub(1))
            .map(|after| with(&query, "after", &after.to_string())),
        PageEdit::IgnoreAfter => value(&query, "after").map(|_| without(&query, "after")),
        PageEdit::Empty | PageEdit::Loop | PageEdit::Duplicate => None,
    };
    if let Some(changed) = &changed {
        set_query(uri, changed);
    }
    changed.is_some()
}

/// Changes a page; tells whether there was something to change. `path` and `query` are what was asked.
pub(super) fn change_page(page: &mut Value, edit: PageEdit, path: &str, query: &str) -> bool {
    let filled = page["data"].as_array().is_some_and(|data| !data.is_empty());
    match edit {
        PageEdit::Empty if filled => {
            page["data"] = json!([]);
            page["next_page"] = json!(again(path, query));
            true
        }
        PageEdit::Loop => match value(query, "page") {
            Some(token) => {
                page["next_page"] = json!(token);
                true
            }
            None => false,
        },
        PageEdit::Duplicate if filled => {
            if let Some(data) = page["data"].as_array_mut() {
                data.extend(data.last().cloned());
            }
            true
        }
        _ => false,
    }
}

/// Takes so many events off the end; tells whether this page was concerned.
pub(super) fn make_stale(answer: &mut Value, events: u64) -> bool {
    let stale = usize::try_from(events).unwrap_or(usize::MAX);
    let last_page = answer["next_page"].is_null();
    if let Some(data) = answer.get_mut("data").and_then(Value::as_array_mut) {
        if last_page {
            data.truncate(data.len().saturating_sub(stale));
        }
        return last_page;
    }
    let last_seq = answer.get("last_seq").and_then(Value::as_u64);
    if let Some(last_seq) = last_seq {
        answer["last_seq"] = json!(last_seq.saturating_sub(events).max(1));
    }
    last_seq.is_some()
}

/// Changes a whole JSON answer. One that is none stays as it is.
pub(super) async fn change_json(response: Response, change: impl FnOnce(&mut Value) + Send) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(whole) = body.collect().await else {
        return Response::from_parts(parts, Body::empty());
    };
    let bytes = whole.to_bytes();
    let changed = match serde_json::from_slice::<Value>(&bytes) {
        Ok(mut value) => {
            change(&mut value);
            Bytes::from(value.to_string())
        }
        Err(_) => bytes,
    };
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(changed))
}

fn value<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

fn with(query: &str, name: &str, value: &str) -> String {
    let others = without(query, name);
    let separator = if others.is_empty() { "" } else { "&" };
    format!("{others}{separator}{name}={value}")
}

fn without(query: &str, name: &str) -> String {
    let others = query
        .split('&')
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(name));
    others.collect::<Vec<_>>().join("&")
}

fn set_query(uri: &mut Uri, query: &str) {
    let path = uri.path();
    let target = if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    };
    if let Ok(changed) = target.parse() {
        *uri = changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-LIST: a token is taken only of its own list, and only as it was given out.
    #[test]
    fn the_token_of_an_empty_page_is_sealed() {
        let mut page = json!({"data": [1], "next_page": null});
        assert!(change_page(
            &mut page,
            PageEdit::Empty,
            "/v1/sessions/a/events",
            "limit=2"
        ));
        let token = page["next_page"].as_str().unwrap().to_owned();
        let followed = |path: &str, token: &str| {
            let mut uri: Uri = format!("{path}?page={token}").parse().unwrap();
            follow_again(&mut uri);
            uri.to_string()
        };
        assert_eq!(
            followed("/v1/sessions/a/events", &token),
            "/v1/sessions/a/events?limit=2"
        );
        let other = format!("/v1/sessions/b/events?page={token}");
        assert_eq!(followed("/v1/sessions/b/events", &token), other);
        for place in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            let kept = format!("/v1/sessions/a/events?page={forged}");
            assert_eq!(followed("/v1/sessions/a/events", &forged), kept);
        }
    }
}
