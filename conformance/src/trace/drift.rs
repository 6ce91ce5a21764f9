use std::{
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{
    page::passages,
    passage::{Form, Passage},
    sentence::{Sentence, pages, sentences},
};

/// What is read of a page at most; the published ones have a sixteenth of it.
const LARGEST_PAGE: u64 = 256 * 1024;

/// One place where a page is not what its rows say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    /// Another passage stands where this row's sentence stood.
    Changed {
        /// The row.
        id: String,
        /// What stands there now.
        now: Passage,
    },
    /// The page no longer has this row's sentence.
    Missing {
        /// The row.
        id: String,
        /// What the sentence said, in our words.
        paraphrase: String,
    },
    /// The page has a passage without a row.
    New {
        /// The page.
        page: String,
        /// The row that it stands behind; none at the start of the page.
        behind: Option<String>,
        /// The passage.
        now: Passage,
    },
}

/// A page that could not be compared at all.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {source}", path.display())]
pub struct UnreadablePage {
    path: PathBuf,
    source: io::Error,
}

/// Where the pages in a directory, one `<page>.txt` each, are not what the table says of them. Other files there are not
/// looked at.
pub fn drift(directory: &Path) -> Result<Vec<Drift>, UnreadablePage> {
    let mut found = Vec::new();
    for page in pages() {
        let path = directory.join(format!("{page}.txt"));
        let text = read(&path).map_err(|source| UnreadablePage { path, source })?;
        let rows: Vec<&Sentence> = sentences().iter().filter(|row| row.page == page).collect();
        found.extend(compare(page, &rows, passages(&text)));
    }
    Ok(found)
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?
        .take(LARGEST_PAGE + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST_PAGE {
        return Err(io::Error::other(format!("it has more than {LARGEST_PAGE} bytes")));
    }
    Ok(text)
}

fn compare(page: &str, rows: &[&Sentence], now: Vec<Passage>) -> Vec<Drift> {
    let hashes: Vec<String> = now.iter().map(Passage::hash).collect();
    let kept = kept(rows, &hashes);
    let mut found = Vec::new();
    let (mut row, mut at) = (0, 0);
    // One stretch of differences before each sentence that was kept, and one behind the last.
    for (kept_row, kept_at) in kept.into_iter().chain([(rows.len(), now.len())]) {
        let mut gone = rows[row..kept_row].iter();
        let mut behind = row.checked_sub(1).map(|before| rows[before].id.clone());
        for passage in &now[at..kept_at] {
            let now = passage.clone();
            match gone.next() {
                Some(old) => {
                    behind = Some(old.id.clone());
                    found.push(Drift::Changed {
                        id: old.id.clone(),
                        now,
                    });
                }
                None => found.push(Drift::New {
                    page: page.to_owned(),
                    behind: behind.clone(),
                    now,
                }),
            }
        }
        found.extend(gone.map(|old| Drift::Missing {
            id: old.id.clone(),
            paraphrase: old.paraphrase.clone(),
        }));
        (row, at) = (kept_row + 1, kept_at + 1);
    }
    found
}

/// The longest common subsequence of the two, as pairs of places.
fn kept(rows: &[&Sentence], hashes: &[String]) -> Vec<(usize, usize)> {
    let width = hashes.len() + 1;
    let mut longest = vec![0_u32; (rows.len() + 1) * width];
    for row in (0..rows.len()).rev() {
        for at in (0..hashes.len()).rev() {
            longest[row * width + at] = if rows[row].hash == hashes[at] {
                longest[(row + 1) * width + at + 1] + 1
            } else {
                longest[(row + 1) * width + at].max(longest[row * width + at + 1])
            };
        }
    }
    let (mut row, mut at, mut pairs) = (0, 0, Vec::new());
    while row < rows.len() && at < hashes.len() {
        if rows[row].hash == hashes[at] {
            pairs.push((row, at));
            (row, at) = (row + 1, at + 1);
        } else if longest[(row + 1) * width + at] >= longest[row * width + at + 1] {
            row += 1;
        } else {
            at += 1;
        }
    }
    pairs
}

impl fmt::Display for Drift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { id, now } => write!(formatter, "changed {id}: {}", Shown(now)),
            Self::Missing { id, paraphrase } => write!(formatter, "missing {id}: {paraphrase}"),
            Self::New { page, behind, now } => match behind {
                Some(id) => write!(formatter, "new behind {id}: {}", Shown(now)),
                None => write!(formatter, "new at the start of {page}: {}", Shown(now)),
            },
        }
    }
}

struct Shown<'p>(&'p Passage);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Passage { form, text } = self.0;
        // A sentence is shown whole, of a block of code only how it begins.
        let shown: String = match form {
            Form::Code => text.chars().take(100).collect(),
            Form::Heading | Form::Sentence | Form::Row => text.clone(),
        };
        write!(formatter, "{} ({}) {shown}", self.0.hash(), form.word())
    }
}

#[cfg(test)]
mod tests;
