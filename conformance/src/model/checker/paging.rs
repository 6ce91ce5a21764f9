//! P12, apart from events that are missing between two pages.

use std::collections::HashSet;

use super::{
    finding::Docket,
    order::shown,
    view::{Read, Source, View},
};
use crate::model::history::{Call, Seen, WalkEnd};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for read in &view.reads {
        let (Source::List { pages, .. }, Call::List { limit, .. }, Some(Seen::Pages { end, .. })) =
            (&read.source, &read.operation.call, &read.operation.seen)
        else {
            continue;
        };
        let mut find = |name, expected: String, actual: String| {
            let subject = format!("{} operation {}", read.session, read.operation.number);
            docket.find(name, subject, &[read.operation], expected, actual);
        };
        if let Some(again) = repeated(read) {
            find("page-repeat", "each event once in a walk".to_owned(), again);
        }
        if *end == WalkEnd::Endless {
            let actual = format!("still a next_page after {} pages", pages.len());
            find("endless-walk", "a walk that ends".to_owned(), actual);
        }
        if let Some(largest) = pages.iter().max().filter(|largest| **largest > *limit as usize) {
            find(
                "page-over-limit",
                format!("at most {limit} events a page"),
                format!("a page of {largest}"),
            );
        }
    }
}

fn repeated(read: &Read<'_>) -> Option<String> {
    let mut seen = HashSet::new();
    let again = read
        .events
        .iter()
        .find(|event| !seen.insert((event.seq, event.id.as_str())))?;
    Some(format!("{} once more", shown(again)))
}
