//! What a relay does to the traffic of a correct server.

use std::fmt;

use super::{
    kill::Kill,
    pressure::Pressure,
    traffic::{Answer, Call, Frame},
};

/// Changes a request before the server sees it.
pub type OnRequest = Box<dyn Fn(&mut Call) + Send + Sync>;
/// Answers in the server's place.
pub type Instead = Box<dyn Fn(&Call) -> Option<Answer> + Send + Sync>;
/// Changes an answer, or the head of a stream.
pub type OnAnswer = Box<dyn Fn(&Call, &mut Answer) + Send + Sync>;
/// A further request after one that was answered with this status.
pub type Also = Box<dyn Fn(&Call, u16) -> Option<Call> + Send + Sync>;
/// Changes, drops or adds frames of the stream with this number.
pub type OnFrame = Box<dyn Fn(&Call, usize, Frame) -> Vec<Frame> + Send + Sync>;
/// A frame as the chunks to send; an empty chunk ends the stream.
pub type Encode = Box<dyn Fn(Frame) -> Vec<Vec<u8>> + Send + Sync>;

/// One way to break (or merely to vary) a server, and the checks that have to notice.
pub struct Mutant {
    name: &'static str,
    kills: Vec<Kill>,
    pub(super) request: OnRequest,
    pub(super) instead: Instead,
    pub(super) answer: OnAnswer,
    pub(super) also: Also,
    pub(super) frame: OnFrame,
    pub(super) encode: Encode,
    pub(super) holds_open: bool,
    pub(super) pressure: Pressure,
}

impl Mutant {
    /// One that changes nothing yet.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            kills: Vec::new(),
            request: Box::new(|_| {}),
            instead: Box::new(|_| None),
            answer: Box::new(|_, _| {}),
            also: Box::new(|_, _| None),
            frame: Box::new(|_, _, frame| vec![frame]),
            encode: Box::new(|frame| {
                vec![if frame == Frame::end() {
                    Vec::new()
                } else {
                    frame.bytes()
                }]
            }),
            holds_open: false,
            pressure: Pressure::Waits,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn killed(&self) -> &[Kill] {
        &self.kills
    }

    /// Names a check that it turns to a failure, and a piece of what that check expected.
    pub fn kills(mut self, check: &'static str, expected: &'static str) -> Self {
        self.kills.push(Kill {
            check,
            mutant: self.name,
            expected,
        });
        self
    }

    /// Changes a request before the server sees it.
    pub fn request(self, hook: impl Fn(&mut Call) + Send + Sync + 'static) -> Self {
        Self {
            request: Box::new(hook),
            ..self
        }
    }

    /// Answers in the server's place.
    pub fn instead(self, hook: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self {
            instead: Box::new(hook),
            ..self
        }
    }

    /// Changes an answer, or the head of a stream.
    pub fn answer(self, hook: impl Fn(&Call, &mut Answer) + Send + Sync + 'static) -> Self {
        Self {
            answer: Box::new(hook),
            ..self
        }
    }

    /// Sends the server a further request after one that it answered with this status.
    pub fn also(self, hook: impl Fn(&Call, u16) -> Option<Call> + Send + Sync + 'static) -> Self {
        Self {
            also: Box::new(hook),
            ..self
        }
    }

    /// Changes, drops or adds frames with events; the number is that of the stream.
    pub fn frame(self, hook: impl Fn(&Call, usize, Frame) -> Vec<Frame> + Send + Sync + 'static) -> Self {
        let hook = move |call: &Call, number, frame: Frame| match frame.is_comment() {
            true => vec![frame],
            false => hook(call, number, frame),
        };
        Self {
            frame: Box::new(hook),
            ..self
        }
    }

    /// Changes, drops or adds frames of every kind, comments among them; the number is that of the stream.
    pub fn every_frame(
        self,
        hook: impl Fn(&Call, usize, Frame) -> Vec<Frame> + Send + Sync + 'static,
    ) -> Self {
        Self {
            frame: Box::new(hook),
            ..self
        }
    }

    /// Drops the comments of streams.
    pub fn without_comments(self) -> Self {
        let hook = |_: &Call, _, frame: Frame| {
            if frame.is_comment() {
                Vec::new()
            } else {
                vec![frame]
            }
        };
        Self {
            frame: Box::new(hook),
            ..self
        }
    }

    /// Changes how a frame is put into bytes and chunks.
    pub fn encode(self, hook: impl Fn(Frame) -> Vec<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self {
            encode: Box::new(hook),
            ..self
        }
    }

    /// What becomes of a stream whose reader does not read, and of all else meanwhile.
    pub(super) fn pressure(self, pressure: Pressure) -> Self {
        Self { pressure, ..self }
    }

    /// Leaves streams open that the server closed.
    pub fn holds_open(self) -> Self {
        Self {
            holds_open: true,
            ..self
        }
    }
}

impl fmt::Debug for Mutant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Mutant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
