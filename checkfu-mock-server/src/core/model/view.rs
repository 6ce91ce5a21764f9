//! Who sees an event (A-VIEW).

/// In which histories an event stands (A-VIEW).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    /// The Session's, which is the primary thread's.
    pub(super) session: bool,
    /// The one of the child at this place.
    pub(super) child: Option<usize>,
}

impl View {
    /// Of an event on a child's thread, or on none of a child. A call that blocks somebody stands in both.
    pub(super) fn of(name: &str, child: Option<usize>) -> Self {
        Self {
            session: child.is_none() || is_shared(name),
            child,
        }
    }
}

/// A-VIEW: of what stands on a child's thread, what the Session's view has too. A call only if it blocks.
fn is_shared(name: &str) -> bool {
    let (family, rest) = name.split_once('.').unwrap_or((name, ""));
    match family {
        "user" | "action_approval" => true,
        "session" => rest.starts_with("thread_"),
        "agent" => rest == "question" || rest.starts_with("thread_message_"),
        _ => false,
    }
}
