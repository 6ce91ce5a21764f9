//! PIN-1, PIN-2, A-PIN: what is found, what is left alone, and what a correction makes of it.

use super::super::payload::{Block, Source};
use super::{Finding, Inspection, Kind, MAX_FINDINGS, inspect};

mod random;

fn text(text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
    }
}

fn inspected(content: &str) -> Option<Inspection> {
    inspect(&[text(content)])
}

fn finding(kind: Kind, start: usize, end: usize, codepoints: &[&str]) -> Finding {
    Finding {
        kind,
        block: 0,
        start,
        end,
        codepoints: codepoints.iter().map(|&point| point.to_owned()).collect(),
    }
}

/// Without findings, or after an assertion that names the text.
fn assert_clean(content: &str) {
    let found = inspected(content);
    assert!(found.is_none(), "{content:?}: {found:?}");
}

/// That exactly these code points are at fault, and what the correction is.
fn assert_corrected(content: &str, faults: &[char], corrected: &str) {
    let Some(found) = inspected(content) else {
        panic!("{content:?}: nothing found");
    };
    let points: Vec<String> = faults
        .iter()
        .map(|&fault| format!("U+{:04X}", u32::from(fault)))
        .collect();
    let named: Vec<String> = found
        .findings
        .iter()
        .flat_map(|finding| finding.codepoints.clone())
        .collect();
    assert_eq!(named, points, "{content:?}");
    assert_eq!(found.corrected, [text(corrected)], "{content:?}");
    assert_clean(corrected);
}

/// PIN-1, A-PIN: the published example, in offsets of Unicode scalar values.
#[test]
fn a_look_alike_and_an_override_are_found_where_they_stand() {
    let found = inspected("Pay p\u{430}ypal invoice \u{202e}7.").unwrap();
    assert_eq!(
        found.findings,
        [
            finding(Kind::MixedScriptConfusable, 4, 10, &["U+0430"]),
            finding(Kind::BidiControl, 19, 20, &["U+202E"]),
        ]
    );
    assert_eq!(found.corrected, [text("Pay paypal invoice 7.")]);
    let json = serde_json::to_value(&found.findings[0]).unwrap();
    let published = serde_json::json!({
        "kind": "mixed_script_confusable", "block": 0, "start": 4, "end": 10, "codepoints": ["U+0430"],
    });
    assert_eq!(json, published);
    assert_eq!(
        serde_json::to_value(&found.findings[1]).unwrap()["kind"],
        "bidi_control"
    );
}

/// A-PIN: offsets count scalar values, not bytes, and a word ends after the accents of its last letter.
#[test]
fn offsets_count_scalar_values_of_one_block() {
    let content = [text("Crème 👩‍👩‍👧 brûlée"), text("日本😀 p\u{430}ypale\u{301}!")];
    let found = inspect(&content).unwrap();
    let mut expected = finding(Kind::MixedScriptConfusable, 4, 12, &["U+0430"]);
    expected.block = 1;
    assert_eq!(found.findings, [expected]);
    assert_eq!(
        found.corrected,
        [content[0].clone(), text("日本😀 paypale\u{301}!")]
    );
}

/// A-PIN: mixed script is judged word by word, and what people honestly write is left alone.
#[test]
fn honest_text_has_no_finding() {
    for honest in [
        "",
        "plain",
        // Words of two languages side by side, joined by hyphens, apostrophes, underscores, slashes.
        "Привет Paul, как Oslo?",
        "Это IT-отдел и web-сайт, X-лучи, e-mail'ом и Google'а",
        "user_имя, /home/пользователь/docs, https://пример.рф/path?q=тест&x=1",
        "Η λέξη OK και το Wi-Fi",
        // One script, however much it looks like another.
        "\u{441}\u{43e}\u{441}\u{43e} \u{430}\u{440}\u{440}\u{4cf}\u{435}.com \u{420}\u{410}\u{423}",
        "Ａｐｐｌｅ ＡＢＣ",
        // Latin names with the ending of another language.
        "SMSка, PDFки, VPNом, iPhoneы, Toyotы, JSник, ISOшный",
        "WhatsAppல் facebookలో Googleവഴി",
        // East Asian text with Latin, and within itself.
        "日本語とEnglishのmixテスト、ニ二ロ口カ力ー一、iPhoneで",
        "中文API接口，C语言，〇Oo",
        "카카오Talk에서 API를",
        "ใช้Googleครับ",
        // Right to left with Latin.
        "استخدم Google مع iPhone الـGoogle الGoogle اGoogle",
        "אני משתמש בGoogle וGoogle הiPhone וב-Gmail",
        // Units, formulas, names of substances.
        "5 µm, 5 μm, 3 kΩ, 2πr, Δx, ΔT, λ = h/p, hν, E=hν, ρgh, ρV, αx + βy + γz, sinα cosβ tanγ, σx",
        "TNFα, IFNγ, NFκB, PPARγ, Hα, Kα, β-carotene, α-helix",
        // Digits, of every language, at the edge of a word.
        "COVID-19 МР3 Windows११ iPhone٥ v० ०x x2 20а А4 Ту-154",
        // Accents, composed or not, emoji, joiners.
        "café cafe\u{301} й и\u{306} ё Ångström naïve",
        "👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 می‌خواهم क्‍ष",
        "Ĳsselmeer straße Øresund Łódź ŉ",
        "d'accord l’été it’s rock’n’roll",
        "Ελληνικά: Αθήνα, και Ρώμη",
        "Ўзбекистон Ґрунт Їжак Љубав Ђорђе",
        "Հայաստան საქართველო ኢትዮጵያ ᏣᎳᎩ",
    ] {
        assert_clean(honest);
    }
}

