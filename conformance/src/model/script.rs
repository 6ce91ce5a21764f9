mod step;

pub(crate) use step::{Place, Reader, Sending, Step, Wrong};

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
    /// That of one history of the run with this seed. The first is played with the target's deployment, so that every run
    /// tries what the operator gave.
    ///
    /// ```
    /// use checkfu_conformance::model::Script;
    /// assert_eq!(Script::of(7, 3), Script::of(7, 3));
    /// assert_ne!(Script::of(7, 3), Script::of(7, 4));
    /// ```
    pub fn of(seed: u64, history: u64) -> Self {
        let dice = &mut Dice::of_history(seed, history);
        let drawn = dice.percent(50).then(|| dice.pick(&AGENTS));
        let agent = drawn.filter(|_| history > 0);
        let processes = dice.between(2, 4);
        let steps = dice.between(8, 24) / processes;
        Self {
            agent,
            processes: (0..processes)
                .map(|_| (0..=steps).map(|_| Step::any(dice, agent)).collect())
                .collect(),
            finale: Finale {
                limits: [dice.page_limit(), dice.page_limit()],
                wrong: dice.pick(&WRONG_AT_REST),
                cursors: (0..dice.between(1, 4)).map(|_| dice.roll()).collect(),
                cut: dice.roll(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{step::WRONG, *};

    #[test]
    fn the_first_history_of_a_run_is_of_the_deployment_that_was_given() {
        assert!((0..100).all(|seed| Script::of(seed, 0).agent.is_none()));
        assert!((0..100).any(|seed| Script::of(seed, 1).agent.is_some()));
    }

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
