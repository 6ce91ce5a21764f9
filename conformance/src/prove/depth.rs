/// How much is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What a change has to pass.
    Quick,
    /// Everything.
    Full,
}
