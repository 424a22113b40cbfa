-- Who asked what; times are in seconds since 1970.
CREATE TABLE IF NOT EXISTS answers (
    answer_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    request_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    created REAL NOT NULL,
    is_cancelled INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS answers_by_request ON answers (owner, request_id) WHERE request_id != '';
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (created);
CREATE INDEX IF NOT EXISTS answers_by_session ON answers (session_id);
CREATE INDEX IF NOT EXISTS answers_by_repository ON answers (json_extract(body, '$.question.repository'));
CREATE TABLE IF NOT EXISTS events (
    answer_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    created TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (answer_id, sequence)
) WITHOUT ROWID;
-- Answers that are being made, or were when their process died: events may have been shown that are not kept.
CREATE TABLE IF NOT EXISTS unsettled (answer_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ratings (
    answer_id TEXT PRIMARY KEY,
    rating INTEGER NOT NULL,
    comment TEXT NOT NULL
);
-- Why gaps stay unresolved.
CREATE TABLE IF NOT EXISTS debts (
    repository TEXT NOT NULL,
    outcome TEXT NOT NULL,
    wanted TEXT NOT NULL,
    count INTEGER NOT NULL,
    last REAL NOT NULL,
    PRIMARY KEY (repository, outcome, wanted)
) WITHOUT ROWID;
-- Holds something for a moment only: to find out whether anything can be kept.
CREATE TABLE IF NOT EXISTS proof (room BLOB NOT NULL);
