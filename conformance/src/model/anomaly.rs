use std::fmt;

use serde::Serialize;

use crate::level::Level;

/// What every history has to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// P01: within a connection and within a walk, numbers rise.
    Monotone,
    /// P02: one number is one event, one event has one number.
    Key,
    /// P03: what was read stays as it was, and nothing gets in below it.
    Immutable,
    /// P04: what was acknowledged is in the log, as it was sent.
    NoLostWrite,
    /// P05: what was refused is not in the log.
    NoGhost,
    /// P06: one call is in the log once, however often it was sent.
    NoDuplicate,
    /// P07: what was acknowledged before another was sent has the lower number.
    RealTime,
    /// P08: a later read shows no less than an earlier one, nor less than was acknowledged.
    FreshReads,
    /// P09: list and stream show the same.
    ListIsStream,
    /// P10: a read behind a cursor shows exactly what is behind it.
    Resume,
    /// P11: a cursor is announced with the data that it stands for, never ahead of it.
    CursorBehindData,
    /// P12: pages of any size put together are the log.
    Paging,
    /// P13: a fork begins with its source's events, and then neither sees the other's.
    Fork,
    /// P14: a refused call leaves the log alone.
    PureRefusal,
    /// P15: a Run that settled does nothing more.
    SettlementSound,
    /// P16: when all Runs have settled, so does the Session.
    SettlementComplete,
    /// P17: previews take nothing from the log and put nothing into it.
    PreviewErasure,
}

/// A way in which a history breaks a property.
#[derive(Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// Stable name; given once and never reused.
    pub name: &'static str,
    /// The property that it breaks.
    pub property: Property,
    /// How firmly what it breaks stands: at most as firmly as the requirements.
    pub level: Level,
    /// The requirements that it contradicts.
    pub requirements: &'static [&'static str],
    /// What was to be seen.
    pub promise: &'static str,
    /// A history that shows it, as [`History::parse`](super::History::parse) reads it.
    pub example: &'static str,
}

/// The anomaly of this name, if there is one.
pub fn anomaly(name: &str) -> Option<&'static Anomaly> {
    ANOMALIES.iter().find(|anomaly| anomaly.name == name)
}

macro_rules! anomalies {
    ($($name:literal $property:ident $level:ident [$($requirement:literal),+] $promise:literal;)+) => {
        /// Every anomaly, in the order of the properties.
        pub const ANOMALIES: &[Anomaly] = &[$(Anomaly {
            name: $name,
            property: Property::$property,
            level: Level::$level,
            requirements: &[$($requirement),+],
            promise: $promise,
            example: include_str!(concat!("../../tests/histories/", $name, ".must.jsonl")),
        }),+];
    };
}

