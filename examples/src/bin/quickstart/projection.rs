//! The follower's database: the applied events, the turns, and the SDK's cursor beside them.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use checkfu_sdk::{Client, Event, Seq, SessionId, cursor::SqliteCursorStore};
use sqlx::{
    Row, Sqlite, SqlitePool, Transaction,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{failure::Failure, gist::gist, target::Target};

/// Keys are made by the database, before a call is sent, so that a run that was killed sends the same call again.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS session (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        server TEXT NOT NULL,
        creation_key TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
        id TEXT
    );
    CREATE TABLE IF NOT EXISTS turns (
        number INTEGER PRIMARY KEY,
        text TEXT NOT NULL,
        input_key TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
        input_seq INTEGER,
        settled_seq INTEGER,
        refused TEXT
    );
    CREATE TABLE IF NOT EXISTS events (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL,
        gist TEXT NOT NULL
    );
";

/// The follower's database.
#[derive(Debug)]
pub(crate) struct Projection {
    pool: SqlitePool,
    path: PathBuf,
    _lock: File,
}

/// One input and what became of it.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) number: i64,
    pub(crate) text: String,
    pub(crate) input_key: String,
    /// Where the server put the input; `None` until its answer was stored.
    pub(crate) input_seq: Option<i64>,
}

impl Projection {
    /// Opens the database in `directory`, creating both if absent, and keeps other runs out of it.
    pub(crate) async fn open(directory: &Path) -> Result<Self, Failure> {
        let unusable = |source| Failure::Directory {
            path: directory.to_owned(),
            source,
        };
        fs::create_dir_all(directory).map_err(unusable)?;
        let lock = File::create(directory.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Busy {
                    path: directory.to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        let path = directory.join("follower.db");
        let pool = connect(&path).await.map_err(|source| Failure::Open {
            path: path.clone(),
            source,
        })?;
        let projection = Self {
            pool,
            path,
            _lock: lock,
        };
        projection.cursors().migrate().await?;
        Ok(projection)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Cursors in this database, so that one transaction holds an event's effect and the cursor.
    pub(crate) fn cursors(&self) -> SqliteCursorStore {
        SqliteCursorStore::new(self.pool.clone())
    }

    /// The directory's Session, created on the first run. From then on the directory is bound to that server: a Session
    /// means nothing on another.
    pub(crate) async fn session(&self, client: &Client, target: &Target) -> Result<SessionId, Failure> {
        let asked = target.name();
        sqlx::query(
            "INSERT INTO session (only, server) VALUES (1, ?1) ON CONFLICT DO UPDATE \
             SET server = ?1, creation_key = lower(hex(randomblob(16))) WHERE id IS NULL AND server <> ?1",
        )
        .bind(asked)
        .execute(&self.pool)
        .await?;
        let row = sqlx::query("SELECT server, creation_key, id FROM session")
            .fetch_one(&self.pool)
            .await?;
        let bound: String = row.try_get("server")?;
        if bound != asked {
            return Err(Failure::OtherServer {
                bound,
                asked: asked.to_owned(),
            });
        }
        if let Some(id) = row.try_get::<Option<String>, _>("id")? {
            return Ok(SessionId::from(id));
        }
        let session = client
            .sessions()
            .create(target.deployment(), target.principal())
            .title("Quickstart")
            .idempotency_key(row.try_get::<String, _>("creation_key")?)
            .send()
            .await?;
        sqlx::query("UPDATE session SET id = ?")
            .bind(session.id().as_str())
            .execute(&self.pool)
            .await?;
        Ok(session.id().clone())
    }

    /// The turn that an earlier run began and did not see settled.
    pub(crate) async fn unfinished_turn(&self) -> Result<Option<Turn>, Failure> {
        let row = sqlx::query(
            "SELECT number, text, input_key, input_seq FROM turns \
             WHERE settled_seq IS NULL AND refused IS NULL ORDER BY number LIMIT 1",
        )
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            Ok(Turn {
                number: row.try_get("number")?,
                text: row.try_get("text")?,
                input_key: row.try_get("input_key")?,
                input_seq: row.try_get("input_seq")?,
            })
        })
        .transpose()
    }

    /// Writes a turn down before its input is sent.
    pub(crate) async fn begin_turn(&self, text: &str) -> Result<Turn, Failure> {
        let row = sqlx::query("INSERT INTO turns (text) VALUES (?) RETURNING number, input_key")
            .bind(text)
            .fetch_one(&self.pool)
            .await?;
        Ok(Turn {
            number: row.try_get("number")?,
            text: text.to_owned(),
            input_key: row.try_get("input_key")?,
            input_seq: None,
        })
    }

    pub(crate) async fn accepted(&self, turn: &Turn, seq: Seq) -> Result<(), Failure> {
        self.set_seq("UPDATE turns SET input_seq = ? WHERE number = ?", turn, seq)
            .await
    }

    pub(crate) async fn settled(&self, turn: &Turn, seq: Seq) -> Result<(), Failure> {
        self.set_seq("UPDATE turns SET settled_seq = ? WHERE number = ?", turn, seq)
            .await
    }

    /// The server refused the input for good: the turn will never begin.
    pub(crate) async fn refused(&self, turn: &Turn, reason: &str) -> Result<(), Failure> {
        sqlx::query("UPDATE turns SET refused = ? WHERE number = ?")
            .bind(reason)
            .bind(turn.number)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Applies an event, in the transaction that also moves the cursor. Its primary key would refuse a second time.
    pub(crate) async fn apply(
        transaction: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), Failure> {
        sqlx::query("INSERT INTO events (seq, id, type, gist) VALUES (?, ?, ?, ?)")
            .bind(event.seq().get().cast_signed())
            .bind(event.id().as_str())
            .bind(event.event_type())
            .bind(gist(event))
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }

    /// The last event that was applied, over all runs.
    pub(crate) async fn last_seq(&self) -> Result<Option<i64>, Failure> {
        Ok(sqlx::query_scalar("SELECT max(seq) FROM events")
            .fetch_one(&self.pool)
            .await?)
    }

    /// How many events were applied, over all runs.
    pub(crate) async fn events(&self) -> Result<i64, Failure> {
        Ok(sqlx::query_scalar("SELECT count(*) FROM events")
            .fetch_one(&self.pool)
            .await?)
    }

    async fn set_seq(&self, statement: &'static str, turn: &Turn, seq: Seq) -> Result<(), Failure> {
        sqlx::query(statement)
            .bind(seq.get().cast_signed())
            .bind(turn.number)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

async fn connect(path: &Path) -> Result<SqlitePool, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new()
        .max_connections(2)
        .connect_with(options)
        .await?;
    sqlx::raw_sql(TABLES).execute(&pool).await?;
    Ok(pool)
}
