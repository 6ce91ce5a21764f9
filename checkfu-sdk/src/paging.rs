//! Lists that page by themselves.

mod list;
mod pages;
mod walk;

pub use list::List;
pub use pages::{Items, Pages};
pub(crate) use walk::{Bounds, by_token};
