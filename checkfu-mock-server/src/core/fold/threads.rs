//! Threads in the fold (A-VIEW).

use crate::core::event::{Event, EventData};
use crate::core::session::Session;
use crate::core::status::ThreadStatus;
use crate::core::thread::Thread;
use crate::core::touched::Touched;

impl Session {
    pub(super) fn change_thread(
        &mut self,
        event: &Event,
        touched: &mut Touched,
        change: impl FnOnce(&mut Thread),
    ) {
        if let Some(thread) = self
            .threads
            .iter_mut()
            .find(|thread| Some(&thread.id) == event.session_thread_id.as_ref())
        {
            change(thread);
            touched.threads.push(thread.id.clone());
        }
    }

    /// A-VIEW: the primary thread has no events of its own status; it follows its Runs and the Session.
    pub(super) fn follow_primary(&mut self, event: &Event, touched: &mut Touched) {
        let Some(primary) = self.threads.first() else {
            return;
        };
        let status = self.thread_status(primary);
        let stop_reason = match (&event.data, status) {
            // Of Runs that overlap another one may go on over an idle: then the thread does not rest.
            (_, ThreadStatus::Running) => Some(None),
            (EventData::StatusIdle(idle), _) => Some(Some(idle.stop_reason.clone())),
            _ => None,
        };
        let changed = primary.status != status
            || stop_reason
                .as_ref()
                .is_some_and(|reason| *reason != primary.stop_reason);
        if !changed {
            return;
        }
        let Some(primary) = self.threads.first_mut() else {
            return;
        };
        match status {
            ThreadStatus::Running => primary.become_running(event.created_at),
            ThreadStatus::Idle | ThreadStatus::Rescheduling | ThreadStatus::Terminated => {
                primary.come_to_rest(status, event.created_at);
            }
        }
        if let Some(reason) = stop_reason {
            primary.stop_reason = reason;
        }
        touched.threads.push(primary.id.clone());
    }
}
