//! HTTP messages as bytes.

pub(super) fn response(status: u16, content_type: &str, body: &[u8]) -> Vec<u8> {
    let length = match status {
        204 => String::new(),
        _ => format!(
            "content-type: {content_type}\r\ncontent-length: {}\r\n",
            body.len()
        ),
    };
    let head = format!("HTTP/1.1 {status} As It Is\r\n{length}connection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// What follows the head.
pub(super) fn body_of(request: &[u8]) -> &[u8] {
    head_end(request)
        .and_then(|end| request.get(end..))
        .unwrap_or_default()
}

fn head_end(request: &[u8]) -> Option<usize> {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(end + 4)
}

pub(super) fn is_whole(request: &[u8]) -> bool {
    let Some(end) = head_end(request) else {
        return false;
    };
    let head = String::from_utf8_lossy(request.get(..end).unwrap_or_default()).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    request.len() - end >= length.unwrap_or(0)
}
