//! List pages (A-LIST).

use bytes::{BufMut, Bytes, BytesMut};

/// `{"data": […], "next_page": …}` from items that are JSON already, without decoding them.
pub(crate) fn page<'a>(items: impl Iterator<Item = &'a [u8]>, next_page: Option<&str>) -> Bytes {
    let mut out = BytesMut::with_capacity(1024);
    out.put_slice(b"{\"data\":[");
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.put_u8(b',');
        }
        out.put_slice(item);
    }
    out.put_slice(b"],\"next_page\":");
    match next_page {
        // A token is base64url text: nothing in it needs escaping.
        Some(token) => {
            out.put_u8(b'"');
            out.put_slice(token.as_bytes());
            out.put_u8(b'"');
        }
        None => out.put_slice(b"null"),
    }
    out.put_u8(b'}');
    out.freeze()
}
