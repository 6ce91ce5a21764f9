use super::*;

fn found(page: &str) -> Vec<(Form, String)> {
    passages(page)
        .into_iter()
        .map(|passage| (passage.form, passage.text))
        .collect()
}

fn assert_found(page: &str, expected: &[(Form, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(form, text)| (*form, (*text).to_owned()))
        .collect();
    assert_eq!(found(page), expected, "{page}");
}

#[test]
fn headings_are_marked_titled_or_short_lines_alone() {
    assert_found(
        "> ## Index of it\n\n# A page\n\n<Card title=\"A card\" icon=\"x\">\n  Says this.\n</Card>\n\nA plain one\n\nNot one:\n\n#hash",
        &[
            (Form::Heading, "Index of it"),
            (Form::Heading, "A page"),
            (Form::Heading, "A card"),
            (Form::Sentence, "Says this."),
            (Form::Heading, "A plain one"),
            (Form::Sentence, "Not one:"),
            (Form::Heading, "#hash"),
        ],
    );
}

#[test]
fn a_line_that_is_more_than_one_tag_is_text() {
    assert_found(
        "<https://a.example/b>\nand <b>bold</b>.\n\n<b>bold.</b>\n\n<a href=\"c\">So it is.</a>\n\n<br/>\n\n<Columns>",
        &[
            (Form::Sentence, "<https://a.example/b> and <b>bold</b>."),
            (Form::Heading, "<b>bold.</b>"),
            (Form::Heading, "<a href=\"c\">So it is.</a>"),
        ],
    );
}

#[test]
fn items_lose_their_marker_and_keep_their_lines() {
    assert_found(
        "They are:\n* **One.** It goes\n  on here. And on.\n- two\n1. three\n12) four\n• five.\n2026. No item.\n\n---\n",
        &[
            (Form::Sentence, "They are:"),
            (Form::Sentence, "**One.**"),
            (Form::Sentence, "It goes on here."),
            (Form::Sentence, "And on."),
            (Form::Sentence, "two"),
            (Form::Sentence, "three"),
            (Form::Sentence, "four"),
            (Form::Sentence, "five."),
            (Form::Sentence, "2026."),
            (Form::Sentence, "No item."),
        ],
    );
}

#[test]
fn a_row_is_its_cells_in_either_form_of_table() {
    let marked = "| Event | Meaning |\n| :- | -: |\n| a. b |  The   end. Really. |";
    let copied = "Event\tMeaning\na. b\tThe end. Really.";
    assert_eq!(found(marked), found(copied));
    assert_found(
        marked,
        &[
            (Form::Row, "Event | Meaning"),
            (Form::Row, "a. b | The end. Really."),
        ],
    );
}

#[test]
fn code_is_whole_with_a_fence_or_without() {
    assert_found(
        "So:\n``` a ```\n```ts path=a.ts\n# no heading. None.\n\n* no item\n  ```\nText.\n~~~~\n```\n~~~~\n> ```\n> quoted\n> ```",
        &[
            (Form::Sentence, "So: ``` a ```"),
            (Form::Code, "# no heading. None. * no item"),
            (Form::Sentence, "Text."),
            (Form::Code, "```"),
            (Form::Code, "> quoted"),
        ],
    );
    assert_found(
        "GET /v1/things\nLast-Event-ID: 4\n\nGET /v1/things lists them. All.\n\n{\n  \"a\": 1,\n\t\"b\":\t2\n}\n\ncheckfu do \\\n  \"A. B\" \\\n  - x\n\nconst a = 1\nawait b. C",
        &[
            (Form::Code, "GET /v1/things Last-Event-ID: 4"),
            (Form::Sentence, "GET /v1/things lists them."),
            (Form::Sentence, "All."),
            (Form::Code, "{ \"a\": 1, \"b\": 2 }"),
            (Form::Code, "checkfu do \\ \"A. B\" \\ - x"),
            (Form::Code, "const a = 1 await b. C"),
        ],
    );
}

#[test]
fn line_ends_indentation_and_a_byte_order_mark_make_no_difference() {
    let page = "# A\n\nB is\nhere. C.\n\n| d | e |\n\n* f\n\n```\ng\n```\n";
    assert_eq!(found(page).len(), 6);
    assert_eq!(found(&page.replace('\n', "\r\n")), found(page));
    assert_eq!(
        found(&format!("\u{feff}{}", page.replace("B is\n", "  B is  "))),
        found(page)
    );
}

#[test]
fn an_open_fence_ends_with_the_page() {
    assert_found("```\na. B", &[(Form::Code, "a. B")]);
    assert_found("", &[]);
    assert_found("```", &[]);
    assert_found("|\n||\n\t\n>\n<>\n", &[(Form::Heading, "<>")]);
}

/// Every word of a page is in one passage, in order, whatever the page is made of.
#[test]
fn no_word_is_lost_and_nothing_panics() {
    let pieces = [
        "a.",
        "B",
        "`",
        "\n```\n",
        "\n~~~\n",
        "|",
        "\t",
        "\n",
        "\n\n",
        "> ",
        "# ",
        "* ",
        "1. ",
        "<Card title=\"T\">",
        "…",
        "é.",
        "**",
        "{",
        "GET /x",
        " ",
        "---",
    ];
    let seed = getrandom::u64().unwrap();
    let mut state = seed;
    for _ in 0..2_000 {
        let mut page = String::new();
        for number in 0..40 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            page.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            page.push_str(&format!("w{number}"));
        }
        let words = |text: &str| -> Vec<String> {
            text.split(|letter: char| !letter.is_ascii_alphanumeric())
                .filter(|word| word.starts_with('w'))
                .map(str::to_owned)
                .collect()
        };
        let read: Vec<String> = passages(&page)
            .iter()
            .flat_map(|passage| words(&passage.text))
            .collect();
        assert_eq!(read, words(&page), "seed {seed}: {page:?}");
    }
}
