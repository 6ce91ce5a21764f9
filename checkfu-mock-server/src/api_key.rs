//! What can be an API key.

const MAX_BYTES: usize = 512;

/// Whether the key can stand in a header: 1 to 512 visible ASCII characters.
pub(crate) fn is_valid(key: &str) -> bool {
    (1..=MAX_BYTES).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}
