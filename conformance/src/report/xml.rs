/// An XML document without the characters that XML 1.0 does not allow in any: each is spelled out.
pub(crate) fn allowed(document: &str) -> String {
    let mut kept = String::with_capacity(document.len());
    for character in document.chars() {
        match character {
            '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'.. => kept.push(character),
            other => kept.extend(other.escape_unicode()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_allow_is_spelled_out() {
        assert_eq!(
            allowed("<a>\t\n\r \u{fffd}\u{10000}\u{10ffff}\u{1}\u{1f}\u{fffe}\u{ffff}</a>"),
            "<a>\t\n\r \u{fffd}\u{10000}\u{10ffff}\\u{1}\\u{1f}\\u{fffe}\\u{ffff}</a>"
        );
    }
}