anomalies! {
    "nonmonotonic" Monotone Documented ["SES-5", "STR-4"] "within one connection or walk each seq is above the one before";
    "inconsistent-seq" Key Documented ["SES-5", "LST-3"] "one seq of a Session is one event";
    "inconsistent-id" Key Documented ["STR-4", "SES-5"] "one event of a Session has one seq";
    "rewritten" Immutable Documented ["SES-5", "LST-3"] "an event stays as it was first read";
    "vanished" Immutable Documented ["SES-1", "SES-5"] "what a list showed, a later list shows";
    "inserted" Immutable Documented ["SES-5"] "nothing gets in below a number that was read";
    "lost-write" NoLostWrite Documented ["SES-1", "SES-6"] "what was acknowledged is in the log";
    "altered-write" NoLostWrite Documented ["EVT-1", "SES-4"] "what was acknowledged is in the log as it was sent; a server may add members";
    "acknowledged-otherwise" NoLostWrite Assumed ["A-POST"] "the log shows the event that the acknowledgement showed";
    "bare-acknowledgement" NoLostWrite Assumed ["A-POST"] "an acknowledgement is the envelope of the accepted event";
    "aborted-read" NoGhost Derived ["SES-5"] "what was refused is not in the log";
    "duplicate" NoDuplicate Derived ["SES-5"] "a message that was sent once is in the log once";
    "duplicate-on-retry" NoDuplicate Assumed ["A-IDEM"] "a message is in the log once, however often it was sent under its key";
    "replay-differs" NoDuplicate Assumed ["A-IDEM"] "every acknowledgement under one key is of one event";
    "realtime-order" RealTime Derived ["SES-5"] "what was acknowledged before another was sent has the lower seq";
    "nonmonotonic-poll" FreshReads Derived ["SES-5", "LST-1"] "a list shows at least what was read before it was asked for";
    "stale-read" FreshReads Derived ["SES-6"] "a list shows at least what was acknowledged before it was asked for";
    "missing-in-stream" ListIsStream Documented ["LST-3", "STR-1"] "a stream shows every event of the stretch that it covers";
    "missing-in-list" ListIsStream Documented ["LST-3", "LST-1"] "a list shows every event that a stream showed of the stretch that it covers";
    "stream-stops-short" ListIsStream Documented ["STR-1", "STR-7"] "a stream gives all that the list shows";
    "resume-gap" Resume Documented ["STR-2"] "a stream goes on right behind its cursor";
    "below-cursor" Resume Documented ["STR-2", "LST-2"] "nothing at or below the cursor comes";
    "cursor-ahead" CursorBehindData Documented ["STR-2", "STR-3"] "an id line announces no event that did not come yet";
    "page-gap" Paging Documented ["LST-1", "LST-2"] "the next page goes on where the one before ended";
    "page-repeat" Paging Documented ["LST-1", "LST-2"] "a walk shows each event once";
    "endless-walk" Paging Documented ["LST-2"] "a walk by next_page ends";
    "page-over-limit" Paging Documented ["LST-1"] "a page holds at most limit events";
    "fork-prefix" Fork Documented ["FRK-1", "FRK-2"] "a fork begins with exactly the events of its source up to the fork point, ids and seqs kept";
    "fork-copy-differs" Fork Assumed ["A-FORK", "A-ID"] "a copy is the event but for its session_id";
    "fork-leak" Fork Documented ["FRK-2"] "what came behind the fork point on one side is not on the other";
    "refusal-had-effect" PureRefusal Derived ["WIRE-5"] "a refused call starts and appends nothing";
    "work-after-settlement" SettlementSound Derived ["RUN-3"] "a Run that completed, failed or was canceled does nothing more";
    "unsettled" SettlementComplete Documented ["SES-7", "SES-8"] "behind the settlement of the last Run the Session settles";
    "preview-persisted" PreviewErasure Documented ["PRV-2"] "a preview is in no log and has no seq";
    "preview-hides-event" PreviewErasure Documented ["PRV-1", "PRV-2"] "a stream with previews shows the events that one without them shows";
}

impl Property {
    /// Every property, in order.
    pub const ALL: [Self; 17] = [
        Self::Monotone,
        Self::Key,
        Self::Immutable,
        Self::NoLostWrite,
        Self::NoGhost,
        Self::NoDuplicate,
        Self::RealTime,
        Self::FreshReads,
        Self::ListIsStream,
        Self::Resume,
        Self::CursorBehindData,
        Self::Paging,
        Self::Fork,
        Self::PureRefusal,
        Self::SettlementSound,
        Self::SettlementComplete,
        Self::PreviewErasure,
    ];

    /// Its number, such as `P01`.
    pub fn id(self) -> String {
        format!("P{:02}", self as usize + 1)
    }

    /// What it says, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Monotone => "numbers rise within a connection",
            Self::Key => "one number is one event",
            Self::Immutable => "what was read stays",
            Self::NoLostWrite => "no acknowledged append is lost",
            Self::NoGhost => "no refused append is seen",
            Self::NoDuplicate => "no append is there twice",
            Self::RealTime => "acknowledged first, numbered first",
            Self::FreshReads => "reads do not go back",
            Self::ListIsStream => "list and stream are the same",
            Self::Resume => "a cursor resumes right behind itself",
            Self::CursorBehindData => "no cursor ahead of its data",
            Self::Paging => "pages put together are the log",
            Self::Fork => "forks begin alike and live apart",
            Self::PureRefusal => "a refusal changes nothing",
            Self::SettlementSound => "a settled Run is at rest",
            Self::SettlementComplete => "a finished turn settles",
            Self::PreviewErasure => "previews leave the log alone",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.id(), self.title())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::requirement;

    #[test]
    fn every_property_can_be_broken_and_no_anomaly_is_firmer_than_what_it_names() {
        let names: HashSet<_> = ANOMALIES.iter().map(|anomaly| anomaly.name).collect();
        assert_eq!(names.len(), ANOMALIES.len(), "a name stands twice");
        for property in Property::ALL {
            assert!(
                ANOMALIES.iter().any(|anomaly| anomaly.property == property),
                "{property}"
            );
        }
        for anomaly in ANOMALIES {
            for id in anomaly.requirements {
                let row = requirement(id).unwrap();
                assert!(row.level <= anomaly.level, "{} is firmer than {id}", anomaly.name);
            }
        }
    }
}
