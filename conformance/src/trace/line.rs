//! What one line of a page is by itself.

use super::passage::normalised;

/// How code begins where a page shows it without a fence.
const CODE_OPENINGS: [&str; 8] = [
    "{",
    "checkfu ",
    "curl ",
    "import ",
    "export ",
    "const ",
    "await ",
    "for await ",
];
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const BULLETS: [&str; 4] = ["* ", "- ", "+ ", "• "];

pub(super) fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|letter: char| letter == '>' || letter.is_whitespace())
        .trim_end()
}

pub(super) fn fence(line: &str) -> Option<String> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.chars().take_while(|letter| *letter == mark).count();
        // Three marks that close again on their line are a code span.
        (length >= 3 && !line[length..].contains(mark)).then(|| String::from(mark).repeat(length))
    })
}

pub(super) fn closes(line: &str, fence: &str) -> bool {
    let line = unquoted(line);
    line.starts_with(fence) && line.trim_start_matches(&fence[..1]).is_empty()
}

/// The title, if any, of a line that is one component tag and nothing else.
pub(super) fn tag(line: &str) -> Option<Option<&str>> {
    let inside = line.strip_prefix('<')?.strip_suffix('>')?;
    let name = inside.trim_start_matches('/');
    let rest = name.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    let is_tag = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && (rest.is_empty() || rest.starts_with([' ', '/']))
        && !inside.contains(['<', '>']);
    is_tag.then(|| {
        let (_, title) = rest.split_once(" title=\"")?;
        title.split_once('"').map(|(title, _)| title)
    })
}

pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let marks = line.len() - text.len();
    ((1..=6).contains(&marks) && text.starts_with(' ')).then_some(text)
}

pub(super) fn is_rule(line: &str) -> bool {
    line.len() >= 3
        && ["-", "*", "_"]
            .iter()
            .any(|mark| line.trim_start_matches(mark).is_empty())
}

/// The cells of a table's row; of the line under its head, nothing.
pub(super) fn row(line: &str) -> Option<String> {
    let cells: Vec<String> = if let Some(inside) = line.strip_prefix('|') {
        let inside = inside.strip_suffix('|').unwrap_or(inside);
        inside.split('|').map(normalised).collect()
    } else if line.contains('\t') {
        line.split('\t').map(normalised).collect()
    } else {
        return None;
    };
    let is_underline = cells
        .iter()
        .all(|cell| cell.contains('-') && cell.trim_matches(['-', ':']).is_empty());
    Some(if is_underline {
        String::new()
    } else {
        cells.join(" | ")
    })
}

pub(super) fn item(line: &str) -> Option<&str> {
    BULLETS
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet))
        .or_else(|| {
            let text = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let digits = line.len() - text.len();
            let text = text.strip_prefix(". ").or_else(|| text.strip_prefix(") "))?;
            (1..=2).contains(&digits).then_some(text)
        })
}

pub(super) fn opens_code(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let is_request =
        matches!(words[..], [method, path] if METHODS.contains(&method) && path.starts_with('/'));
    is_request || CODE_OPENINGS.iter().any(|opening| line.starts_with(opening))
}
