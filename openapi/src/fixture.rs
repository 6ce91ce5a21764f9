//! The fixtures of this crate, read from its own directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Every fixture of the crate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fixtures {
    /// Valid JSON values, each with the schema that it fits.
    pub documents: Vec<Fixture>,
    /// Event streams, each with the frames and events that it stands for.
    pub streams: Vec<StreamFixture>,
    /// Input that a tolerant client survives, each with what the client has to make of it.
    pub hostile: Vec<HostileFixture>,
}

/// What kind of value a fixture is; the name of its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FixtureGroup {
    /// A persisted event, `events/<type>[.<form>].json`.
    Event,
    /// A resource or a page of them, `resources/<Schema>[.<form>].json`.
    Resource,
    /// A request body, `requests/<Schema>[.<form>].json`.
    Request,
    /// An error body, `errors/<code>.json`.
    Error,
    /// The data of a preview frame, `previews/<Schema>[.<form>].json`.
    Preview,
}

/// A valid JSON value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fixture {
    /// The directory it stands in.
    pub group: FixtureGroup,
    /// The file name without `.json`: an event type, schema name or error code, perhaps with a form behind it.
    pub name: String,
    /// The component schema that it fits; `Event` for every event, as [`Judge::check_event`] finds the exact one.
    ///
    /// [`Judge::check_event`]: crate::Judge::check_event
    pub schema: String,
    /// The HTTP status that an error comes with; `None` in the other groups.
    pub status: Option<u16>,
    /// The value.
    pub value: Value,
}

/// The bytes of an event stream.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamFixture {
    /// The file name without `.sse`.
    pub name: String,
    /// The bytes, to be delivered in chunks of any size.
    pub bytes: Vec<u8>,
    /// What they stand for; the crate's README names the members.
    pub expect: Value,
}

/// Input that is wrong, strange or newer than the reader.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostileFixture {
    /// The file name without its extension; up to the first `.` the kind: `event`, `error`, `page`, `resource`,
    /// `stream`.
    pub name: String,
    /// The input: JSON, an event stream, or a body that is neither.
    pub bytes: Vec<u8>,
    /// What a tolerant client makes of it; the crate's README names the members.
    pub expect: Value,
}

/// Reads every fixture.
///
/// The files are found under the directory that this crate was compiled from, so this is for tests: it works from a
/// checkout and from the unpacked package, as long as that source directory still exists when the test runs.
///
/// ```
/// let fixtures = checkfu_openapi::fixtures()?;
/// assert!(fixtures.documents.iter().any(|fixture| fixture.name == "user.message"));
/// # Ok::<(), checkfu_openapi::FixtureError>(())
/// ```
///
/// # Errors
///
/// [`FixtureError`], naming the file, if one cannot be read, is no JSON where JSON is promised, or stands without its
/// expectation.
pub fn fixtures() -> Result<Fixtures, FixtureError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    Ok(Fixtures {
        documents: documents(&root)?,
        streams: streams(&root)?,
        hostile: hostile(&root)?,
    })
}

/// A fixture cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// The file or directory cannot be read.
    #[error("fixture {path} is not readable")]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no JSON.
    #[error("fixture {path} is not JSON")]
    Json {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// An error fixture without a status in `errors/index.json`.
    #[error("errors/index.json has no status for {0}")]
    NoStatus(String),
}

fn documents(root: &Path) -> Result<Vec<Fixture>, FixtureError> {
    let statuses = json(&root.join("errors/index.json"))?;
    let groups = [
        (FixtureGroup::Event, "events"),
        (FixtureGroup::Resource, "resources"),
        (FixtureGroup::Request, "requests"),
        (FixtureGroup::Error, "errors"),
        (FixtureGroup::Preview, "previews"),
    ];
    let mut found = Vec::new();
    for (group, directory) in groups {
        for path in files(&root.join(directory))? {
            let name = stem(&path, ".json");
            if group == FixtureGroup::Error && name == "index" {
                continue;
            }
            let (schema, status) = match group {
                FixtureGroup::Event => ("Event".to_owned(), None),
                FixtureGroup::Error => ("Error".to_owned(), Some(status_of(&statuses, &name)?)),
                _ => (name.split('.').next().unwrap_or_default().to_owned(), None),
            };
            found.push(Fixture {
                group,
                schema,
                status,
                value: json(&path)?,
                name,
            });
        }
    }
    Ok(found)
}

fn status_of(statuses: &Value, code: &str) -> Result<u16, FixtureError> {
    let status = statuses
        .get(code)
        .and_then(Value::as_u64)
        .and_then(|status| u16::try_from(status).ok());
    status.ok_or_else(|| FixtureError::NoStatus(code.to_owned()))
}

fn streams(root: &Path) -> Result<Vec<StreamFixture>, FixtureError> {
    with_expectation(&root.join("streams"))?
        .into_iter()
        .map(|(path, expect)| {
            Ok(StreamFixture {
                name: stem(&path, ".sse"),
                bytes: bytes(&path)?,
                expect,
            })
        })
        .collect()
}

fn hostile(root: &Path) -> Result<Vec<HostileFixture>, FixtureError> {
    with_expectation(&root.join("hostile"))?
        .into_iter()
        .map(|(path, expect)| {
            Ok(HostileFixture {
                name: without_extension(&path),
                bytes: bytes(&path)?,
                expect,
            })
        })
        .collect()
}

/// Every file of a directory that is no expectation, with the one that stands beside it.
fn with_expectation(directory: &Path) -> Result<Vec<(PathBuf, Value)>, FixtureError> {
    let inputs = files(directory)?
        .into_iter()
        .filter(|path| !path.to_string_lossy().ends_with(".expect.json"));
    inputs
        .map(|path| {
            let expect = json(&directory.join(format!("{}.expect.json", without_extension(&path))))?;
            Ok((path, expect))
        })
        .collect()
}

/// The files of a directory, sorted by name.
fn files(directory: &Path) -> Result<Vec<PathBuf>, FixtureError> {
    let unreadable = |source| FixtureError::Read {
        path: directory.to_owned(),
        source,
    };
    let entries = fs::read_dir(directory).map_err(unreadable)?;
    let mut found = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    found.sort();
    Ok(found)
}

fn json(path: &Path) -> Result<Value, FixtureError> {
    serde_json::from_slice(&bytes(path)?).map_err(|source| FixtureError::Json {
        path: path.to_owned(),
        source,
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, FixtureError> {
    fs::read(path).map_err(|source| FixtureError::Read {
        path: path.to_owned(),
        source,
    })
}

fn stem(path: &Path, extension: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(extension).unwrap_or(&name).to_owned()
}

fn without_extension(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
