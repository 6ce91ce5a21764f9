//! What a relay does to the traffic of a correct server.

use crate::traffic::{Answer, Call, Frame};

/// Changes a request before the server sees it.
pub(crate) type OnRequest = Box<dyn Fn(&mut Call) + Send + Sync>;
/// Answers in the server's place.
pub(crate) type Instead = Box<dyn Fn(&Call) -> Option<Answer> + Send + Sync>;
/// Changes an answer, or the head of a stream.
pub(crate) type OnAnswer = Box<dyn Fn(&Call, &mut Answer) + Send + Sync>;
/// A further request after one that was answered with this status.
pub(crate) type Also = Box<dyn Fn(&Call, u16) -> Option<Call> + Send + Sync>;
/// Changes, drops or adds frames of the stream with this number.
pub(crate) type OnFrame = Box<dyn Fn(&Call, usize, Frame) -> Vec<Frame> + Send + Sync>;
/// A frame as the chunks to send; an empty chunk ends the stream.
pub(crate) type Encode = Box<dyn Fn(Frame) -> Vec<Vec<u8>> + Send + Sync>;

/// One way to break (or merely to vary) a server, and the checks that have to notice.
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// Each check with a piece of what it expected, so that it is this contradiction and no other.
    pub(crate) kills: Vec<(&'static str, &'static str)>,
    pub(crate) request: OnRequest,
    pub(crate) instead: Instead,
    pub(crate) answer: OnAnswer,
    pub(crate) also: Also,
    pub(crate) frame: OnFrame,
    pub(crate) encode: Encode,
    pub(crate) holds_open: bool,
}

impl Mutant {
    pub(crate) fn new(name: &'static str) -> Self {
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
        }
    }

    /// Names a check that it turns to a failure, and a piece of what that check expected.
    pub(crate) fn kills(mut self, check: &'static str, expected: &'static str) -> Self {
        self.kills.push((check, expected));
        self
    }

    /// Changes a request before the server sees it.
    pub(crate) fn request(self, hook: impl Fn(&mut Call) + Send + Sync + 'static) -> Self {
        Self {
            request: Box::new(hook),
            ..self
        }
    }

    /// Answers in the server's place.
    pub(crate) fn instead(self, hook: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self {
            instead: Box::new(hook),
            ..self
        }
    }

    /// Changes an answer, or the head of a stream.
    pub(crate) fn answer(self, hook: impl Fn(&Call, &mut Answer) + Send + Sync + 'static) -> Self {
        Self {
            answer: Box::new(hook),
            ..self
        }
    }

    /// Sends the server a further request after one that it answered with this status.
    pub(crate) fn also(self, hook: impl Fn(&Call, u16) -> Option<Call> + Send + Sync + 'static) -> Self {
        Self {
            also: Box::new(hook),
            ..self
        }
    }

    /// Changes, drops or adds frames with events; the number is that of the stream.
    pub(crate) fn frame(
        self,
        hook: impl Fn(&Call, usize, Frame) -> Vec<Frame> + Send + Sync + 'static,
    ) -> Self {
        let hook = move |call: &Call, number, frame: Frame| match frame.is_comment() {
            true => vec![frame],
            false => hook(call, number, frame),
        };
        Self {
            frame: Box::new(hook),
            ..self
        }
    }

    /// Drops the comments of streams.
    pub(crate) fn without_comments(self) -> Self {
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
    pub(crate) fn encode(self, hook: impl Fn(Frame) -> Vec<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self {
            encode: Box::new(hook),
            ..self
        }
    }

    /// Leaves streams open that the server closed.
    pub(crate) fn holds_open(self) -> Self {
        Self {
            holds_open: true,
            ..self
        }
    }
}
