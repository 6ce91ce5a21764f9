use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// Reads `Retry-After`: whole seconds, or an HTTP date. A date in the past asks for no wait; anything else is no
/// hint (`WIRE-4`).
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let mut values = headers.get_all(RETRY_AFTER).iter();
    let value = values.next()?.to_str().ok()?.trim();
    if values.next().is_some() {
        return None;
    }
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
        }
        retry_after(
            &headers,
            SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_700),
        )
    }

    /// WIRE-4: seconds and dates are understood, everything else is no hint.
    #[test]
    fn reads_seconds_and_dates() {
        assert_eq!(read(&["7"]), Some(Duration::from_secs(7)));
        assert_eq!(read(&["0"]), Some(Duration::ZERO));
        assert_eq!(
            read(&["99999999999999999999999"]),
            Some(Duration::from_secs(u64::MAX))
        );
        assert_eq!(
            read(&["Sun, 06 Nov 1994 08:49:37 GMT"]),
            Some(Duration::from_secs(77))
        );
        assert_eq!(read(&["Sat, 05 Nov 1994 08:49:37 GMT"]), Some(Duration::ZERO));
        for odd in ["-1", "1.5", "soon", "", "1e3"] {
            assert_eq!(read(&[odd]), None, "{odd:?}");
        }
        assert_eq!(read(&["1", "2"]), None);
        assert_eq!(read(&[]), None);
    }
}
