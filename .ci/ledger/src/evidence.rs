//! What the sources say: files that name a requirement, and tests that name one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    failure::Failure,
    ids,
    requirements::{Actor, Requirements},
    workspace::{self, Member},
};

/// A test that names at least one requirement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Test {
    pub(crate) package: &'static str,
    /// As the test runner prints it: `stream::resumes_after_a_cut`.
    pub(crate) name: String,
}

/// Files and tests by requirement and actor.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    files: BTreeMap<(String, Actor), BTreeSet<PathBuf>>,
    tests: BTreeMap<(String, Actor), BTreeSet<Test>>,
    /// Modules that only tests are compiled with, as paths without `.rs`.
    tests_alone: BTreeSet<PathBuf>,
}

impl Evidence {
    /// Reads every Rust file of every member.
    pub(crate) fn collect(root: &Path, requirements: &Requirements) -> Result<Self, Failure> {
        let mut evidence = Self::default();
        for member in workspace::MEMBERS {
            for part in ["src", "tests"] {
                for path in workspace::rust_files(&root.join(member.folder).join(part))? {
                    evidence.read(root, member, part == "src", &path, requirements)?;
                }
            }
        }
        let tests_alone = std::mem::take(&mut evidence.tests_alone);
        for files in evidence.files.values_mut() {
            files.retain(|file| {
                !tests_alone
                    .iter()
                    .any(|module| file.with_extension("").starts_with(module))
            });
        }
        Ok(evidence)
    }

    pub(crate) fn files(&self, id: &str, actor: Actor) -> impl Iterator<Item = &Path> {
        self.files
            .get(&(id.to_owned(), actor))
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }

    pub(crate) fn tests(&self, id: &str, actor: Actor) -> impl Iterator<Item = &Test> {
        self.tests.get(&(id.to_owned(), actor)).into_iter().flatten()
    }

    /// Every test that names a requirement, once.
    pub(crate) fn all_tests(&self) -> BTreeSet<&Test> {
        self.tests.values().flatten().collect()
    }

    fn read(
        &mut self,
        root: &Path,
        member: &Member,
        is_source: bool,
        path: &Path,
        requirements: &Requirements,
    ) -> Result<(), Failure> {
        let text = fs::read_to_string(path).map_err(|source| Failure::io(path, source))?;
        let relative = path.strip_prefix(root).unwrap_or(path);
        check_ids(relative, &text, requirements)?;
        let file = syn::parse_file(&text).map_err(|error| Failure::malformed(relative, error))?;
        let inside = path.strip_prefix(root.join(member.folder)).unwrap_or(path);
        let mut found = Found {
            package: member.package,
            tests: Vec::new(),
            test_modules: Vec::new(),
            test_files: Vec::new(),
        };
        found.items(&file.items, &workspace::module_path(inside));
        let source = Path::new(member.folder).join("src");
        let alone = found
            .test_files
            .iter()
            .map(|module| source.join(module.join("/")));
        self.tests_alone.extend(alone);
        for (test, documentation) in found.tests {
            for id in ids::in_text(&documentation).filter(|id| requirements.contains(id)) {
                self.tests
                    .entry((id.to_owned(), member.actor))
                    .or_default()
                    .insert(test.clone());
            }
        }
        if is_source && relative.file_stem().is_none_or(|stem| stem != "tests") {
            for id in implemented(&text, &found.test_modules).filter(|id| requirements.contains(id)) {
                self.files
                    .entry((id.to_owned(), member.actor))
                    .or_default()
                    .insert(relative.to_owned());
            }
        }
        Ok(())
    }
}

/// Ids in comments outside the file's test modules.
fn implemented<'text>(
    text: &'text str,
    test_modules: &'text [(usize, usize)],
) -> impl Iterator<Item = &'text str> {
    text.lines()
        .enumerate()
        .filter(|(index, line)| {
            let number = index + 1;
            line.trim_start().starts_with("//")
                && !test_modules
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&number))
        })
        .flat_map(|(_, line)| ids::in_text(line))
}

fn check_ids(path: &Path, text: &str, requirements: &Requirements) -> Result<(), Failure> {
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.trim_start().starts_with("//"))
    {
        for id in ids::in_text(line) {
            if requirements.knows_prefix(id) && !requirements.contains(id) {
                return Err(Failure::UnknownId {
                    path: path.to_owned(),
                    line: index + 1,
                    id: id.to_owned(),
                });
            }
        }
    }
    Ok(())
}

