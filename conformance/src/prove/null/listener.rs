use std::{io, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::{
    answers::{Answers, By},
    files::Files,
    message::is_whole,
};

/// A server of raw bytes; it ends when it is dropped.
#[derive(Debug)]
pub(super) struct Listener {
    url: String,
    serving: JoinHandle<()>,
}

impl Listener {
    pub(super) async fn start(answers: &Answers) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let files = Arc::new(Files::create()?);
        let by = answers.by;
        let serving = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(answer(connection, by, Arc::clone(&files)));
            }
        });
        Ok(Self { url, serving })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One request a connection.
async fn answer(mut connection: TcpStream, by: By, files: Arc<Files>) {
    let mut request = Vec::new();
    while !is_whole(&request) {
        let mut chunk = [0; 4096];
        match connection.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(length) => request.extend(chunk.iter().take(length)),
        }
    }
    // Whether the suite still listens is not this server's concern.
    match by.answer(&request, &files) {
        Some(bytes) => drop(connection.write_all(&bytes).await),
        None => drop(connection.read_to_end(&mut Vec::new()).await),
    }
}
