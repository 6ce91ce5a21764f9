use serde_json::json;

use crate::verdict::{Conclusion, Verdict};

use super::{document::Report, statement::applicable};

impl Report {
    /// The conclusion as the JSON that a badge endpoint of shields.io serves, with a final line feed.
    pub fn to_badge(&self) -> String {
        let whole = self.only.is_empty();
        let colour = match self.conclusion {
            Conclusion::Conformant if !whole => "lightgrey",
            Conclusion::Conformant => "brightgreen",
            Conclusion::Partial | Conclusion::StaleBaseline => "yellow",
            Conclusion::Nonconformant => "red",
            Conclusion::NotJudged => "lightgrey",
        };
        let executed = applicable(self);
        let passed = self.count(Verdict::Pass);
        let badge = json!({
            "schemaVersion": 1,
            "label": format!("Checkfu {}", self.profile),
            "message": format!(
                "{} {passed}/{executed}{}",
                self.conclusion.word().to_lowercase(),
                if whole { "" } else { " of a selection" }
            ),
            "color": colour,
        });
        format!("{badge}\n")
    }
}
