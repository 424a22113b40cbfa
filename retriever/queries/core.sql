-- What is read from a core layer (docs/snapshot-format.md). Each statement has a name; parameters are named.
-- Lists come as JSON, so that one prepared statement serves lists of every length.

-- name: files
-- A package at the top may be called as its files declare. No folder says so, but the symbol of the module.
SELECT id, path, language, CASE WHEN instr(path, '/') = 0
  THEN coalesce((SELECT name FROM symbols WHERE file_id = files.id AND kind = 1), module) ELSE module END,
  lines, is_test, status, error, role FROM files ORDER BY path;

-- name: source
SELECT source FROM files WHERE path = :path;

-- name: meta
SELECT key, value FROM meta;

-- name: skipped
-- Text that no parser could read is in the snapshot, and code that could not be linked.
SELECT path, reason, 1 FROM skipped WHERE reason NOT IN (11, 16) ORDER BY path;

-- name: has_skipped_words
SELECT 1 FROM pragma_table_info('skipped') WHERE name = 'words';

-- name: skipped_and_read
SELECT path, reason, words IS NOT NULL FROM skipped WHERE reason NOT IN (11, 16) ORDER BY path;

-- name: skipped_words
SELECT path, words FROM skipped WHERE reason NOT IN (11, 16) AND words IS NOT NULL;

-- name: symbols_by_id
SELECT id, file_id, parent_id, kind, name, qualified_name, start_line, end_line, signature, docstring, decorators,
       is_public, marks
FROM symbols WHERE id IN (SELECT value FROM json_each(:ids));

-- name: symbols_by_name
SELECT id, file_id, parent_id, kind, name, qualified_name, start_line, end_line, signature, docstring, decorators,
       is_public, marks
FROM symbols WHERE name = :name COLLATE NOCASE;

-- name: symbols_by_file
SELECT id, file_id, parent_id, kind, name, qualified_name, start_line, end_line, signature, docstring, decorators,
       is_public, marks
FROM symbols WHERE file_id = :file ORDER BY start_line, id;

-- name: edges_out
SELECT source_id, target_id, target_name, kind, line, confidence, tier, resolution FROM edges
WHERE source_id IN (SELECT value FROM json_each(:ids)) AND kind IN (SELECT value FROM json_each(:kinds))
  AND tier IN (SELECT value FROM json_each(:tiers)) AND confidence >= :confidence
ORDER BY line, id;

-- name: edges_in
SELECT source_id, target_id, target_name, kind, line, confidence, tier, resolution FROM edges
WHERE target_id IN (SELECT value FROM json_each(:ids)) AND kind IN (SELECT value FROM json_each(:kinds))
  AND tier IN (SELECT value FROM json_each(:tiers)) AND confidence >= :confidence
ORDER BY line, id;

-- name: fan_in
SELECT target_id, COUNT(DISTINCT source_id) FROM edges
WHERE target_id IN (SELECT value FROM json_each(:ids)) AND kind = :kind AND tier IN (SELECT value FROM json_each(:tiers))
GROUP BY target_id;

-- name: fan_out
SELECT source_id, COUNT(DISTINCT target_id) FROM edges
WHERE source_id IN (SELECT value FROM json_each(:ids)) AND kind = :kind AND target_id IS NOT NULL
  AND tier IN (SELECT value FROM json_each(:tiers))
GROUP BY source_id;

-- name: hotspots
-- Tests call everything, and break for good reasons.
SELECT target_id, COUNT(DISTINCT source_id) AS n FROM edges
WHERE kind = :kind AND target_id IS NOT NULL AND tier IN (SELECT value FROM json_each(:tiers))
  AND source_id NOT IN (SELECT s.id FROM symbols s JOIN files f ON f.id = s.file_id WHERE f.is_test)
GROUP BY target_id HAVING n > :above ORDER BY n DESC, target_id;

-- name: god_functions
SELECT source_id, COUNT(DISTINCT target_id) AS n FROM edges
WHERE kind = :kind AND target_id IS NOT NULL AND tier IN (SELECT value FROM json_each(:tiers))
GROUP BY source_id HAVING n > :above ORDER BY n DESC, source_id;

