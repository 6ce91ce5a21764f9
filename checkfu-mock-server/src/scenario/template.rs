//! Text with places for what only the Run knows: `You wrote: {input}`.

/// Text and placeholders, in order. A brace that is meant as such is written twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Place(Place),
}

/// What can stand in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Input,
    InputCharacters,
    Answer,
    Result,
    Decision,
    Grade,
}

const PLACES: [(&str, Place); 6] = [
    ("input", Place::Input),
    ("input_characters", Place::InputCharacters),
    ("answer", Place::Answer),
    ("result", Place::Result),
    ("decision", Place::Decision),
    ("grade", Place::Grade),
];

/// The longest text that comes out, in characters; what is beyond is cut off and an ellipsis says so.
const LONGEST: usize = 1024 * 1024;

/// What the Run knows. What has not come yet is empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    /// What the Run was asked.
    pub(crate) input: String,
    /// The latest answer to a Question.
    pub(crate) answer: String,
    /// The latest result of a custom tool.
    pub(crate) result: String,
    /// The latest decision about a governed call: `allow`, `deny` or `expired`.
    pub(crate) decision: String,
    /// The latest verdict of the grader.
    pub(crate) grade: String,
}

impl Template {
    /// Text that stands for itself, braces included.
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self(vec![Part::Literal(text.into())])
    }

    /// Reads text with placeholders; the error is the problem and its fix.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else {
                let (place, after) = place(from)?;
                parts.push(Part::Literal(std::mem::take(&mut literal)));
                parts.push(Part::Place(place));
                rest = after;
            }
        }
        literal.push_str(rest);
        parts.push(Part::Literal(literal));
        Ok(Self(parts))
    }

    /// The text for a Run that knows these words.
    pub(crate) fn render(&self, words: &Words) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Place(Place::Input) => text.push_str(&words.input),
                Part::Place(Place::InputCharacters) => {
                    text.push_str(&words.input.chars().count().to_string())
                }
                Part::Place(Place::Answer) => text.push_str(&words.answer),
                Part::Place(Place::Result) => text.push_str(&words.result),
                Part::Place(Place::Decision) => text.push_str(&words.decision),
                Part::Place(Place::Grade) => text.push_str(&words.grade),
            }
            if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
                text.truncate(cut);
                text.push('…');
                break;
            }
        }
        text
    }

    /// The text as a scenario writes it.
    pub(crate) fn source(&self) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Literal(literal) => literal.replace('{', "{{").replace('}', "}}"),
            Part::Place(place) => {
                let name = PLACES.iter().find(|(_, known)| known == place);
                format!("{{{}}}", name.map_or("", |(name, _)| name))
            }
        });
        parts.collect()
    }
}

/// The placeholder that the text begins with, and what follows it.
fn place(text: &str) -> Result<(Place, &str), String> {
    let names: Vec<String> = PLACES.iter().map(|(name, _)| format!("{{{name}}}")).collect();
    let known = names.join(", ");
    let Some((name, after)) = text.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
        return Err(format!(
            "has a brace without its other; write it twice, or one of {known}"
        ));
    };
    let found = PLACES.iter().find(|(place, _)| *place == name);
    found.map(|(_, place)| (*place, after)).ok_or_else(|| {
        format!("has {{{name}}}; {known} may be there, and a brace that is meant as such is written twice")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        Words {
            input: "naïve".to_owned(),
            answer: "blue".to_owned(),
            ..Words::default()
        }
    }

    #[test]
    fn placeholders_are_filled_and_doubled_braces_are_braces() {
        for (source, rendered) in [
            ("plain", "plain"),
            ("{input}!", "naïve!"),
            ("{input_characters} of {answer}{result}", "5 of blue"),
            ("{{\"a\": {{}}}}", "{\"a\": {}}"),
        ] {
            let template = Template::parse(source).unwrap();
            assert_eq!(template.render(&words()), rendered);
            assert_eq!(template.source(), source);
        }
        let literal = Template::literal("{input}");
        assert_eq!(literal.render(&words()), "{input}");
        assert_eq!(
            Template::parse(&literal.source()).unwrap().render(&words()),
            "{input}"
        );
    }

    #[test]
    fn an_unknown_placeholder_is_refused_with_the_known_ones() {
        for bad in ["{inputs}", "{", "a } b", "{input", "{}"] {
            let problem = Template::parse(bad).unwrap_err();
            assert!(problem.contains("{input_characters}"), "{bad}: {problem}");
        }
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let words = Words {
            input: "é".repeat(LONGEST - 1),
            ..Words::default()
        };
        let text = Template::parse("{input}{input}").unwrap().render(&words);
        assert_eq!(text.chars().count(), LONGEST + 1);
        assert!(text.ends_with('…'));
    }
}
