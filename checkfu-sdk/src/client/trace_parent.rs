use http::HeaderValue;
use http::header::HeaderName;

pub(super) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// What tells the trace that a request belongs to.
pub(super) type TraceParent = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The header of a value in the form of W3C Trace Context: `version-trace_id-parent_id-flags`, in lower-case hexadecimal
/// digits, with ids that are not zero. Anything else is `None`: a trace is never worth a failed call.
pub(super) fn header(value: &str) -> Option<HeaderValue> {
    let parts: Vec<&str> = value.split('-').collect();
    let [version, trace_id, parent_id, flags] = parts[..] else {
        return None;
    };
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |text: &str, digits: usize| is_hex(text, digits) && text.bytes().any(|byte| byte != b'0');
    let fits = is_hex(version, 2)
        && version != "ff"
        && is_id(trace_id, 32)
        && is_id(parent_id, 16)
        && is_hex(flags, 2);
    fits.then(|| HeaderValue::from_str(value).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_documented_form_is_sent() {
        const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(header(GOOD).unwrap(), GOOD);
        assert!(header(&GOOD.replacen("00", "01", 1)).is_some());
        for bad in [
            "",
            "-",
            "00",
            &GOOD.to_uppercase(),
            &GOOD[1..],
            &GOOD[..GOOD.len() - 1],
            &format!("{GOOD} "),
            &format!(" {GOOD}"),
            &format!("{GOOD}-x"),
            &format!("{GOOD}\r\nx: y"),
            &GOOD.replacen("00", "ff", 1),
            &GOOD.replace('-', "_"),
            &GOOD.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &GOOD.replace("b7ad6b7169203331", &"0".repeat(16)),
            &GOOD.replace("b7ad", "é7a"),
        ] {
            assert!(header(bad).is_none(), "{bad:?}");
        }
    }
}
