//! Answers that are made up, and heads that are changed.

use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt, stream};

use super::effect::{Answer, Headers, RetryAfter};
use super::sever::Broken;

const PIECE: usize = 64 * 1024;

/// The answer that an [`Answer`] describes, with all of its body, whatever length it announces. What HTTP cannot carry, such as a line end in a field, is left out.
pub(super) fn made_up(answer: &Answer) -> Response {
    let mut response = Response::new(body(answer));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    append(headers, &answer.headers);
    if let Some(retry_after) = &answer.retry_after
        && let Ok(value) = HeaderValue::from_str(&retry_after_text(retry_after))
    {
        headers.append(header::RETRY_AFTER, value);
    }
    if answer.missing > 0 {
        let announced = answer.body.len() as u64 + answer.fill + answer.missing;
        headers.insert(header::CONTENT_LENGTH, announced.into());
    }
    response
}

/// Changes the head of an answer.
pub(super) fn change_head(response: &mut Response, change: &Headers) {
    if let Some(status) = change.status.and_then(|status| StatusCode::from_u16(status).ok()) {
        *response.status_mut() = status;
    }
    let headers = response.headers_mut();
    change_fields(headers, &change.remove, &change.set);
    let mut left = usize::try_from(change.fill).unwrap_or_default();
    for number in 0.. {
        let length = left.min(8 * 1024);
        if length == 0 {
            break;
        }
        if let (Ok(name), Ok(value)) = (
            HeaderName::try_from(format!("x-fill-{number}")),
            HeaderValue::try_from("x".repeat(length)),
        ) {
            headers.insert(name, value);
        }
        left -= length;
    }
}

/// Takes fields away and sets others.
pub(super) fn change_fields(headers: &mut HeaderMap, remove: &[String], set: &[(String, String)]) {
    for name in remove {
        headers.remove(name.as_str());
    }
    for (name, value) in set {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
}

fn body(answer: &Answer) -> Body {
    let text = Bytes::from(answer.body.clone());
    if answer.fill == 0 && answer.missing == 0 {
        return Body::from(text);
    }
    let piece = Bytes::from(vec![b'x'; PIECE]);
    let (whole, rest) = (answer.fill / PIECE as u64, answer.fill % PIECE as u64);
    let whole = stream::iter(std::iter::repeat_n(
        piece.clone(),
        usize::try_from(whole).unwrap_or_default(),
    ));
    let rest = piece.slice(..usize::try_from(rest).unwrap_or_default());
    let sent = stream::iter([text]).chain(whole).chain(stream::iter([rest]));
    Body::from_stream(
        sent.filter(|piece| std::future::ready(!piece.is_empty()))
            .map(Ok::<_, Broken>),
    )
}

fn append(headers: &mut HeaderMap, fields: &[(String, String)]) {
    for (name, value) in fields {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
}

fn retry_after_text(retry_after: &RetryAfter) -> String {
    match retry_after {
        RetryAfter::Seconds(seconds) => seconds.to_string(),
        RetryAfter::Text(text) => text.clone(),
        RetryAfter::Date(from_now) => {
            let (now, by) = (SystemTime::now(), Duration::from_secs(from_now.unsigned_abs()));
            let date = if *from_now < 0 {
                now.checked_sub(by)
            } else {
                now.checked_add(by)
            };
            httpdate::fmt_http_date(date.unwrap_or(now))
        }
    }
}
