use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};

/// A server to use instead of a private one; its user must be a superuser.
const URL: &str = "CHECKFU_TEST_POSTGRES_URL";

/// Set to anything, tests that find no server fail instead of being skipped.
const REQUIRED: &str = "CHECKFU_TEST_POSTGRES_REQUIRED";

/// Starts a private cluster on a socket, says where, and takes it down when its input ends: when this process does,
/// whatever ended it. Nothing but the shell itself holds the pipes.
const CLUSTER: &str = r#"
trap '' INT TERM HUP
directory=$(mktemp -d -t checkfu-postgres-XXXXXX) || exit 1
exec 3>&1 >"$directory/log" 2>&1
cd "$directory" || exit 1
"$0/initdb" -D data -U checkfu -A trust -E UTF8 --locale=C --no-sync 3>&- </dev/null &&
"$0/pg_ctl" -D data -w -t 60 -l server-log -o "-k '$directory' -c listen_addresses='' -c fsync=off -c max_connections=100" start 3>&- </dev/null ||
    { cat log >&3; exit 1; }
echo "READY $directory" >&3
exec 3>&-
cat >/dev/null
"$0/pg_ctl" -D data -m immediate stop </dev/null
cd / && rm -rf "$directory"
"#;

enum Server {
    Given(String),
    Private(
        String,
        #[expect(dead_code, reason = "the cluster ends with the pipe to its shell")] Child,
    ),
}

/// A namespace of its own on a PostgreSQL server, for one test.
#[derive(Clone)]
pub(crate) struct Postgres {
    options: PgConnectOptions,
    /// The server, for a process of its own.
    pub(crate) url: String,
    pub(crate) namespace: String,
}

impl Postgres {
    /// `None`, said loudly, where there is no server.
    pub(crate) async fn find() -> Option<Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        static NAMESPACES: AtomicU64 = AtomicU64::new(0);
        let server = tokio::task::spawn_blocking(|| SERVER.get_or_init(server).as_ref());
        let Some(Server::Given(url) | Server::Private(url, _)) = server.await.unwrap() else {
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            assert!(
                std::env::var_os(REQUIRED).is_none(),
                "{test} needs PostgreSQL: install it, or set {URL}"
            );
            let told =
                format!("\nSKIPPED, it showed nothing: {test} needs PostgreSQL; install it, or set {URL}\n");
            // Not by a macro: what those print is hidden where a test passes.
            std::io::stderr().write_all(told.as_bytes()).unwrap();
            return None;
        };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let number = NAMESPACES.fetch_add(1, Ordering::SeqCst);
        let namespace = format!("checkfu_{}_{number}_{time}", std::process::id());
        let mut connection = PgConnection::connect(url).await.unwrap();
        let create = AssertSqlSafe(format!("CREATE SCHEMA {namespace}"));
        sqlx::raw_sql(create).execute(&mut connection).await.unwrap();
        Some(Self::at(url.clone(), namespace))
    }

    /// A namespace that is there already. Its connections carry its name.
    pub(crate) fn at(url: String, namespace: String) -> Self {
        let options = PgConnectOptions::from_str(&url).unwrap();
        let options = options.options([("search_path", &namespace)]);
        Self {
            options: options.application_name(&namespace),
            url,
            namespace,
        }
    }

    pub(crate) fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    pub(crate) async fn pool(&self, connections: u32) -> PgPool {
        let options = PgPoolOptions::new().max_connections(connections);
        options.connect_with(self.options()).await.unwrap()
    }
}

fn server() -> Option<Server> {
    if let Ok(url) = std::env::var(URL) {
        return Some(Server::Given(url));
    }
    let mut command = Command::new("sh");
    command.args(["-c", CLUSTER]).arg(binaries()?);
    if id(&["-u"])? == 0 {
        // PostgreSQL does not run as root.
        command
            .uid(id(&["-u", "postgres"])?)
            .gid(id(&["-g", "postgres"])?);
    }
    let mut shell = command
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(shell.stdout.take().unwrap()).lines();
    let said: Vec<String> = lines.by_ref().map_while(Result::ok).collect();
    let directory = said.iter().find_map(|line| line.strip_prefix("READY "));
    let directory = directory.unwrap_or_else(|| panic!("PostgreSQL did not start: {said:?}"));
    let url = format!("postgres://checkfu@localhost/postgres?host={directory}");
    Some(Server::Private(url, shell))
}

/// The folder of the newest programs.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).collect::<Vec<_>>();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut installed: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let version = path.file_name()?.to_str()?.parse().ok()?;
            Some((version, path.join("bin")))
        })
        .collect();
    installed.sort();
    let installed = installed.into_iter().rev().map(|(_, path)| path);
    in_path
        .into_iter()
        .chain(installed)
        .find(|path| path.join("initdb").exists() && path.join("pg_ctl").exists())
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
