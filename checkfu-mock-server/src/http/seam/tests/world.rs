//! A log, two writers, one reader and a trimmer, in which every step is one that nothing else can come in between.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::super::{Gap, LogEnd, Next, Retained, Seam};

/// How many steps are enumerated, before everything comes to rest.
const STEPS: usize = 8;

/// Events that are there from the beginning.
const BEFORE: u64 = 2;

/// More than any right reader needs to come to rest.
const REST: usize = 64;

#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) view: &'static str,
    /// Which events the stream's view has.
    pub(super) in_view: fn(u64) -> bool,
    /// The cursor that the reader comes with.
    pub(super) start: u64,
    /// Events on a page.
    pub(super) page: usize,
    /// The event after which nothing follows, if there is one.
    pub(super) terminal: Option<u64>,
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            view,
            start,
            page,
            terminal,
            ..
        } = self;
        write!(
            formatter,
            "{view} after {start}, pages of {page}, the last {terminal:?}"
        )
    }
}

/// What a reader does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    SubscribesAfterItsLastRead,
    IgnoresTheWake,
    TrustsTheToldRetention,
    MovesToTheHeadBeforeSending,
    MovesOnlyByWhatItSends,
    ResumesAtTheHead,
    ClosesWhenTheEndIsTold,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// The writer's next: it appends, its commit is done, its wake is sent.
    Write(usize),
    /// The reader's next: it subscribes, reads a page, sends it, wakes.
    Read,
    Disconnect,
    TrimOne,
    TrimAll,
    TellTrim,
}

