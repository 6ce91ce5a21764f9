use serde::{Deserialize, Serialize};

/// Something that a deployment of the API may leave off; a request that needs it is then refused and not carried out
/// (`WIRE-5`, `A-CAP`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capability {
    /// Its name, such as `forks`. More may come.
    pub id: String,
    /// Whether requests that need it are carried out.
    pub enabled: bool,
}
