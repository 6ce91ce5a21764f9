//! Which folder of the repository answers for which actor, and the Rust files in it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, requirements::Actor};

/// A crate and the actor whose requirements its sources implement and its tests show.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) folder: &'static str,
    pub(crate) package: &'static str,
    pub(crate) actor: Actor,
}

/// Every crate that can show a requirement. The quickstart is the SDK at work, so it shows client rows.
pub(crate) const MEMBERS: &[Member] = &[
    Member {
        folder: "checkfu-mock-server",
        package: "checkfu-mock-server",
        actor: Actor::Server,
    },
    Member {
        folder: "checkfu-sdk",
        package: "checkfu-sdk",
        actor: Actor::Client,
    },
    Member {
        folder: "examples",
        package: "checkfu-examples",
        actor: Actor::Client,
    },
    Member {
        folder: "checkfu-cli",
        package: "checkfu-cli",
        actor: Actor::Cli,
    },
];

/// All `.rs` files below `folder`, sorted; none when the folder does not exist.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|source| Failure::io(&folder, source))? {
            let path = entry.map_err(|source| Failure::io(&folder, source))?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// `stream::resume` for `src/stream/resume.rs` or `tests/api/stream/resume.rs`; empty for a crate's root.
pub(crate) fn module_path(relative: &Path) -> Vec<String> {
    let mut parts: Vec<String> = relative
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let roots = if parts.first().is_some_and(|part| part == "tests") {
        2
    } else {
        1
    };
    parts.drain(..roots.min(parts.len()));
    if matches!(parts.last().map(String::as_str), Some("main" | "lib")) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_module() {
        assert_eq!(
            module_path(Path::new("src/stream/resume.rs")),
            ["stream", "resume"]
        );
        assert_eq!(module_path(Path::new("src/lib.rs")), Vec::<String>::new());
        assert_eq!(module_path(Path::new("tests/api/main.rs")), Vec::<String>::new());
        assert_eq!(module_path(Path::new("tests/api/crash.rs")), ["crash"]);
    }
}
