//! Random text out of everything that the rules tell apart.

use super::super::inspect;
use super::{Block, Kind, text};

/// A generator of small numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const ALPHABETS: [&str; 12] = [
    "abcdefghiklmnoprstuvxyABCEHIKMOPTXY",
    "авекмнорстухіјѕӏԁАВЕКМНОРСТУХІЖлд",
    "αβγικνορστυχωΑΒΕΗΙΚΜΝΟΡΤΥΧΩλ",
    "אבגוסןה",
    "ابهلم٠١٥",
    "օսոյհՕՍ",
    "०१९కలംഠoం",
    "ᎪᏴᏟᎬᏙꓐꓑⲟⲣ",
    "日本ニ二ー〇한글",
    "0123456789٥",
    " .-'_/,!\n\u{2029}😀",
    "\u{ad}\u{200b}\u{200d}\u{301}\u{306}\u{fe0f}",
];

const CONTROLS: &str =
    "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

fn content(random: &mut Random) -> Vec<Block> {
    let alphabets: Vec<Vec<char>> = ALPHABETS
        .iter()
        .map(|letters| letters.chars().collect())
        .collect();
    let controls: Vec<char> = CONTROLS.chars().collect();
    let blocks = 1 + random.below(3);
    let blocks = (0..blocks).map(|_| {
        // A few alphabets at a time, so that words of two or three scripts are frequent.
        let first = random.below(alphabets.len());
        let second = random.below(alphabets.len());
        let controls_in = 1 + random.below(20);
        let length = random.below(24);
        let characters = (0..length).map(|_| match random.below(12) {
            0 => {
                let any = random.below(alphabets.len());
                random.of(&alphabets[any])
            }
            1 if random.below(controls_in) == 0 => random.of(&controls),
            2..=6 => random.of(&alphabets[second]),
            _ => random.of(&alphabets[first]),
        });
        text(&characters.collect::<String>())
    });
    blocks.collect()
}

fn characters(block: &Block) -> Vec<char> {
    let Block::Text { text } = block else {
        panic!("{block:?}");
    };
    text.chars().collect()
}

/// PIN-1, A-PIN: whatever is written, the corrected content has no finding, and differs from the original exactly at the
/// code points that the findings name.
#[test]
fn a_correction_has_no_finding_and_changes_only_what_was_found() {
    let seed = std::env::var("CHECKFU_TEST_SEED").map_or(20_260_831, |seed| seed.parse().unwrap());
    println!("CHECKFU_TEST_SEED={seed}");
    let mut found = 0;
    for round in 0..20_000 {
        let mut random = Random(seed + round);
        let content = content(&mut random);
        let Some(inspection) = inspect(&content) else {
            continue;
        };
        found += 1;
        let again = inspect(&inspection.corrected);
        assert!(
            again.is_none(),
            "round {round}: {content:?}: {inspection:?}, then {again:?}"
        );
        for (index, (before, after)) in content.iter().zip(&inspection.corrected).enumerate() {
            let mut kept = Vec::new();
            for (at, character) in characters(before).into_iter().enumerate() {
                let point = format!("U+{:04X}", u32::from(character));
                let faults: Vec<Kind> = inspection
                    .findings
                    .iter()
                    .filter(|finding| finding.block == index && (finding.start..finding.end).contains(&at))
                    .filter(|finding| finding.codepoints.contains(&point))
                    .map(|finding| finding.kind)
                    .collect();
                match faults.as_slice() {
                    [] => kept.push((character, false)),
                    [Kind::MixedScriptConfusable] => kept.push((character, true)),
                    [Kind::BidiControl] => {}
                    several => panic!("round {round}: {several:?}"),
                }
            }
            if kept.is_empty() && !characters(before).is_empty() {
                kept.push(('\u{fffd}', false));
            }
            let after = characters(after);
            assert_eq!(kept.len(), after.len(), "round {round}: {content:?}");
            for ((before, replaced), after) in kept.into_iter().zip(after) {
                assert!(
                    replaced || before == after,
                    "round {round}: {content:?}: {before:?} became {after:?}"
                );
            }
        }
    }
    assert!(found > 2_500, "only {found} of the texts had a finding");
}
