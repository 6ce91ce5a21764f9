use serde_json::{Value, json};

use super::{EQUIVALENTS, EXCLUDED, Matrix, judged_requirements, sorted_checks};

pub(super) fn json(matrix: &Matrix) -> String {
    let checks: Vec<Value> = sorted_checks()
        .into_iter()
        .map(|check| {
            let kills = matrix.kills_of(check.id());
            let kills = kills.map(|kill| json!({"mutant": kill.mutant, "expected": kill.expected}));
            json!({
                "id": check.id(),
                "level": check.level().letter().to_string(),
                "requirements": check.requirements(),
                "kills": kills.collect::<Vec<_>>(),
            })
        })
        .collect();
    let requirements: Vec<Value> = judged_requirements()
        .into_iter()
        .map(|(id, level, judges)| json!({"id": id, "level": level.to_string(), "checks": judges}))
        .collect();
    let nulls: Vec<Value> = matrix
        .scores
        .iter()
        .map(|score| json!({"server": score.name, "executed": score.executed, "passed": score.passed}))
        .collect();
    let equivalents: Vec<Value> = EQUIVALENTS
        .iter()
        .map(|equal| json!({"server": equal.name, "profile": equal.profile.to_string()}))
        .collect();
    let excluded: Vec<Value> = EXCLUDED
        .iter()
        .map(|(mutant, reason)| json!({"mutant": mutant, "reason": reason}))
        .collect();
    let document = json!({
        "format": 1,
        "checks": checks,
        "requirements": requirements,
        "null_servers": nulls,
        "equivalents": equivalents,
        "excluded": excluded,
    });
    format!("{document:#}\n")
}
