/// Whether a name fits a pattern, in which each `*` stands for any run of letters.
///
/// ```
/// use checkfu_conformance::fits;
///
/// assert!(fits("srv.resume.*", "srv.resume.every-cut"));
/// assert!(fits("*.every-*", "srv.resume.every-cut"));
/// assert!(!fits("srv.resume", "srv.resume.every-cut"));
/// ```
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(place) => left = left.get(place + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_run_of_letters_and_nothing_else_is_special() {
        for (pattern, name, is_fit) in [
            ("a.b", "a.b", true),
            ("a.b", "a.b.c", false),
            ("a*", "a", true),
            ("*", "", true),
            ("*b", "aab", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("a?b", "axb", false),
            ("a**b", "ab", true),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
    }
}
