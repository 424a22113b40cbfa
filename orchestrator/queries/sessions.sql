-- Sessions; times are the store's, in seconds since 1970.
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    repository TEXT NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_by_use ON sessions (owner, used);
CREATE INDEX IF NOT EXISTS sessions_by_age ON sessions (used);
-- Evidence; order of rowid is order of last use.
CREATE TABLE IF NOT EXISTS nodes (
    session_id TEXT NOT NULL,
    snapshot_id TEXT NOT NULL,
    evidence_id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, snapshot_id, evidence_id)
);
-- Names known not to be found, by gap key.
CREATE TABLE IF NOT EXISTS absences (
    session_id TEXT NOT NULL,
    snapshot_id TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, snapshot_id, key)
);
-- Identities of the evidence that was shown for a question, in order; the key is a digest of its terms.
CREATE TABLE IF NOT EXISTS shown (
    session_id TEXT NOT NULL,
    snapshot_id TEXT NOT NULL,
    key TEXT NOT NULL,
    evidence_ids TEXT NOT NULL,
    UNIQUE (session_id, snapshot_id, key)
);
