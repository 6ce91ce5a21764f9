use crate::{agent::AgentKind, model::dice::Dice};

/// One thing that a process does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Say {
        session: u64,
        sending: Sending,
    },
    /// Says something and reads until the Session is at rest.
    Turn {
        session: u64,
    },
    Interrupt {
        session: u64,
    },
    /// Answers what the Agent asked for, if it did.
    Answer {
        session: u64,
    },
    Fork {
        session: u64,
        place: Place,
    },
    Wrong {
        session: u64,
        what: Wrong,
    },
    List {
        session: u64,
        place: Place,
        limit: u32,
        by_number: bool,
        pages: Option<u64>,
    },
    Stream {
        session: u64,
        readers: Vec<Reader>,
    },
}

/// How a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    Once,
    /// Once more under its key after it was acknowledged.
    Twice,
    /// The connection is dropped so many microseconds after sending, then the message is sent again under its key.
    Lost(u64),
    /// Another message under its key.
    KeyTwice,
}

/// A place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before its first event, or at its head for a fork.
    Natural,
    /// One of the numbers that any process has seen.
    Seen(u64),
}

/// A call that has to be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    NoAuthor,
    SeveralEvents,
    NoJson,
    UnknownSession,
    UnknownQuestion,
    UnknownThread,
    ForkOfNothing,
    BothCursors,
    CursorAhead,
}

/// One reader of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) place: Place,
    pub(crate) previews: bool,
    /// It leaves after so many frames.
    pub(crate) frames: u64,
    /// And then goes on behind the last of them so often.
    pub(crate) again: u64,
}

pub(super) const WRONG: [Wrong; 9] = [
    Wrong::NoAuthor,
    Wrong::SeveralEvents,
    Wrong::NoJson,
    Wrong::UnknownSession,
    Wrong::UnknownQuestion,
    Wrong::UnknownThread,
    Wrong::ForkOfNothing,
    Wrong::BothCursors,
    Wrong::CursorAhead,
];

impl Step {
    pub(super) fn any(dice: &mut Dice, agent: Option<AgentKind>) -> Self {
        // The first Session is the favourite, so that processes meet.
        let session = if dice.percent(60) { 0 } else { dice.roll() };
        match dice.below(100) {
            0..28 => Self::Say {
                session,
                sending: Sending::any(dice),
            },
            28..36 => Self::Turn { session },
            36..42 => Self::Interrupt { session },
            42..50 => match agent {
                Some(_) => Self::Answer { session },
                None => Self::Turn { session },
            },
            50..57 => Self::Fork {
                session,
                place: Place::any(dice),
            },
            57..65 => Self::Wrong {
                session,
                what: dice.pick(&WRONG),
            },
            65..82 => Self::List {
                session,
                place: Place::any(dice),
                limit: dice.page_limit(),
                by_number: dice.percent(50),
                pages: dice.percent(30).then(|| dice.between(1, 3)),
            },
            _ => Self::Stream {
                session,
                readers: (0..dice.between(1, 2)).map(|_| Reader::any(dice)).collect(),
            },
        }
    }
}

impl Sending {
    fn any(dice: &mut Dice) -> Self {
        match dice.below(10) {
            0..4 => Self::Once,
            4..6 => Self::Twice,
            6..9 => Self::Lost(dice.below(4_000)),
            _ => Self::KeyTwice,
        }
    }
}

impl Place {
    fn any(dice: &mut Dice) -> Self {
        match dice.percent(40) {
            true => Self::Natural,
            false => Self::Seen(dice.roll()),
        }
    }
}

impl Reader {
    fn any(dice: &mut Dice) -> Self {
        Self {
            place: Place::any(dice),
            previews: dice.percent(50),
            frames: dice.below(16),
            again: dice.below(3),
        }
    }
}