-- name: unreferenced
-- Every tier counts, guesses too: what may be used is not unused. That something is tested is no use of it.
SELECT s.id FROM symbols s JOIN files f ON f.id = s.file_id
WHERE NOT f.is_test AND s.kind IN (SELECT value FROM json_each(:kinds)) AND s.decorators = ''
  AND s.id NOT IN (
    SELECT e.target_id FROM edges e JOIN symbols c ON c.id = e.source_id JOIN files g ON g.id = c.file_id
    WHERE e.target_id IS NOT NULL AND e.target_id <> e.source_id AND NOT g.is_test
  )
  AND s.id NOT IN (SELECT symbol_id FROM facts WHERE kind = :entry_point)
ORDER BY f.path, s.start_line, s.id;

-- name: dependencies
-- Imports and inheritance, and uses of what the file imports or has in its own module: whoever calls what a callback,
-- an override or a decorator brings does not depend on its module. Where calls are found by name, and in precise
-- edges, each is what the source says.
WITH modules AS (SELECT file_id, name FROM symbols WHERE kind = 1),
named AS (
  SELECT id FROM files WHERE language IN (
    SELECT value FROM json_each(coalesce((SELECT value FROM meta WHERE key = 'named_calls'), '[]')))),
imported AS MATERIALIZED (
  SELECT DISTINCT s.file_id, m.name FROM edges e
  JOIN symbols s ON s.id = e.source_id JOIN symbols t ON t.id = e.target_id JOIN modules m ON m.file_id = t.file_id
  WHERE e.kind = :import
  UNION SELECT file_id, name FROM modules)
SELECT s.file_id, t.file_id, COUNT(*) FROM edges e
JOIN symbols s ON s.id = e.source_id
JOIN symbols t ON t.id = e.target_id
WHERE s.file_id <> t.file_id AND e.tier IN (SELECT value FROM json_each(:tiers))
  AND (e.kind = :import OR (e.kind = :inherits AND e.tier = :static) OR e.tier = :precise OR s.file_id IN named
    OR (s.file_id, (SELECT name FROM modules WHERE file_id = t.file_id)) IN (SELECT * FROM imported))
GROUP BY 1, 2;

-- name: external_imports
SELECT e.source_id, e.line FROM edges e JOIN symbols s ON s.id = e.source_id JOIN files f ON f.id = s.file_id
WHERE e.kind = :kind AND e.target_id IS NULL AND e.target_name IN (SELECT value FROM json_each(:names))
ORDER BY f.path, e.line;

-- name: external_names
SELECT DISTINCT target_name FROM edges WHERE resolution = :resolution;

-- name: facts_by_symbol
SELECT symbol_id, kind, value, line, origin, detail FROM facts
WHERE symbol_id IN (SELECT value FROM json_each(:ids)) ORDER BY line, id;

-- name: facts_by_value
SELECT symbol_id, kind, value, line, origin, detail FROM facts
WHERE kind = :kind AND value IN (SELECT value FROM json_each(:values)) ORDER BY symbol_id, line, id;

-- name: facts_beginning
SELECT symbol_id, kind, value, line, origin, detail FROM facts
WHERE kind = :kind AND value >= :start AND value < :end ORDER BY symbol_id, line, id;

-- name: fact_values
SELECT DISTINCT value FROM facts WHERE kind = :kind;

-- name: values_by_name
SELECT coalesce(own.path, of.path), f.symbol_id, f.value, f.detail, f.line, f.end_line, f.origin, f.above, f.is_plain
FROM facts f LEFT JOIN files own ON own.id = f.file_id
LEFT JOIN symbols s ON s.id = f.symbol_id LEFT JOIN files of ON of.id = s.file_id
WHERE f.kind = :kind AND f.value IN (SELECT value FROM json_each(:names)) ORDER BY 1, f.line, f.id;