/// PIN-1, A-PIN: a letter that passes for one of the word's own is found, whatever it hides behind, and turned into
/// the main script.
#[test]
fn look_alikes_are_turned_into_the_main_script_of_their_word() {
    for (content, faults, corrected) in [
        ("p\u{430}ypal", &['\u{430}'][..], "paypal"),
        ("\u{430}pple.com", &['\u{430}'], "apple.com"),
        ("g\u{3bf}\u{3bf}gle", &['\u{3bf}'], "google"),
        (
            "n\u{3bf} \u{3bf}n \u{3b9}s",
            &['\u{3bf}', '\u{3bf}', '\u{3b9}'],
            "no on is",
        ),
        ("\u{406}nvoice", &['\u{406}'], "Invoice"),
        ("de\u{4cf}ete", &['\u{4cf}'], "delete"),
        ("H2\u{41e}", &['\u{41e}'], "H2O"),
        (
            "p\u{3b1}ypal \u{3b1}dmin p\u{3b1}y",
            &['\u{3b1}', '\u{3b1}', '\u{3b1}'],
            "paypal admin pay",
        ),
        ("\u{3a1}AYPAL", &['\u{3a1}'], "PAYPAL"),
        // Nearly all of it is Cyrillic, but only Latin spells it with everyday letters.
        (
            "Pay \u{440}\u{430}\u{443}\u{440}\u{430}l",
            &['\u{440}', '\u{430}', '\u{443}'],
            "Pay paypal",
        ),
        // The main script need not be Latin.
        ("P\u{43e}ссия", &['P'], "\u{420}\u{43e}ссия"),
        ("в мiсто", &['i'], "в м\u{456}сто"),
        ("A\u{3b8}ήνα", &['A'], "\u{391}\u{3b8}ήνα"),
        ("cop\u{43e}к", &['c', 'o', 'p'], "\u{441}\u{43e}\u{440}\u{43e}к"),
        ("меsт\u{43e}", &['s'], "ме\u{455}т\u{43e}"),
        // As many of one script as of the other, or two readings that are both possible.
        (
            "\u{430}b b\u{430} \u{440}\u{430}yx",
            &['\u{430}', '\u{430}', '\u{440}', '\u{430}'],
            "ab ba payx",
        ),
        ("\u{440}\u{43e}ca", &['\u{440}', '\u{43e}'], "poca"),
        ("\u{440}\u{43e}\u{441}a", &['a'], "\u{440}\u{43e}\u{441}\u{430}"),
        // At one edge an ending that imitates nothing, at the other a look-alike.
        ("\u{430}dminЖук", &['\u{430}'], "adminЖук"),
        // Other scripts.
        ("g\u{585}\u{585}gle", &['\u{585}'], "google"),
        ("go\u{665}gle", &['\u{665}'], "google"),
        ("go\u{5e1}gle", &['\u{5e1}'], "google"),
        ("g\u{d02}gle", &['\u{d02}'], "gogle"),
        ("\u{13c0}oogle", &['\u{13c0}'], "Google"),
        // Nothing invisible parts a word.
        (
            "p\u{ad}\u{430}\u{200b}y\u{2060}p\u{feff}al",
            &['\u{430}'],
            "p\u{ad}a\u{200b}y\u{2060}p\u{feff}al",
        ),
        // A word that stays mixed, because one letter imitates nothing, hides no look-alike inside.
        ("pa\u{443}pal\u{436}", &['\u{443}'], "paypal\u{436}"),
        ("camel\u{421}aseЖук", &['\u{421}'], "camelCaseЖук"),
        // Beside East Asian text.
        ("日本p\u{430}ypalで", &['\u{430}'], "日本paypalで"),
    ] {
        assert_corrected(content, faults, corrected);
    }
}

/// A-PIN: what is stored is a text that says something, also where nothing but controls was sent.
#[test]
fn a_text_of_controls_alone_is_corrected_to_a_replacement_character() {
    assert_corrected("\u{202e}\u{202c}", &['\u{202e}', '\u{202c}'], "\u{fffd}");
}

