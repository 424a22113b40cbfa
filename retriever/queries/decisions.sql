-- The decision log: append-only, one row for each thing considered. Identity of a retrieval is the pair of its
-- repository and the id that its caller knows.

CREATE TABLE IF NOT EXISTS retrievals (
  id INTEGER PRIMARY KEY,
  repository TEXT NOT NULL,
  retrieval_id TEXT NOT NULL,
  time REAL NOT NULL,                -- seconds since 1970 of the last addition
  decisions INTEGER NOT NULL,        -- added so far
  UNIQUE (repository, retrieval_id)
);
CREATE INDEX IF NOT EXISTS retrievals_by_time ON retrievals (time);

CREATE TABLE IF NOT EXISTS decisions (
  retrieval INTEGER NOT NULL REFERENCES retrievals ON DELETE CASCADE,
  sequence INTEGER NOT NULL,         -- from 1 for each retrieval
  content TEXT NOT NULL,             -- JSON array in the order of the fields of Decision
  PRIMARY KEY (retrieval, sequence)
) WITHOUT ROWID;