const ALL: [Step; 7] = [
    Step::Write(0),
    Step::Write(1),
    Step::Read,
    Step::Disconnect,
    Step::TrimOne,
    Step::TrimAll,
    Step::TellTrim,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Writer {
    Idle,
    Appended(u64),
    Committed(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reader {
    Away,
    Reading {
        seam: Seam,
        after: u64,
        up_to: u64,
        told_first: u64,
    },
    Sending {
        seam: Seam,
        page: Vec<u64>,
    },
    /// Only of a reader that subscribes too late.
    BeforeSubscribing(Seam),
    Waiting(Seam),
    /// Over a gap.
    Refused,
    /// At the end of a terminal log.
    Ended,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Connection {
    from: u64,
    delivered: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    appended: u64,
    committed: u64,
    first_seq: u64,
    /// First and last `seq` as told.
    told: (u64, u64),
    /// The reader has not yet looked at what was told last.
    unseen: bool,
    writers: [Writer; 2],
    reader: Reader,
    cursor: u64,
    connections: Vec<Connection>,
}

/// How much was gone through.
#[derive(Debug, Default)]
pub(super) struct Explored {
    pub(super) states: usize,
    /// Sequences of steps, of the full length.
    pub(super) orders: u64,
}

/// Goes through every order of steps, or says what went wrong and after which steps. Orders that lead to the same state
/// go on together.
pub(super) fn explore(setting: &Setting, flaw: Flaw) -> Result<Explored, String> {
    let mut seen = HashSet::new();
    let mut frontier = HashMap::from([(World::at_the_beginning(setting), (1, Vec::new()))]);
    for _ in 0..STEPS {
        let mut next: HashMap<World, (u64, Vec<Step>)> = HashMap::new();
        for (world, (orders, path)) in frontier {
            for step in ALL {
                let Some(after) = world.clone().step(step, setting, flaw) else {
                    continue;
                };
                if let Some((known, _)) = next.get_mut(&after) {
                    *known += orders;
                    continue;
                }
                let path = [path.as_slice(), &[step]].concat();
                if seen.insert(after.clone()) {
                    let told = |problem| format!("{problem} after {path:?}");
                    after.check(setting).map_err(told)?;
                    after.clone().rest(setting, flaw).map_err(told)?;
                }
                next.insert(after, (orders, path));
            }
        }
        frontier = next;
    }
    Ok(Explored {
        states: seen.len(),
        orders: frontier.values().map(|(orders, _)| orders).sum(),
    })
}

impl World {
    fn at_the_beginning(setting: &Setting) -> Self {
        Self {
            appended: BEFORE,
            committed: BEFORE,
            first_seq: 1,
            told: (1, BEFORE),
            unseen: false,
            writers: [Writer::Idle; 2],
            reader: Reader::Away,
            cursor: setting.start,
            connections: Vec::new(),
        }
    }

    /// The world after a step, if it is possible now.
    fn step(mut self, step: Step, setting: &Setting, flaw: Flaw) -> Option<Self> {
        match step {
            Step::Write(writer) => self.write(writer, setting)?,
            Step::Read => self.read(setting, flaw)?,
            Step::Disconnect if matches!(self.reader, Reader::Away | Reader::Refused | Reader::Ended) => {
                return None;
            }
            Step::Disconnect => self.reader = Reader::Away,
            Step::TrimOne | Step::TrimAll if self.first_seq > self.committed => return None,
            Step::TrimOne => self.first_seq += 1,
            Step::TrimAll => self.first_seq = self.committed + 1,
            Step::TellTrim if self.told.0 == self.first_seq => return None,
            Step::TellTrim => self.tell(self.told.1),
        }
        Some(self)
    }

    fn write(&mut self, writer: usize, setting: &Setting) -> Option<()> {
        let [one, other] = [writer, 1 - writer].map(|writer| self.writers[writer]);
        self.writers[writer] = match one {
            Writer::Idle if setting.terminal == Some(self.appended) => return None,
            Writer::Idle => {
                self.appended += 1;
                Writer::Appended(self.appended)
            }
            // Whatever was appended before is in the same commit.
            Writer::Appended(seq) => {
                self.committed = self.committed.max(seq);
                Writer::Committed(seq)
            }
            // One task sends the wakes, in order.
            Writer::Committed(seq) => match other {
                Writer::Appended(earlier) | Writer::Committed(earlier) if earlier < seq => return None,
                _ => {
                    self.tell(seq);
                    Writer::Idle
                }
            },
        };
        Some(())
    }

    fn tell(&mut self, last_seq: u64) {
        self.told = (self.first_seq, last_seq);
        self.unseen = true;
    }

    fn read(&mut self, setting: &Setting, flaw: Flaw) -> Option<()> {
        match self.reader.clone() {
            Reader::Away => self.subscribe(setting, flaw),
            Reader::Reading {
                seam,
                after,
                up_to,
                told_first,
            } => {
                self.page(seam, (after, up_to), told_first, setting, flaw);
            }
            Reader::Sending { seam, page } => {
                self.cursor = *page.last()?;
                self.connections.last_mut()?.delivered.extend(page);
                self.look(seam, setting, flaw);
            }
            Reader::BeforeSubscribing(seam) => {
                self.unseen = false;
                self.reader = Reader::Waiting(seam);
            }
            Reader::Waiting(seam) if self.unseen && flaw != Flaw::IgnoresTheWake => {
                self.look(seam, setting, flaw)
            }
            Reader::Waiting(_) | Reader::Refused | Reader::Ended => return None,
        }
        Some(())
    }

    /// As a stream begins: subscribed, then held against the end that was told, or against the log itself.
    fn subscribe(&mut self, setting: &Setting, flaw: Flaw) {
        let mut seam = Seam::resume(self.cursor, end(self.told.0, self.told.1, setting));
        if matches!(seam, Err(Gap::Ahead { .. })) {
            seam = Seam::resume(self.cursor, end(self.first_seq, self.committed, setting));
        }
        if flaw == Flaw::ResumesAtTheHead {
            seam = Seam::resume(self.told.1, end(self.told.0, self.told.1, setting));
        }
        match seam {
            Ok(seam) => {
                let from = self.cursor;
                self.connections.push(Connection {
                    from,
                    delivered: Vec::new(),
                });
                self.look(seam, setting, flaw);
            }
            Err(_) => self.reader = Reader::Refused,
        }
    }

    /// Looks at the end that was told last and decides.
    fn look(&mut self, mut seam: Seam, setting: &Setting, flaw: Flaw) {
        self.unseen = false;
        let told = end(self.told.0, self.told.1, setting);
        if flaw == Flaw::ClosesWhenTheEndIsTold && told.terminal {
            self.reader = Reader::Ended;
            return;
        }
        self.reader = match seam.next(told) {
            Next::Read { after, up_to } => {
                if flaw == Flaw::MovesToTheHeadBeforeSending {
                    let _ = seam.page_read(up_to, None, false, told.retained);
                }
                Reader::Reading {
                    seam,
                    after,
                    up_to,
                    told_first: told.retained.first_seq,
                }
            }
            Next::Wait { .. } if flaw == Flaw::SubscribesAfterItsLastRead => Reader::BeforeSubscribing(seam),
            Next::Wait { .. } => Reader::Waiting(seam),
            Next::Close if told.terminal && seam.cursor >= self.told.1 => Reader::Ended,
            Next::Close => Reader::Away,
        };
    }

    fn page(&mut self, mut seam: Seam, read: (u64, u64), told_first: u64, setting: &Setting, flaw: Flaw) {
        let (after, up_to) = read;
        let retained = (after + 1).max(self.first_seq)..=self.committed;
        let page: Vec<u64> = retained
            .filter(|&seq| (setting.in_view)(seq))
            .take(setting.page)
            .collect();
        let full = page.len() == setting.page || flaw == Flaw::MovesOnlyByWhatItSends;
        let first_seq = if flaw == Flaw::TrustsTheToldRetention {
            told_first
        } else {
            self.first_seq
        };
        let retained = Retained {
            first_seq,
            last_seq: self.committed,
        };
        match seam.page_read(up_to, page.last().copied(), full, retained) {
            Err(_) => self.reader = Reader::Away,
            Ok(()) if page.is_empty() => self.look(seam, setting, flaw),
            Ok(()) => self.reader = Reader::Sending { seam, page },
        }
    }

    /// The writers finish, and the reader goes on, coming back as often as it is closed.
    fn rest(mut self, setting: &Setting, flaw: Flaw) -> Result<(), String> {
        for _ in 0..REST {
            let finishing = (0..2)
                .filter(|&writer| self.writers[writer] != Writer::Idle)
                .map(Step::Write);
            let steps = finishing.chain([Step::TellTrim, Step::Read]);
            let mut steps = steps.filter_map(|step| self.clone().step(step, setting, flaw));
            let Some(after) = steps.next() else {
                self.check(setting)?;
                return self.check_rest(setting);
            };
            self = after;
        }
        Err(format!("never comes to rest: {self:?}"))
    }

    /// What has to hold at any time: each connection delivers the view without a hole, in order, from its cursor on. Only
    /// from the beginning, what was trimmed may be missing in front.
    fn check(&self, setting: &Setting) -> Result<(), String> {
        for connection in &self.connections {
            let mut expected: Vec<u64> = self.view_after(connection.from, setting);
            if connection.from == 0 {
                let first = connection.delivered.first().copied().unwrap_or(u64::MAX);
                expected.retain(|&seq| seq >= first || seq >= self.first_seq);
            }
            if !expected.starts_with(&connection.delivered) {
                return Err(format!("delivered {connection:?} of {expected:?}"));
            }
        }
        Ok(())
    }

    /// At rest, everything was delivered, unless the reader was told of the gap.
    fn check_rest(&self, setting: &Setting) -> Result<(), String> {
        let expired = self.cursor > 0 && self.cursor + 1 < self.first_seq;
        let left: Vec<u64> = self.view_after(self.cursor, setting);
        let left = left.into_iter().filter(|&seq| seq >= self.first_seq).count();
        match &self.reader {
            Reader::Refused if expired => Ok(()),
            Reader::Waiting(_) if left == 0 && setting.terminal.is_none_or(|last| self.committed < last) => {
                Ok(())
            }
            Reader::Ended if left == 0 && setting.terminal == Some(self.committed) => Ok(()),
            reader => Err(format!("{left} events left, expired: {expired}, {reader:?}")),
        }
    }

    /// Every event of the view that was ever committed after a cursor, trimmed ones included.
    fn view_after(&self, cursor: u64, setting: &Setting) -> Vec<u64> {
        (cursor + 1..=self.committed)
            .filter(|&seq| (setting.in_view)(seq))
            .collect()
    }
}

fn end(first_seq: u64, last_seq: u64, setting: &Setting) -> LogEnd {
    LogEnd {
        retained: Retained { first_seq, last_seq },
        terminal: setting.terminal == Some(last_seq),
    }
}
