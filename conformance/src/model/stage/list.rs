use std::collections::HashSet;

use serde_json::Value;

use super::{
    outcome::{ending, is_success, refusal},
    recorder::Ending,
    setting::Stage,
};
use crate::{
    json,
    model::history::{Call, Seen, Walk, WalkEnd},
    stimulus::{event::Event, session},
    wire::{exchange::Exchange, request::Request},
};

/// More pages than this has no log of a history.
const LONGEST_WALK: usize = 3_000;

/// How a list is walked through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walking {
    pub(super) after: u64,
    pub(super) limit: u32,
    /// On by the last number instead of by `next_page`.
    pub(super) by_number: bool,
    /// The reader has enough after so many pages.
    pub(super) pages: Option<u64>,
}

/// A page as far as it could be read.
struct Page {
    events: Vec<Event>,
    next: Option<String>,
}

impl Walking {
    pub(super) fn whole(limit: u32, by_number: bool) -> Self {
        Self {
            after: 0,
            limit,
            by_number,
            pages: None,
        }
    }
}

impl Stage<'_> {
    /// Walks through the list and returns what it showed.
    pub(super) async fn list(&self, process: u32, session: &str, walking: Walking) -> Vec<Event> {
        // A walk that begins by a number goes on by numbers.
        let by_number = walking.by_number || walking.after > 0;
        let call = Call::List {
            session: session.to_owned(),
            after: walking.after,
            limit: walking.limit,
            walk: if by_number { Walk::After } else { Walk::Page },
        };
        let begun = self.recorder.begin(process, call);
        let (mut pages, mut tokens) = (Vec::<Vec<Event>>::new(), HashSet::new());
        let (mut cursor, mut token) = (walking.after, None::<String>);
        let end = loop {
            let mut request = Request::get(session::events(session)).query("limit", walking.limit);
            if let Some(token) = &token {
                request = request.query("page", token);
            } else if cursor > 0 {
                request = request.query("after", cursor);
            }
            let sent = self.client.send(request).await;
            let page = match sent.as_ref().map(|answer| read(answer)) {
                Ok(Ok(page)) => page,
                Ok(Err(why)) => break Err(Ending::unknown(why)),
                Err(_) => break Err(ending(&sent)),
            };
            let last = page.events.last().map(|event| event.seq);
            let ended = match by_number {
                true => page.events.is_empty() && page.next.is_none(),
                false => page.next.is_none(),
            };
            let stuck = by_number && !ended && last.is_none_or(|last| last <= cursor);
            cursor = if by_number { last.unwrap_or(cursor) } else { 0 };
            token = page.next.filter(|_| !by_number);
            if !page.events.is_empty() || pages.is_empty() {
                pages.push(page.events);
            }
            if ended {
                break Ok(WalkEnd::Last);
            }
            let again = token.as_ref().is_some_and(|token| !tokens.insert(token.clone()));
            if again || stuck || pages.len() >= LONGEST_WALK {
                break Ok(WalkEnd::Endless);
            }
            if walking.pages.is_some_and(|most| pages.len() as u64 >= most) {
                break Ok(WalkEnd::Cut);
            }
        };
        let names = |page: &Vec<Event>| page.iter().map(|event| self.recorder.name(&event.raw)).collect();
        let ending = end.map_or_else(
            |ending| ending,
            |end| {
                Ending::ok(Some(Seen::Pages {
                    pages: pages.iter().map(names).collect(),
                    end,
                }))
            },
        );
        self.recorder.end(begun, ending);
        let events: Vec<Event> = pages.into_iter().flatten().collect();
        self.sessions.learn(session, &events);
        events
    }
}

fn read(answer: &Exchange) -> Result<Page, String> {
    if !is_success(answer) {
        return Err(refusal(answer));
    }
    let body = json::read(answer.body()).map_err(|error| format!("a page that is no JSON: {error}"))?;
    let data = body
        .get("data")
        .and_then(Value::as_array)
        .ok_or("a page without data")?;
    let events: Result<Vec<Event>, String> = data.iter().map(Event::read).collect();
    let next = body.get("next_page").and_then(Value::as_str);
    Ok(Page {
        events: events?,
        next: next.map(str::to_owned),
    })
}
