use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// Reads `Retry-After`: seconds, or an HTTP date (`WIRE-4`).
///
/// A part of a second counts as a whole one, and a date in the past asks for no wait. Of several values, in one header
/// or in more, the longest wait counts, so that none of them is passed over; what is neither is no hint.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let values = headers.get_all(RETRY_AFTER).iter();
    let lists = values.filter_map(|value| value.to_str().ok());
    lists.filter_map(|list| longest(list, now)).max()
}

/// The longest wait in a list. A date holds a comma itself, after the name of its day.
fn longest(list: &str, now: SystemTime) -> Option<Duration> {
    let parts: Vec<&str> = list.split(',').collect();
    let waits = parts.iter().enumerate().filter_map(|(place, part)| {
        let whole = parts.get(place + 1).map(|rest| format!("{part},{rest}"));
        let whole = whole.and_then(|text| date(&text, now));
        whole.or_else(|| seconds(part.trim())).or_else(|| date(part, now))
    });
    waits.max()
}

fn seconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let more = part.bytes().any(|digit| digit != b'0');
    let whole: u64 = whole.parse().unwrap_or(u64::MAX);
    Some(Duration::from_secs(whole.saturating_add(more.into())))
}

fn date(text: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(text.trim()).ok()?;
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

    /// WIRE-4: of several values, in one header or in more, the longest wait counts, and none that cannot be read; a
    /// part of a second counts as a whole one.
    #[test]
    fn of_several_values_the_longest_counts() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        for (values, seconds) in [
            (&["1", "2"][..], 2),
            (&["2, 2"], 2),
            (&["7,3", "5"], 7),
            (&["soon", "4"], 4),
            (&["soon, 4"], 4),
            (&[&format!("2, {date}")], 77),
            (&[&format!("{date}, 90")], 90),
            (&[date, date], 77),
            (&["1.5"], 2),
            (&["1.0"], 1),
            (&["0.001"], 1),
        ] {
            assert_eq!(read(values), Some(Duration::from_secs(seconds)), "{values:?}");
        }
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
        for odd in ["-1", "1.", ".5", "1.5.5", "soon", "", ",", "1e3", "1s"] {
            assert_eq!(read(&[odd]), None, "{odd:?}");
        }
        assert_eq!(read(&[]), None);
    }
}
