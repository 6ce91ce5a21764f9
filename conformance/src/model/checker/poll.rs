//! P08: later reads do not go back.

use super::{
    finding::Docket,
    order::shown,
    view::{Message, Read, View},
};
use crate::{
    model::{
        anomaly::Property,
        history::{Operation, Phase},
    },
    stimulus::event::Event,
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    let messages = view.messages_by_session();
    for session in view.logs.keys() {
        let mut lists: Vec<&Read<'_>> = view
            .reads_of(session)
            .filter(|read| read.is_whole_list())
            .collect();
        lists.sort_by_key(|read| read.operation.invoked);
        let known = nothing_less_than_read(view, session, &lists, docket);
        let sent = messages.get(session).map_or(&[][..], Vec::as_slice);
        nothing_less_than_acknowledged(sent, session, &lists, &known, docket);
    }
}

/// Returns the highest seq read before each list.
fn nothing_less_than_read(
    view: &View<'_>,
    session: &str,
    lists: &[&Read<'_>],
    docket: &mut Docket,
) -> Vec<u64> {
    let mut reads: Vec<&Read<'_>> = view
        .reads_of(session)
        .filter(|read| !read.events.is_empty())
        .collect();
    reads.sort_by_key(|read| read.operation.completed.unwrap_or(usize::MAX));
    let mut earlier = reads.into_iter().peekable();
    let mut highest: Option<&Read<'_>> = None;
    let before = |list: &&Read<'_>| {
        while let Some(read) = earlier.next_if(|read| read.operation.is_before(list.operation)) {
            if highest.is_none_or(|highest| read.head > highest.head) {
                highest = Some(read);
            }
        }
        let Some(read) = highest else {
            return 0;
        };
        docket.decide(Property::FreshReads);
        if list.head < read.head {
            docket.find(
                "nonmonotonic-poll",
                format!("{session} seq {}", read.head),
                &[read.operation, list.operation],
                format!("a list up to {} at least, which was read before", read.head),
                format!("it ends at {}", list.head),
            );
        }
        read.head
    };
    lists.iter().map(before).collect()
}

fn nothing_less_than_acknowledged(
    sent: &[&Message<'_>],
    session: &str,
    lists: &[&Read<'_>],
    known: &[u64],
    docket: &mut Docket,
) {
    let mut appended: Vec<(&Operation, &Event)> = sent
        .iter()
        .filter_map(|message| {
            let ok = message
                .attempts
                .iter()
                .filter(|attempt| attempt.phase == Phase::Ok);
            let (_, event, _) = message.copies.iter().find(|(copy, ..)| *copy == session)?;
            Some((*ok.min_by_key(|attempt| attempt.completed)?, *event))
        })
        .collect();
    appended.sort_by_key(|(operation, _)| operation.completed);
    let mut earlier = appended.into_iter().peekable();
    let mut highest: Option<(&Operation, &Event)> = None;
    for (list, read) in lists.iter().zip(known) {
        while let Some((operation, event)) =
            earlier.next_if(|(operation, _)| operation.is_before(list.operation))
        {
            if highest.is_none_or(|(_, highest)| event.seq > highest.seq) {
                highest = Some((operation, event));
            }
        }
        let Some((operation, event)) = highest else {
            continue;
        };
        docket.decide(Property::FreshReads);
        // What was read before is the matter of the other rule.
        if list.head < event.seq && event.seq > *read {
            docket.find(
                "stale-read",
                format!("{session} seq {}", event.seq),
                &[operation, list.operation],
                format!("a list with the acknowledged {}", shown(event)),
                format!("it ends at {}", list.head),
            );
        }
    }
}
