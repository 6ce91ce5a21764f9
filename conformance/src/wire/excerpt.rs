use std::ops::Range;

/// A body of so many bytes is shown whole.
const WHOLE: usize = 900;
/// What is shown of a longer one at its start and at its end, in bytes.
const EDGE: usize = 200;
/// What is shown in front of a thing that is spoken of, and from it on, in bytes.
const BEFORE: usize = 150;
const BEHIND: usize = 350;
/// So many things that are spoken of are shown.
const PLACES: usize = 3;

/// A body as text. A long one is cut to its start, its end and the places that `about` speaks of: quoted words, ids,
/// and numbers behind the word `seq`.
pub(super) fn excerpt(body: &[u8], about: &str) -> String {
    let text = String::from_utf8_lossy(body);
    if text.len() <= WHOLE {
        return text.into_owned();
    }
    let places = named(about).into_iter().filter_map(|name| find(&text, &name));
    let mut shown: Vec<_> = places
        .take(PLACES)
        .map(|at| at.saturating_sub(BEFORE)..(at + BEHIND).min(text.len()))
        .collect();
    shown.push(0..EDGE);
    shown.push(text.len() - EDGE..text.len());
    joined(&text, shown)
}

/// The ranges of the text in order, with a note of what is left out between them.
fn joined(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let (mut shown, mut end) = (String::new(), 0);
    for range in ranges {
        let from = text.floor_char_boundary(range.start.max(end));
        let to = text.ceil_char_boundary(range.end);
        if to <= end {
            continue;
        }
        let from = from.max(end);
        if from > end {
            shown.push_str(&format!(" … {} bytes left out … ", from - end));
        }
        shown.push_str(&text[from..to]);
        end = to;
    }
    shown
}

/// What a sentence speaks of, as it may stand in a body, in the order of the sentence.
fn named(about: &str) -> Vec<String> {
    let mut names = Vec::new();
    let words = about.split(|letter: char| letter.is_whitespace() || "()[]{},;".contains(letter));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let number = words.peek().filter(|next| word == "seq" && is_number(next));
        if let Some(number) = number {
            names.push(format!("\"seq\":{number}"));
        }
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let is_id = bare.contains('_') && bare.bytes().any(|byte| byte.is_ascii_digit());
        if is_id || (word.contains('"') && bare.len() >= 3) {
            names.push(bare.to_owned());
        }
    }
    names
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where this stands in the text; a number is not found in a longer one, and a blank may follow a colon.
fn find(text: &str, name: &str) -> Option<usize> {
    let Some(number) = name.strip_prefix("\"seq\":") else {
        return text.find(name);
    };
    let mut places = text.match_indices("\"seq\":");
    let found = places.find(|(at, key)| {
        let value = text[at + key.len()..].trim_start();
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        &value[..digits] == number
    });
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(of: u64) -> String {
        let events =
            (1..=of).map(|seq| format!("{{\"id\": \"evt_{seq:04}\", \"seq\": {seq}, \"type\": \"é\"}}"));
        format!("{{\"data\": [{}]}}", events.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn a_short_body_is_whole() {
        let body = page(10);
        assert!(body.len() <= WHOLE);
        assert_eq!(excerpt(body.as_bytes(), "seq 5"), body);
    }

    #[test]
    fn the_event_that_is_spoken_of_is_shown() {
        let body = page(500);
        for (about, shown) in [
            (
                "seq 250 of kind user.message",
                "\"id\": \"evt_0250\", \"seq\": 250,",
            ),
            ("nothing above (seq 25)", "\"seq\": 25,"),
            ("evt_0333 once", "\"id\": \"evt_0333\", \"seq\": 333,"),
            (
                "the id \"evt_0100\", not \"evt_0400\"",
                "\"id\": \"evt_0400\", \"seq\": 400,",
            ),
        ] {
            let excerpt = excerpt(body.as_bytes(), about);
            assert!(excerpt.contains(shown), "{about}: {excerpt}");
            assert!(
                excerpt.len() < 2 * EDGE + PLACES * (BEFORE + BEHIND + 40),
                "{about}"
            );
            assert!(excerpt.starts_with("{\"data\"") && excerpt.ends_with("}]}"));
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let body = page(500);
        let excerpt = excerpt(body.as_bytes(), "seq 7 and seq 499");
        let left_out: usize = excerpt
            .split(" … ")
            .filter_map(|part| part.strip_suffix(" bytes left out"))
            .map(|count| count.parse::<usize>().unwrap())
            .sum();
        let notes: usize = excerpt
            .split(" … ")
            .filter(|part| part.ends_with(" bytes left out"))
            .map(|note| note.len() + 2 * " … ".len())
            .sum();
        assert_eq!(excerpt.len() - notes + left_out, body.len());
    }

    #[test]
    fn any_bytes_are_cut_between_characters() {
        for lead in 0..4 {
            let mut body = vec![b'"'; lead];
            body.extend("€".repeat(700).bytes());
            body.extend([0xff, 0xc3]);
            assert!(excerpt(&body, "\"€€€\" seq 18446744073709551616").contains("bytes left out"));
        }
    }
}