/// PIN-1, A-PIN: every bidirectional control in left-to-right text is found, and embeddings and overrides anywhere.
#[test]
fn bidirectional_controls_are_found_and_removed() {
    for control in
        "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}"
            .chars()
    {
        assert_corrected(&format!("left {control}to right"), &[control], "left to right");
        assert_corrected(&format!("{control}1+1"), &[control], "1+1");
    }
    for control in "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}".chars() {
        assert_corrected(&format!("שלום {control}עולם"), &[control], "שלום עולם");
    }
    for (content, faults, corrected) in [
        (
            "if (\u{2067}admin\u{2069}) {",
            &['\u{2067}', '\u{2069}'][..],
            "if (admin) {",
        ),
        // Controls cannot vouch for each other.
        ("\u{200f}a\u{200f}", &['\u{200f}', '\u{200f}'], "a"),
        // Isolates that nobody closes in their paragraph, or opened.
        ("שלום \u{2066}abc", &['\u{2066}'], "שלום abc"),
        ("שלום abc\u{2069}", &['\u{2069}'], "שלום abc"),
        (
            "שלום \u{2067}א\nב\u{2069}",
            &['\u{2067}', '\u{2069}'],
            "שלום א\nב",
        ),
        (
            "ש \u{2066}\u{2068}x\u{2069}",
            &['\u{2066}'],
            "ש \u{2068}x\u{2069}",
        ),
        // Another paragraph's direction says nothing.
        ("שלום\nC++\u{200e}!", &['\u{200e}'], "שלום\nC++!"),
        // In reading order, whatever the kind.
        (
            "\u{202e}p\u{430}y\u{202c}",
            &['\u{202e}', '\u{430}', '\u{202c}'],
            "pay",
        ),
        // A control inside a word does not hide a look-alike.
        ("p\u{200e}\u{430}ypal", &['\u{430}', '\u{200e}'], "paypal"),
        (
            "\u{202e}\u{202d}x\u{202e}",
            &['\u{202e}', '\u{202d}', '\u{202e}'],
            "x",
        ),
    ] {
        assert_corrected(content, faults, corrected);
    }
    assert_eq!(
        inspected("a\u{202e}\u{202c}b\u{202e}").unwrap().findings,
        [
            finding(Kind::BidiControl, 1, 3, &["U+202E", "U+202C"]),
            finding(Kind::BidiControl, 4, 5, &["U+202E"]),
        ]
    );
}

/// A-PIN: marks and closed isolates inside right-to-left text are no finding.
#[test]
fn marks_and_closed_isolates_belong_to_right_to_left_text() {
    for honest in [
        "استخدم C++\u{200e} في البرنامج",
        "שלום C++\u{200f}!",
        "العنوان \u{2068}Google Inc.\u{2069} هنا \u{2066}x \u{2067}ب\u{2069}\u{2069}",
        "ب (abc, def\u{200e}) ghi",
        "The word שלום\u{200e}, and \u{2067}שלום!\u{2069} too",
        "ماده ۵\u{61c}.",
        "left to right\nשלום C++\u{200e}\nleft",
    ] {
        assert_clean(honest);
    }
    let deep = |depth: usize| format!("ש{}{}", "\u{2066}".repeat(depth), "\u{2069}".repeat(depth));
    assert_clean(&deep(125));
    let found = inspected(&deep(126)).unwrap();
    assert_eq!(
        found.findings,
        [finding(Kind::BidiControl, 126, 128, &["U+2066", "U+2069"])]
    );
    assert_eq!(found.corrected, [text(&deep(125))]);
}

/// PIN-2: only text blocks are judged, and the others stay as they came.
#[test]
fn documents_and_images_are_not_judged() {
    let suspicious = "p\u{430}ypal \u{202e}";
    let document = Block::Document {
        source: Source::Text {
            media_type: "text/plain".to_owned(),
            data: suspicious.to_owned(),
        },
        title: Some(suspicious.to_owned()),
    };
    let image = Block::Image {
        source: Source::Url {
            url: format!("https://example.com/{suspicious}"),
        },
    };
    assert_eq!(inspect(&[document.clone(), image.clone(), text("plain")]), None);
    let found = inspect(&[document.clone(), image.clone(), text(suspicious)]).unwrap();
    assert_eq!(
        found
            .findings
            .iter()
            .map(|finding| finding.block)
            .collect::<Vec<_>>(),
        [2, 2]
    );
    assert_eq!(found.corrected, [document, image, text("paypal ")]);
}

/// A-PIN: an answer stays of bounded size, and what it corrects is not bounded with it.
#[test]
fn at_most_a_thousand_places_are_named_and_all_are_corrected() {
    let found = inspected(&"p\u{430}y ".repeat(1500)).unwrap();
    assert_eq!(found.findings.len(), MAX_FINDINGS);
    assert_eq!(found.corrected, [text(&"pay ".repeat(1500))]);
}

/// A-PIN: the time is linear in the text. Were it not, a hundred thousand characters would take minutes.
#[test]
fn long_text_takes_linear_time() {
    let letters: String = ('\u{a0}'..'\u{2fff}').chain('\u{a000}'..'\u{abff}').collect();
    for unit in [
        "p\u{430}",
        "a\u{202e}",
        "\u{2066}",
        "ש\u{2066}\u{2069}",
        "\u{430}\u{301}b",
        "Ж\u{ad}a",
        &letters,
    ] {
        let content = unit.repeat(100_000 / unit.chars().count());
        if let Some(found) = inspected(&content) {
            assert_eq!(inspect(&found.corrected), None);
        }
    }
}
