//! Mutants that show in what goes over the wire, whatever the rest of the server does.

use super::promise::Mutant;
use crate::fault::plan::Shot;
use crate::fault::target::Facts;
use crate::fault::{
    Effect, Event, EventEdit, Format, Headers, On, Operation, Page, PageEdit, RequestHeaders, Resume,
};

/// What this mutant does to a request.
pub(super) fn meet(mutant: Mutant, facts: &Facts<'_>) -> Option<Shot> {
    let (on, effect) = effect(mutant)?;
    on.fits(facts).then(|| Shot::uncounted(effect))
}

fn effect(mutant: Mutant) -> Option<(On, Effect)> {
    let stream = || On::operation(Operation::Stream);
    let list = || On::operation(Operation::ListEvents);
    let every = |edit| Event::every(edit).into();
    let header = |name: &str, value: &str| -> Effect {
        let set = vec![(name.to_owned(), value.to_owned())];
        Headers {
            set,
            ..Headers::default()
        }
        .into()
    };
    Some(match mutant {
        Mutant::PostIsOk => {
            let effect = Headers {
                status: Some(200),
                ..Headers::default()
            };
            (On::operation(Operation::PostEvent), effect.into())
        }
        Mutant::NoIdempotency => {
            let remove = vec!["idempotency-key".to_owned()];
            (
                On::any(),
                RequestHeaders {
                    remove,
                    ..RequestHeaders::default()
                }
                .into(),
            )
        }
        Mutant::ListIgnoresAfter => (list(), Page::new(PageEdit::IgnoreAfter).into()),
        Mutant::ListIsInclusive => (list(), Page::new(PageEdit::Overlap).into()),
        Mutant::PageLoops => (list(), Page::new(PageEdit::Loop).into()),
        Mutant::PageDuplicates => (list(), Page::new(PageEdit::Duplicate).into()),
        Mutant::StreamIsText => (stream(), header("content-type", "text/plain")),
        Mutant::StreamIsStored => (stream(), header("cache-control", "max-age=60")),
        Mutant::NoComments => (
            stream(),
            Format {
                no_comments: true,
                ..Format::default()
            }
            .into(),
        ),
        Mutant::ResumeIsInclusive => (stream(), Resume { rewind: Some(1) }.into()),
        Mutant::ResumeStartsOver => (stream(), Resume { rewind: None }.into()),
        Mutant::ReplayLosesEvent => (stream().resumed(false), Event::nth(1, EventEdit::Drop).into()),
        Mutant::ResumeLosesEvent => (stream().resumed(true), Event::nth(0, EventEdit::Drop).into()),
        Mutant::FrameWithoutId => (stream(), every(EventEdit::NoId)),
        Mutant::FrameWithoutType => (stream(), every(EventEdit::NoType)),
        Mutant::FrameOfOtherType => (stream(), every(EventEdit::WrongType)),
        Mutant::FrameOfOtherSeq => (stream(), every(EventEdit::WrongId)),
        Mutant::StreamGoesBack => (stream(), every(EventEdit::Regress)),
        Mutant::StreamDiffersFromList => (stream(), every(EventEdit::UnknownMembers)),
        _ => return None,
    })
}
