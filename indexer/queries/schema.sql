-- Core layer of a snapshot (code.db), schema version 2. The contract is docs/snapshot-format.md.
-- Enumerations are the numbers of cgrag.type.v1 and of docs/snapshot-format.md.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language TEXT NOT NULL,            -- '' for text that is no code
  module TEXT NOT NULL,              -- importable name; the path where the language has none
  sha256 TEXT NOT NULL,              -- of the bytes in the source tree
  bytes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  is_test INTEGER NOT NULL,
  status INTEGER NOT NULL,           -- 1 parsed, 2 text only
  error TEXT NOT NULL,               -- why it is text only or has no edges, else ''
  digest TEXT NOT NULL,              -- of the file's canonical rows
  source BLOB NOT NULL,              -- zlib of UTF-8 text with \n line ends
  role INTEGER NOT NULL              -- what it is for (docs/snapshot-format.md)
);

CREATE TABLE skipped (
  path TEXT PRIMARY KEY,
  reason INTEGER NOT NULL,           -- cgrag.indexer.v1.SkipReason
  words BLOB                         -- set of the words that it holds (docs/snapshot-format.md); NULL if not known
) WITHOUT ROWID;

CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,            -- grouped by file, in order of start line
  file_id INTEGER NOT NULL REFERENCES files,
  parent_id INTEGER REFERENCES symbols,
  kind INTEGER NOT NULL,
  name TEXT NOT NULL,
  qualified_name TEXT NOT NULL,      -- '' for the module
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  signature TEXT NOT NULL,
  docstring TEXT NOT NULL,
  decorators TEXT NOT NULL,          -- one a line
  is_public INTEGER NOT NULL,
  complexity INTEGER NOT NULL,
  marks INTEGER NOT NULL             -- bits of what the language takes it for (docs/snapshot-format.md)
);
CREATE INDEX symbols_by_file ON symbols (file_id, start_line);
CREATE INDEX symbols_by_name ON symbols (name COLLATE NOCASE);

CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES symbols,
  target_id INTEGER REFERENCES symbols,
  target_name TEXT NOT NULL,
  kind INTEGER NOT NULL,
  line INTEGER NOT NULL,
  confidence REAL NOT NULL,
  tier INTEGER NOT NULL,
  resolution INTEGER NOT NULL
);
CREATE INDEX edges_by_source ON edges (source_id, kind);
CREATE INDEX edges_by_target ON edges (target_id, kind) WHERE target_id IS NOT NULL;

CREATE TABLE facts (
  id INTEGER PRIMARY KEY,
  symbol_id INTEGER REFERENCES symbols,
  file_id INTEGER REFERENCES files,  -- of a file without symbols; else NULL, as symbol_id is here
  kind INTEGER NOT NULL,             -- docs/snapshot-format.md
  value TEXT NOT NULL,               -- of a value or a variable of the environment its dotted name
  line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,         -- 0 if it is `line`
  detail TEXT NOT NULL,              -- the value that the name gets
  origin INTEGER NOT NULL,           -- how the name gets it
  above INTEGER NOT NULL,            -- lines of comment right above
  is_plain INTEGER NOT NULL          -- the value is a literal or constant, or made of them alone
);
CREATE INDEX facts_by_symbol ON facts (symbol_id) WHERE symbol_id IS NOT NULL;
CREATE INDEX facts_by_file ON facts (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX facts_by_value ON facts (kind, value);

CREATE TABLE docs (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,             -- 1 overview, 2 package, 3 module or file, 4 prose file section
  path TEXT NOT NULL,                -- '' for the overview
  title TEXT NOT NULL,
  symbol_id INTEGER REFERENCES symbols,
  start_line INTEGER NOT NULL,       -- 0 when the page is made from several places
  end_line INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX docs_by_path ON docs (path);

CREATE TABLE file_metadata (
  file_id INTEGER PRIMARY KEY REFERENCES files,
  domain TEXT NOT NULL,              -- part of the codebase; '' for files at the root
  concepts TEXT NOT NULL             -- one a line, in lower case, most telling first
);

CREATE TABLE cochanges (
  file_id INTEGER NOT NULL REFERENCES files,
  other_id INTEGER NOT NULL REFERENCES files,
  count INTEGER NOT NULL,
  PRIMARY KEY (file_id, other_id)
) WITHOUT ROWID;

CREATE TABLE file_history (
  file_id INTEGER PRIMARY KEY REFERENCES files,
  changes INTEGER NOT NULL,
  last_change TEXT NOT NULL          -- RFC 3339, UTC
);

-- Full text of error strings: rowid is facts.id. Words of the fixed parts of messages.
CREATE VIRTUAL TABLE error_text USING fts5 (value, content='', tokenize='unicode61');

-- Full text of documents: rowid is docs.id.
CREATE VIRTUAL TABLE doc_text USING fts5 (title, body, content='', tokenize='porter unicode61');

-- Lexical index; layout of the blobs in docs/snapshot-format.md.
CREATE TABLE lexical_terms (
  id INTEGER PRIMARY KEY,            -- in order of writing
  term TEXT NOT NULL UNIQUE,
  symbols BLOB NOT NULL,             -- postings by symbols.id
  files BLOB NOT NULL,               -- postings by files.id
  commits BLOB NOT NULL              -- postings by lexical_commits.id
);

CREATE TABLE lexical_levels (
  level TEXT PRIMARY KEY,            -- 'symbol', 'file' or 'commit'
  ids BLOB NOT NULL,                 -- uint32 ids of the units, ascending
  lengths BLOB NOT NULL              -- uint32 (units, fields): terms in each field
);

CREATE TABLE lexical_commits (
  id INTEGER PRIMARY KEY,            -- newest first
  time INTEGER NOT NULL,             -- seconds since 1970
  files BLOB NOT NULL                -- uint32 files.id
);