-- name: values_in_files
SELECT files.path, f.symbol_id, f.value, f.detail, f.line, f.end_line, f.origin, f.above, f.is_plain
FROM files JOIN symbols s ON s.file_id = files.id JOIN facts f ON f.symbol_id = s.id
WHERE f.kind = :kind AND files.path IN (SELECT value FROM json_each(:paths))
UNION ALL
SELECT files.path, f.symbol_id, f.value, f.detail, f.line, f.end_line, f.origin, f.above, f.is_plain
FROM files JOIN facts f ON f.file_id = files.id
WHERE f.kind = :kind AND files.path IN (SELECT value FROM json_each(:paths)) ORDER BY 1, 5, 3;

-- name: values_of_kind
SELECT coalesce(own.path, of.path), f.symbol_id, f.value, f.detail, f.line, f.end_line, f.origin, f.above, f.is_plain
FROM facts f LEFT JOIN files own ON own.id = f.file_id
LEFT JOIN symbols s ON s.id = f.symbol_id LEFT JOIN files of ON of.id = s.file_id
WHERE f.kind = :kind AND f.value >= :start AND f.value < :end ORDER BY 1, f.line, f.id;

-- name: messages
WITH hits AS MATERIALIZED (
  SELECT rowid AS id, bm25(error_text) AS badness FROM error_text
  WHERE error_text MATCH :expression ORDER BY badness, id LIMIT :limit
)
SELECT f.symbol_id, f.kind, f.value, f.line, -h.badness FROM hits h JOIN facts f ON f.id = h.id
ORDER BY h.badness, h.id;

-- name: documents_by_id
SELECT id, kind, path, title, symbol_id, start_line, end_line, body FROM docs
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: documents_by_path
SELECT id, kind, path, title, symbol_id, start_line, end_line, body FROM docs
WHERE path IN (SELECT value FROM json_each(:paths)) ORDER BY start_line, id;

-- name: paths_of_documents
SELECT DISTINCT path FROM docs WHERE kind = :kind;

-- name: documents_by_text
-- Only pages as good as the last one wanted are read: their texts are long.
WITH hits AS MATERIALIZED (
  SELECT rowid AS id, bm25(doc_text, 4.0) AS badness FROM doc_text WHERE doc_text MATCH :expression
    AND (:prefix = '' OR rowid IN (SELECT id FROM docs WHERE substr(path, 1, length(:prefix)) = :prefix))
)
SELECT d.id, d.kind, d.path, d.title, d.symbol_id, d.start_line, d.end_line, d.body, -h.badness
FROM hits h JOIN docs d ON d.id = h.id
WHERE h.badness <= COALESCE((SELECT badness FROM hits ORDER BY badness LIMIT 1 OFFSET :limit - 1), 0)
ORDER BY h.badness, d.path, d.start_line, d.id LIMIT :limit;

-- name: co_changed
SELECT other_id, count FROM cochanges WHERE file_id = :file AND count >= :minimum;

-- name: has_file_metadata
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'file_metadata';

-- name: file_metadata
SELECT f.path, m.domain, m.concepts FROM file_metadata m JOIN files f ON f.id = m.file_id ORDER BY f.path;

-- name: lexical_levels
SELECT level, ids, lengths FROM lexical_levels;

-- name: lexical_terms
SELECT term, symbols, files, commits FROM lexical_terms WHERE term IN (SELECT value FROM json_each(:terms));

-- name: lexical_commits
SELECT id, files FROM lexical_commits ORDER BY id;

-- name: lexical_symbols
SELECT id, file_id, COALESCE(parent_id, 0), kind, start_line, end_line, marks, name, qualified_name FROM symbols;

-- name: file_history
SELECT file_id, changes, CAST(strftime('%s', last_change) AS INTEGER) FROM file_history;

-- name: links
-- The sign keeps the index away: most rows are wanted, and looking each up through it takes twice the time.
SELECT source_id, target_id, kind, confidence FROM edges
WHERE +target_id IS NOT NULL AND tier IN (SELECT value FROM json_each(:tiers));
