//! Finds requirement ids in text.

/// Every id in `text` that has the shape `PREFIX-NUMBER` or `A-WORD`, in order of appearance.
pub(crate) fn in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '-'))
        .filter(|word| has_shape(word))
}

/// `STR` of `STR-2`, `A` of `A-STOP`.
pub(crate) fn prefix(id: &str) -> &str {
    id.split_once('-').map_or(id, |(prefix, _)| prefix)
}

fn has_shape(word: &str) -> bool {
    let Some((prefix, rest)) = word.split_once('-') else {
        return false;
    };
    let capitals = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if prefix == "A" {
        capitals(rest)
    } else {
        capitals(prefix) && digits(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_out_from_prose() {
        let text = "STR-2, A-STOP: resumes (LST-10). Not UTF8, a-stop, A-, -3 or A-Stop; WIRE-1.";
        assert_eq!(
            in_text(text).collect::<Vec<_>>(),
            ["STR-2", "A-STOP", "LST-10", "WIRE-1"]
        );
    }

    #[test]
    fn a_prefix_ends_at_the_first_hyphen() {
        assert_eq!(prefix("STR-2"), "STR");
        assert_eq!(prefix("A-STOP"), "A");
    }
}
