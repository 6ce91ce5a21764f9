//! The JSON Schema of a scenario file.

/// The schema that editors check scenario files with. The parser knows more: what refers to what, and what is never
/// reached.
pub const SCENARIO_SCHEMA: &str = include_str!("../../scenarios/scenario.schema.json");
