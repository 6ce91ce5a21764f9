use futures::{Stream, StreamExt};

use crate::prove::traffic::Frame;

/// The frames of a stream, `None` at its end. What is no text ends it too.
pub(super) fn frames(response: reqwest::Response) -> impl Stream<Item = Option<Frame>> + Send {
    let state = (response.bytes_stream().boxed(), Vec::new(), false);
    futures::stream::unfold(state, |(mut chunks, mut bytes, ended)| async move {
        if ended {
            return None;
        }
        loop {
            if let Some(end) = bytes.windows(2).position(|pair| pair == b"\n\n") {
                let rest = bytes.split_off(end + 2);
                let whole = std::mem::replace(&mut bytes, rest);
                let frame = std::str::from_utf8(&whole).ok().map(Frame::read);
                let ended = frame.is_none();
                return Some((frame, (chunks, bytes, ended)));
            }
            match chunks.next().await {
                Some(Ok(chunk)) => bytes.extend_from_slice(&chunk),
                Some(Err(_)) | None => return Some((None, (chunks, bytes, true))),
            }
        }
    })
}
