//! Random histories: what several processes did to a server and saw of it, written down, and properties that hold of
//! every such history whatever the server was busy with.

mod absence;
mod anomaly;
mod checker;
mod dice;
mod explain;
mod history;
mod report;
mod rest;
mod run;
mod script;
mod shrink;
mod stage;

pub use anomaly::{ANOMALIES, Anomaly, Property, anomaly};
pub use checker::{Finding, Judgement, check};
pub use explain::explain;
pub use history::{
    Block, Call, Entry, Header, History, InvalidHistory, Line, Phase, Problem, Seen, StreamEnd, Until, Walk,
    WalkEnd,
};
pub use report::{BundleError, Case, MODEL_REPORT_SCHEMA_JSON, ModelReport, Shrinking};
pub use run::{NoSeed, Random, fresh_seed, judge, run};
pub use script::Script;
