//! JSON pointers into the document, and references followed through it.

use std::fmt;

use serde_json::Value;

/// A JSON pointer, escaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer(String);

impl Pointer {
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    pub(crate) fn component(section: &str, name: &str) -> Self {
        Self::root().child("components").child(section).child(name)
    }

    pub(crate) fn child(&self, member: &str) -> Self {
        Self(format!(
            "{}/{}",
            self.0,
            member.replace('~', "~0").replace('/', "~1")
        ))
    }

    pub(crate) fn lookup<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        root.pointer(&self.0)
    }

    /// The pointer as a URI fragment: braces of path templates and percent signs escaped.
    pub(crate) fn as_fragment(&self) -> String {
        self.0.replace('%', "%25").replace('{', "%7B").replace('}', "%7D")
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The place that `at` leads to, through any number of `$ref`s up to a small bound; `None` if one of them dangles.
pub(crate) fn resolve(root: &Value, at: &Pointer) -> Option<Pointer> {
    const LONGEST_CHAIN: usize = 16;
    let mut at = at.clone();
    for _ in 0..LONGEST_CHAIN {
        match at.lookup(root)?.get("$ref").and_then(Value::as_str) {
            None => return Some(at),
            Some(reference) => at = Pointer(reference.strip_prefix('#')?.to_owned()),
        }
    }
    None
}