struct Found {
    package: &'static str,
    tests: Vec<(Test, String)>,
    test_modules: Vec<(usize, usize)>,
    test_files: Vec<Vec<String>>,
}

impl Found {
    fn items(&mut self, items: &[syn::Item], module: &[String]) {
        for item in items {
            match item {
                syn::Item::Fn(function) if is_test(&function.attrs) => {
                    let mut name = module.to_vec();
                    name.push(function.sig.ident.to_string());
                    let test = Test {
                        package: self.package,
                        name: name.join("::"),
                    };
                    self.tests.push((test, documentation(&function.attrs)));
                }
                syn::Item::Mod(inner) => {
                    let mut path = module.to_vec();
                    path.push(inner.ident.to_string());
                    let Some((brace, content)) = &inner.content else {
                        if inner.attrs.iter().any(is_for_tests) {
                            self.test_files.push(path);
                        }
                        continue;
                    };
                    if inner
                        .attrs
                        .iter()
                        .any(|attribute| attribute.path().is_ident("cfg"))
                    {
                        let span = brace.span;
                        self.test_modules
                            .push((span.open().start().line, span.close().end().line));
                    }
                    self.items(content, &path);
                }
                _ => {}
            }
        }
    }
}

/// `#[test]`, `#[tokio::test]` and their like.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute
            .path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "test")
    })
}

/// `#[cfg(test)]`
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<syn::Path>()
            .is_ok_and(|condition| condition.is_ident("test"))
}

fn documentation(attributes: &[syn::Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(line),
                ..
            }) = &pair.value
        {
            text.push_str(&line.value());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIREMENTS: &str = r#"
        [[requirement]]
        id = "STR-2"
        level = "D"
        actors = ["client", "server"]
        statement = "resumes"
    "#;

    fn repository(source: &str, test: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("conformance/spec/requirements.toml", REQUIREMENTS);
        write("checkfu-sdk/src/stream.rs", source);
        write("checkfu-sdk/tests/api/resume.rs", test);
        root
    }

    fn collect(root: &Path) -> Result<Evidence, Failure> {
        Evidence::collect(
            root,
            &Requirements::load(&root.join(crate::requirements::PATH)).unwrap(),
        )
    }

    #[test]
    fn a_comment_implements_and_a_doc_comment_shows() {
        let root = repository(
            "/// Resumes (STR-2).\nfn resume() {}",
            "/// STR-2\n#[tokio::test]\nasync fn resumes() {}",
        );
        let evidence = collect(root.path()).unwrap();
        let files: Vec<_> = evidence.files("STR-2", Actor::Client).collect();
        assert_eq!(files, [Path::new("checkfu-sdk/src/stream.rs")]);
        let tests: Vec<_> = evidence
            .tests("STR-2", Actor::Client)
            .map(|test| test.name.as_str())
            .collect();
        assert_eq!(tests, ["resume::resumes"]);
        assert_eq!(evidence.files("STR-2", Actor::Server).count(), 0);
    }

    #[test]
    fn a_test_in_the_sources_is_no_implementation() {
        let source = "#[cfg(test)]\nmod tests {\n    /// STR-2\n    #[test]\n    fn shows() {}\n}";
        let root = repository(source, "");
        let evidence = collect(root.path()).unwrap();
        assert_eq!(evidence.files("STR-2", Actor::Client).count(), 0);
        let tests: Vec<_> = evidence
            .tests("STR-2", Actor::Client)
            .map(|test| test.name.as_str())
            .collect();
        assert_eq!(tests, ["stream::tests::shows"]);
    }

    #[test]
    fn a_file_that_only_tests_are_compiled_with_is_no_implementation() {
        let root = repository("#[cfg(test)]\nmod model;\n#[cfg(unix)]\nmod socket;", "");
        for file in ["model.rs", "model/deep.rs", "socket.rs", "models.rs"] {
            let path = root.path().join("checkfu-sdk/src/stream").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "// STR-2\nfn resume() {}").unwrap();
        }
        let evidence = collect(root.path()).unwrap();
        let files: Vec<_> = evidence.files("STR-2", Actor::Client).collect();
        let expected = ["models.rs", "socket.rs"].map(|file| Path::new("checkfu-sdk/src/stream").join(file));
        assert_eq!(files, expected);
    }

    #[test]
    fn a_mistyped_id_is_an_error() {
        let root = repository("// STR-22 does not exist\nfn resume() {}", "");
        let failure = collect(root.path()).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "checkfu-sdk/src/stream.rs:1: no requirement is called STR-22"
        );
    }
}
