use serde::{Deserialize, Serialize};

/// One page of a list (`A-LIST`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The items, in the list's order.
    pub data: Vec<T>,
    /// The opaque token of the next page; `None` on the last one.
    #[serde(default = "Option::default")]
    pub next_page: Option<String>,
}
