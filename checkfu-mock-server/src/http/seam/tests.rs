//! The seam alone, and in every order of what can happen around it.

use super::*;

mod world;

use world::{Flaw, Setting, explore};

fn retained(first_seq: u64, last_seq: u64) -> Retained {
    Retained { first_seq, last_seq }
}

fn end(first_seq: u64, last_seq: u64, terminal: bool) -> LogEnd {
    LogEnd {
        retained: retained(first_seq, last_seq),
        terminal,
    }
}

/// A-SRV, A-GAP: read while something is left, wait at the head, close at a terminal head or over a trimmed gap.
#[test]
fn a_stream_reads_waits_and_closes_by_the_end_of_the_log() {
    let mut seam = Seam::resume(2, end(1, 5, false)).unwrap();
    assert_eq!(seam.next(end(1, 5, false)), Next::Read { after: 2, up_to: 5 });
    seam.page_read(5, Some(5), true, retained(1, 5)).unwrap();
    assert_eq!(seam.next(end(1, 5, false)), Next::Wait { at: 5 });
    assert_eq!(seam.next(end(1, 6, true)), Next::Read { after: 5, up_to: 6 });
    assert_eq!(seam.next(end(8, 9, false)), Next::Close);
    seam.page_read(6, Some(6), true, retained(1, 6)).unwrap();
    assert_eq!(seam.next(end(1, 6, true)), Next::Close);
    assert_eq!(Seam::resume(7, end(1, 6, true)), Err(Gap::Ahead { last_seq: 6 }));
}

/// A-VIEW, A-SEQ: a page that was not full has looked up to the end that was told before it, whatever it found; a full
/// one only as far as it goes.
#[test]
fn a_stream_of_a_view_moves_by_how_far_it_looked() {
    let mut seam = Seam::resume(2, end(1, 9, false)).unwrap();
    seam.page_read(9, Some(4), true, retained(1, 9)).unwrap();
    assert_eq!(seam.next(end(1, 9, false)), Next::Read { after: 4, up_to: 9 });
    seam.page_read(9, None, false, retained(1, 9)).unwrap();
    assert_eq!(seam.next(end(1, 9, false)), Next::Wait { at: 9 });
    assert_eq!(seam.next(end(1, 9, true)), Next::Close);
    let mut looked_further = Seam::resume(2, end(1, 9, false)).unwrap();
    looked_further
        .page_read(9, Some(7), false, retained(1, 9))
        .unwrap();
    assert_eq!(looked_further.next(end(1, 9, false)), Next::Wait { at: 9 });
    // A snapshot may already hold what commits after the end was told.
    seam.page_read(10, Some(12), false, retained(1, 12)).unwrap();
    assert_eq!(seam.next(end(1, 11, false)), Next::Wait { at: 12 });
}

/// A-GAP: a trim between the told end and the read is found at the read; zero is before whatever is retained.
#[test]
fn a_trim_between_the_told_end_and_the_read_is_a_gap() {
    let mut seam = Seam::resume(2, end(1, 9, false)).unwrap();
    let gap = seam.page_read(9, Some(9), false, retained(4, 9)).unwrap_err();
    assert_eq!(gap, Gap::Expired(retained(4, 9)));
    assert_eq!(seam.next(end(1, 9, false)), Next::Read { after: 2, up_to: 9 });
    let mut from_the_beginning = Seam::resume(0, end(1, 9, false)).unwrap();
    from_the_beginning
        .page_read(9, Some(9), false, retained(4, 9))
        .unwrap();
}

fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for (view, in_view) in [
        ("all events", (|_| true) as fn(u64) -> bool),
        ("odd events", |seq| seq % 2 == 1),
        ("even events", |seq| seq % 2 == 0),
        ("no event but the second", |seq| seq == 2),
    ] {
        for start in [0, 1] {
            for page in [1, 2] {
                for terminal in [None, Some(4)] {
                    settings.push(Setting {
                        view,
                        in_view,
                        start,
                        page,
                        terminal,
                    });
                }
            }
        }
    }
    settings
}

/// STR-1, STR-2, STR-4, A-SRV, A-GAP: in every order of up to eight appends, commits, wakes, reads, sends, trims,
/// disconnects and reconnects, with two writers and one reader, what a connection delivers is the view right after its
/// cursor, in order, whole, and nothing twice; over a trimmed event it is closed or refused.
#[test]
fn no_order_of_events_loses_or_doubles_one_at_the_seam() {
    let mut orders = 0;
    for setting in settings() {
        match explore(&setting, Flaw::None) {
            Ok(explored) => {
                println!("{setting}: {explored:?}");
                assert!(explored.states > 1_000, "{setting}");
                orders += explored.orders;
            }
            Err(found) => panic!("{setting}: {found}"),
        }
    }
    assert!(orders > 1_000_000, "only {orders} orders");
}

/// STR-1, STR-2, STR-4, A-SRV, A-GAP: the enumeration tells a wrong reader from a right one.
#[test]
fn every_reader_that_is_wrong_at_the_seam_is_caught() {
    for flaw in [
        Flaw::SubscribesAfterItsLastRead,
        Flaw::IgnoresTheWake,
        Flaw::TrustsTheToldRetention,
        Flaw::MovesToTheHeadBeforeSending,
        Flaw::MovesOnlyByWhatItSends,
        Flaw::ResumesAtTheHead,
        Flaw::ClosesWhenTheEndIsTold,
    ] {
        let caught = settings().iter().find_map(|setting| explore(setting, flaw).err());
        let Some(found) = caught else {
            panic!("{flaw:?} was not caught");
        };
        println!("{flaw:?}: {found}");
    }
}
