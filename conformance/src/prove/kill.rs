use super::{instrumented, mutants};

/// A check that has to fail on a broken server, and by what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kill {
    /// The check.
    pub check: &'static str,
    /// The broken server: the name of a wire mutant, or `server:` and that of a mutant of the server.
    pub mutant: &'static str,
    /// A piece of what the check expected, so that it is this contradiction and no other.
    pub expected: &'static str,
}

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
