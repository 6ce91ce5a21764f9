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
