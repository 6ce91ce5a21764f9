-- Version 1. One row is one cursor: the last event that a consumer applied of one log.
CREATE TABLE IF NOT EXISTS "checkfu_cursors" (
    consumer          TEXT    NOT NULL,
    session_id        TEXT    NOT NULL,
    session_thread_id TEXT    NOT NULL DEFAULT '', -- '' is the log of the whole Session
    seq               INTEGER NOT NULL,            -- 0 where nothing was applied yet
    event_id          TEXT,                        -- which event stood at seq
    settlement        TEXT,                        -- the last settlement up to seq, as JSON
    updated_at        TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    PRIMARY KEY (consumer, session_id, session_thread_id)
);
CREATE TABLE IF NOT EXISTS "checkfu_cursors_schema" (version INTEGER NOT NULL);
INSERT INTO "checkfu_cursors_schema" (version)
    SELECT 1 WHERE NOT EXISTS (SELECT version FROM "checkfu_cursors_schema");
