use serde::Serialize;
use serde_json::{Value, json};

use super::document::{Case, ModelReport};
use crate::{
    Budget, Spending,
    model::anomaly::Property,
    profile::Profile,
    report::ExitStatus,
    verdict::{Conclusion, Verdict},
};

/// The JSON Schema of the document that [`ModelReport::to_json`] writes.
pub const MODEL_REPORT_SCHEMA_JSON: &str = include_str!("../../../model-report.schema.json");

#[derive(Serialize)]
struct Document<'r> {
    format: u32,
    suite: Value,
    url: Option<&'r str>,
    run_id: &'r str,
    seed: Option<u64>,
    profile: Profile,
    strict: bool,
    budget: Option<Budget>,
    spent: Option<Spending>,
    cut: Option<&'r str>,
    conclusion: Conclusion,
    exit: ExitStatus,
    reason: Option<&'r str>,
    histories: usize,
    not_played: Option<Value>,
    properties: Vec<Row>,
    cases: &'r [Case],
    more: usize,
    shrunk_at_most: usize,
    sessions_left: Option<Value>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    property: Property,
    title: &'static str,
    verdict: Verdict,
    decided: usize,
    reason: Option<String>,
}

impl ModelReport {
    /// The version of the document's shape, which `model-report.schema.json` describes.
    pub const FORMAT: u32 = 1;

    /// The report as indented JSON with a final line feed.
    ///
    /// # Errors
    /// What the JSON writer reports; the report has no value that it cannot write.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let row = |property: Property| Row {
            id: property.id(),
            property,
            title: property.title(),
            verdict: self.verdict(property),
            decided: self.times(property),
            reason: self.why_not(property),
        };
        let not_played = self.not_played.as_ref();
        let left = self.left.as_ref().map(|left| match left {
            Ok(count) => json!({"count": count, "reason": null}),
            Err(why) => json!({"count": null, "reason": why}),
        });
        let document = Document {
            format: Self::FORMAT,
            suite: json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")}),
            url: self.url.as_deref(),
            run_id: &self.run_id,
            seed: self.seed,
            profile: self.profile,
            strict: self.strict,
            budget: self.budget,
            spent: self.spent,
            cut: self.cut_short(),
            conclusion: self.conclusion(),
            exit: self.exit(),
            reason: self.reason.as_deref(),
            histories: self.histories,
            not_played: not_played.map(|(count, why)| json!({"count": count, "reason": why})),
            properties: Property::ALL.map(row).into(),
            cases: &self.cases,
            more: self.more,
            shrunk_at_most: self.shrunk_at_most,
            sessions_left: left,
        };
        serde_json::to_string_pretty(&document).map(|text| text + "\n")
    }
}
