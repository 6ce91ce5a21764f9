//! Faults that can never do anything.

use super::effect::{Cut, Effect, Point};
use super::operation::Operation;
use super::plan::Fault;

impl Fault {
    /// Why this fault cannot change anything of what it names; nothing if it can.
    pub(crate) fn misfit(&self) -> Option<&'static str> {
        let operation = self.on.operation?;
        if operation == Operation::Connect {
            return self.misfit_of_a_connection();
        }
        let cut_within_events = matches!(
            self.effect,
            Effect::Cut(Cut {
                at: Point::Event | Point::MidEvent,
                ..
            })
        );
        match self.effect {
            _ if cut_within_events && !operation.is_stream() => {
                Some("has no events to cut between; plan it on stream or thread_stream")
            }
            Effect::Format(_)
            | Effect::Insert(_)
            | Effect::Event(_)
            | Effect::Preview(_)
            | Effect::Resume(_)
                if !operation.is_stream() =>
            {
                Some(
                    "is no stream, and this effect changes streams alone; plan it on stream or thread_stream",
                )
            }
            Effect::Page(_) if !operation.is_list() => Some(
                "gives no pages, which this effect changes alone; plan it on list_sessions, list_events or list_thread_events",
            ),
            Effect::Stale(_) if !operation.is_list() && !operation.is_read() => Some(
                "reads nothing that could lag; plan it on retrieve_session, list_sessions, list_events or list_thread_events",
            ),
            _ => None,
        }
    }

    fn misfit_of_a_connection(&self) -> Option<&'static str> {
        let on = &self.on;
        let asked = on.method.is_some() || on.path.is_some() || on.session.is_some();
        if asked || on.keyed == Some(true) || on.resumed == Some(true) {
            return Some(
                "connect is met before any request: leave method, path, session, keyed and resumed out",
            );
        }
        match self.effect {
            Effect::Cut(_) | Effect::Delay(_) => None,
            _ => Some("connect is met by cut and delay alone; plan this effect on requests"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::{GoAway, Page, PageEdit, Preview, PreviewEdit, Resume, Stale};
    use super::super::target::On;
    use super::super::{Delay, How};
    use super::*;

    #[test]
    fn what_can_change_something_is_let_through() {
        let delay = Delay {
            milliseconds: 1,
            run: false,
        };
        let on = On::operation;
        let mid_event = Cut::new(How::Reset, Point::MidEvent);
        let fits = [
            Fault::new(on(Operation::Connect), delay),
            Fault::new(on(Operation::Connect), Cut::new(How::Reset, Point::Request)),
            Fault::new(on(Operation::ThreadStream), mid_event),
            Fault::new(On::any(), mid_event),
            Fault::new(On::any(), Preview::new(PreviewEdit::Drop)),
            Fault::new(on(Operation::ListThreadEvents), Page::new(PageEdit::Loop)),
            Fault::new(on(Operation::RetrieveSession), Stale { events: 1 }),
            Fault::new(on(Operation::Other), Stale { events: 1 }),
            Fault::new(on(Operation::PostEvent), GoAway {}),
        ];
        for fault in fits {
            assert_eq!(fault.misfit(), None, "{fault:?}");
        }
        let misfits = [
            Fault::new(on(Operation::Connect).keyed(true), delay),
            Fault::new(on(Operation::PostEvent), mid_event),
            Fault::new(on(Operation::ListEvents), Resume { rewind: None }),
            Fault::new(on(Operation::RetrieveSession), Page::new(PageEdit::Loop)),
            Fault::new(on(Operation::Stream), Stale { events: 1 }),
            Fault::new(on(Operation::PostEvent), Stale { events: 1 }),
        ];
        for fault in misfits {
            assert!(fault.misfit().is_some(), "{fault:?}");
        }
    }
}
