use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use tempfile::TempDir;

use super::message::response;

/// A directory with a page, served as any server of static files would.
#[derive(Debug)]
pub(super) struct Files(TempDir);

impl Files {
    pub(super) fn create() -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        fs::create_dir(directory.path().join("v1"))?;
        for page in ["index.html", "v1/index.html"] {
            fs::write(directory.path().join(page), "<html><body>Welcome</body></html>")?;
        }
        Ok(Self(directory))
    }

    pub(super) fn answer(&self, request: &[u8]) -> Vec<u8> {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = target.split('?').next().unwrap_or_default();
        let found = self.find(path).and_then(|path| fs::read(path).ok());
        match (found, method) {
            (Some(body), "GET") => response(200, "text/html", &body),
            (Some(_), _) => page(405),
            (None, "GET" | "HEAD") => page(404),
            (None, _) => page(405),
        }
    }

    fn find(&self, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path.trim_start_matches('/'));
        let inside = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let found = self.0.path().join(relative);
        let found = if path.ends_with('/') {
            found.join("index.html")
        } else {
            found
        };
        (inside && found.is_file()).then_some(found)
    }
}

fn page(status: u16) -> Vec<u8> {
    let body = format!("<html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>");
    response(status, "text/html", body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_served_and_nothing_else() {
        let files = Files::create().unwrap();
        let status = |line: &str| {
            let answer = files.answer(format!("{line} HTTP/1.1\r\n\r\n").as_bytes());
            String::from_utf8(answer).unwrap()[9..12].to_owned()
        };
        assert_eq!(status("GET /index.html"), "200");
        assert_eq!(status("GET /v1/?page=2"), "200");
        assert_eq!(status("GET /v1/sessions"), "404");
        assert_eq!(status("GET /../../etc/passwd"), "404");
        assert_eq!(status("POST /v1/sessions"), "405");
        assert_eq!(status("POST /index.html"), "405");
    }
}
