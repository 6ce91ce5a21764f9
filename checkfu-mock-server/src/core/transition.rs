//! A-TRANS: which Session status may follow which. The one place that knows; the server alone enforces it.

use super::status::SessionStatus::{self, *};

/// Whether a Session may go from one status to the other. `unfinished_run` says that a Run of the Session has not
/// settled, which is what lets an idle Session be paused, reconciled or go idle again.
pub(crate) fn is_legal(from: SessionStatus, to: SessionStatus, unfinished_run: bool) -> bool {
    if from.is_terminal() {
        return false;
    }
    if to.is_terminal() {
        return true;
    }
    match from {
        Pending => matches!(to, Provisioning | Idle),
        Provisioning => matches!(to, Running | Pending | Idle),
        Running => matches!(to, Waiting | Paused | Reconciling | Idle | Pending | Provisioning),
        Waiting => matches!(to, Running | Provisioning | Pending | Idle | Waiting),
        Paused => matches!(to, Pending | Provisioning | Idle),
        Reconciling => matches!(to, Idle | Pending | Provisioning),
        Idle => match to {
            Pending | Provisioning | Running | Waiting => true,
            Paused | Reconciling | Idle => unfinished_run,
            Completed | Failed | Canceled => true,
        },
        Completed | Failed | Canceled => false,
    }
}

/// The shortest way between two statuses that do not follow each other: what Runs that overlap have to write in between.
/// It never leads over a status that settles or parks anything.
pub(crate) fn way(
    from: SessionStatus,
    to: SessionStatus,
    unfinished_run: bool,
) -> Option<&'static [SessionStatus]> {
    const WAYS: [&[SessionStatus]; 4] = [&[Pending], &[Provisioning], &[Running], &[Provisioning, Running]];
    WAYS.into_iter().find(|between| {
        let mut at = from;
        between.iter().chain([&to]).all(|&next| {
            let legal = is_legal(at, next, unfinished_run);
            at = next;
            legal
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-TRANS, A-OVERLAP: with a Run unfinished there is a legal way from every status that is not terminal to every
    /// other one, so that Runs that overlap are never refused for each other's status.
    #[test]
    fn there_is_a_way_to_every_status() {
        let live = || {
            SessionStatus::ALL
                .into_iter()
                .filter(|status| !status.is_terminal())
        };
        for from in live() {
            for to in live() {
                assert!(
                    is_legal(from, to, true) || way(from, to, true).is_some(),
                    "{from:?} to {to:?}"
                );
            }
        }
        assert_eq!(way(Completed, Idle, true), None);
    }

    /// A-TRANS, SES-8: the whole table, written a second time as text, agrees with the code for all 200 cases.
    #[test]
    fn the_table_allows_exactly_the_documented_transitions() {
        let legal = |from: SessionStatus, unfinished: bool| -> &'static str {
            match (from, unfinished) {
                (Pending, _) => "provisioning idle completed failed canceled",
                (Provisioning, _) => "running pending idle completed failed canceled",
                (Running, _) => {
                    "waiting paused reconciling idle pending provisioning completed failed canceled"
                }
                (Waiting, _) => "running provisioning pending idle waiting completed failed canceled",
                (Paused, _) => "pending provisioning idle completed failed canceled",
                (Reconciling, _) => "idle pending provisioning completed failed canceled",
                (Idle, false) => "pending provisioning running waiting completed failed canceled",
                (Idle, true) => {
                    "pending provisioning running waiting paused reconciling idle completed failed canceled"
                }
                (Completed | Failed | Canceled, _) => "",
            }
        };
        for from in SessionStatus::ALL {
            for to in SessionStatus::ALL {
                for unfinished in [false, true] {
                    let expected = legal(from, unfinished).split(' ').any(|name| name == to.as_str());
                    assert_eq!(
                        is_legal(from, to, unfinished),
                        expected,
                        "{from:?} to {to:?}, {unfinished}"
                    );
                }
            }
        }
    }
}
