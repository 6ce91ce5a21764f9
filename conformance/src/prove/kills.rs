use super::{instrumented, kill::Kill, mutants};

/// Every kill that the suite claims.
///
/// ```
/// use checkfu_conformance::prove::kills;
///
/// assert!(kills().iter().any(|kill| kill.check == "srv.resume.every-cut"));
/// ```
pub fn kills() -> Vec<Kill> {
    let mut kills: Vec<Kill> = mutants::all("key", "prin_1")
        .iter()
        .flat_map(|mutant| mutant.killed().to_vec())
        .collect();
    kills.extend(instrumented::kills());
    kills.sort();
    kills
}
