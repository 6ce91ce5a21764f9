use super::dice::Dice;
use crate::agent::AgentKind;

/// What the processes of one history do, as far as a seed can say it: places in a log are numbers that are taken modulo what
/// is there when their turn comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The Agent of the first Session; none for the target's deployment.
    pub(crate) agent: Option<AgentKind>,
    pub(crate) processes: Vec<Vec<Step>>,
    /// Numbers for the reads of the end, when everything is drained.
    pub(crate) finale: Finale,
}

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

/// How the logs are read in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finale {
    pub(crate) limits: [u32; 2],
    pub(crate) wrong: Wrong,
    /// Where streams resume.
    pub(crate) cursors: Vec<u64>,
    /// Behind which byte of the whole stream a connection is cut.
    pub(crate) cut: u64,
}

const WRONG: [Wrong; 9] = [
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

/// What can be refused to a Session at rest, so that the lists around it show whether it did something.
const WRONG_AT_REST: [Wrong; 5] = [
    Wrong::NoAuthor,
    Wrong::SeveralEvents,
    Wrong::UnknownQuestion,
    Wrong::UnknownThread,
    Wrong::ForkOfNothing,
];

pub(super) const AGENTS: [AgentKind; 6] = [
    AgentKind::Question,
    AgentKind::CustomTool,
    AgentKind::Approval,
    AgentKind::SeveralActions,
    AgentKind::Previews,
    AgentKind::Parallel,
];

impl Script {
    /// That of one history of the run with this seed.
    ///
    /// ```
    /// use checkfu_conformance::model::Script;
    /// assert_eq!(Script::of(7, 3), Script::of(7, 3));
    /// assert_ne!(Script::of(7, 3), Script::of(7, 4));
    /// ```
    pub fn of(seed: u64, history: u64) -> Self {
        let dice = &mut Dice::of_history(seed, history);
        let agent = dice.percent(50).then(|| of(dice, &AGENTS));
        let processes = dice.between(2, 4);
        let steps = dice.between(8, 24) / processes;
        Self {
            agent,
            processes: (0..processes)
                .map(|_| (0..=steps).map(|_| Step::any(dice, agent)).collect())
                .collect(),
            finale: Finale {
                limits: [limit(dice), limit(dice)],
                wrong: of(dice, &WRONG_AT_REST),
                cursors: (0..dice.between(1, 4)).map(|_| dice.roll()).collect(),
                cut: dice.roll(),
            },
        }
    }
}

impl Step {
    fn any(dice: &mut Dice, agent: Option<AgentKind>) -> Self {
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
                what: of(dice, &WRONG),
            },
            65..82 => Self::List {
                session,
                place: Place::any(dice),
                limit: limit(dice),
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

fn limit(dice: &mut Dice) -> u32 {
    [1, 2, 3, 7, 20, 100, 1000, 5000][dice.below(8) as usize]
}

fn of<T: Copy>(dice: &mut Dice, items: &[T]) -> T {
    items[dice.below(items.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the seed, a run of two hundred does each kind of thing.
    #[test]
    fn scripts_are_small_and_hold_every_kind_of_step() {
        let scripts: Vec<Script> = (0..200).map(|history| Script::of(1, history)).collect();
        let steps: Vec<&Step> = scripts
            .iter()
            .flat_map(|script| script.processes.iter().flatten())
            .collect();
        assert!(
            scripts
                .iter()
                .all(|script| (2..=4).contains(&script.processes.len()))
        );
        let each =
            |holds: &dyn Fn(&Step) -> bool| assert!(steps.iter().filter(|step| holds(step)).count() > 20);
        each(&|step| {
            matches!(
                step,
                Step::Say {
                    sending: Sending::Lost(_),
                    ..
                }
            )
        });
        each(&|step| {
            matches!(
                step,
                Step::Say {
                    sending: Sending::KeyTwice,
                    ..
                }
            )
        });
        each(&|step| matches!(step, Step::Turn { .. }));
        each(&|step| matches!(step, Step::Interrupt { .. }));
        each(&|step| matches!(step, Step::Answer { .. }));
        each(&|step| {
            matches!(
                step,
                Step::Fork {
                    place: Place::Seen(_),
                    ..
                }
            )
        });
        each(&|step| matches!(step, Step::List { pages: Some(_), .. }));
        each(&|step| matches!(step, Step::Stream { readers, .. } if readers.len() == 2));
        for wrong in WRONG {
            assert!(
                steps
                    .iter()
                    .any(|step| matches!(step, Step::Wrong { what, .. } if *what == wrong)),
                "{wrong:?}"
            );
        }
    }
}
