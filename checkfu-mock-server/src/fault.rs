//! Faults: what the server does to its clients on purpose.

pub(crate) mod effect;
mod event;
mod frame;
pub(crate) mod hostile;
pub(crate) mod line;
mod misfit;
pub(crate) mod operation;
mod paging;
pub(crate) mod plan;
mod preview;
pub(crate) mod random;
mod reply;
pub(crate) mod serve;
pub(crate) mod sever;
pub(crate) mod socket;
mod stream;
pub(crate) mod target;

pub use effect::{
    Answer, Cut, Delay, Effect, Event, EventEdit, Format, GoAway, Headers, How, Informational, Insert,
    LineEnds, OldHttp, Page, PageEdit, Point, Preview, PreviewEdit, Rate, Raw, RequestHeaders, Resume,
    RetryAfter, Spacing, Stale,
};
pub use operation::Operation;
pub use plan::{Fault, FaultStatus, Faults};
pub use target::On;
