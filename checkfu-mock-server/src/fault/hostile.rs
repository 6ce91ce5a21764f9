//! Everything that is unpleasant and allowed, at once.

use super::effect::{
    Answer, Cut, Effect, Event, EventEdit, Format, Headers, How, Informational, Insert, LineEnds, OldHttp,
    Page, PageEdit, Point, Rate, RetryAfter, Spacing,
};
use super::operation::Operation;
use super::plan::{Fault, Faults};
use super::target::On;

/// Plans the mix.
pub(crate) fn plan(faults: &Faults) {
    for (operation, probability, effect) in mix() {
        let on = operation.map_or_else(On::any, On::operation);
        faults.plan(Fault::new(on.always().probability(probability), effect));
    }
    // Without a key nobody could know what became of a call that these befall.
    let keyed = || On::any().method("POST").keyed(true).always();
    for (how, probability) in [(How::Reset, 0.05), (How::Close, 0.05)] {
        faults.plan(Fault::new(
            keyed().probability(probability),
            Cut::new(how, Point::Answer),
        ));
    }
    for on in [keyed(), On::any().method("GET").always()] {
        faults.plan(Fault::new(on.probability(0.03), refusal(502)));
    }
}

/// An answer of something in front of the server.
fn refusal(status: u16) -> Answer {
    Answer::new(status)
        .header("content-type", "text/html")
        .body("<html><body>Try again</body></html>")
}

fn mix() -> Vec<(Option<Operation>, f64, Effect)> {
    let stream = Some(Operation::Stream);
    let format = |line_ends, byte_order_marks| Format {
        line_ends,
        byte_order_marks,
        spacing: Spacing::None,
        split_data: true,
        unknown_field: true,
        comments: 2,
        ..Format::default()
    };
    vec![
        (None, 0.3, rate(7)),
        (stream, 0.3, rate(1)),
        (None, 0.05, Informational { status: 103 }.into()),
        (
            None,
            0.05,
            Headers {
                fill: 8 * 1024,
                ..Headers::default()
            }
            .into(),
        ),
        (
            None,
            0.05,
            refusal(503).retry_after(RetryAfter::Seconds(0)).into(),
        ),
        (None, 0.03, refusal(429).retry_after(RetryAfter::Date(-1)).into()),
        (stream, 0.2, format(LineEnds::Mixed, 0).into()),
        (stream, 0.2, format(LineEnds::Cr, 1).into()),
        (
            stream,
            0.2,
            Format {
                line_ends: LineEnds::CrLf,
                ..Format::default()
            }
            .into(),
        ),
        (stream, 0.2, Event::every(EventEdit::Duplicate).into()),
        (stream, 0.2, Event::nth(2, EventEdit::Regress).into()),
        (stream, 0.2, Insert::new(1, "id\n\n").into()),
        (stream, 0.1, Insert::new(2, "retry: 1\n\n").into()),
        (stream, 0.1, Cut::new(How::Close, Point::Event).into()),
        (stream, 0.2, Cut::new(How::Close, Point::Event).after(3).into()),
        (stream, 0.1, Cut::new(How::Reset, Point::MidEvent).after(2).into()),
        (stream, 0.1, Cut::new(How::Close, Point::MidEvent).after(4).into()),
        (stream, 0.1, OldHttp {}.into()),
        (
            Some(Operation::ListEvents),
            0.3,
            Page {
                edit: PageEdit::Shorter,
                items: 3,
            }
            .into(),
        ),
        (
            Some(Operation::ListEvents),
            0.1,
            Page::new(PageEdit::Empty).into(),
        ),
        (
            Some(Operation::Connect),
            0.02,
            Cut::new(How::Close, Point::Request).into(),
        ),
    ]
}

fn rate(bytes: u32) -> Effect {
    Effect::Rate(Rate {
        bytes,
        pause_milliseconds: 0,
        random: bytes > 1,
    })
}
