"""Writes small snapshots by hand, by the published format alone: what a reader must cope with, without an indexer."""

from __future__ import annotations

import ast
import hashlib
import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from indexer.domain.roles import role_of
from retriever.domain.values import SymbolMark

_SCHEMA = Path(__file__).parents[2] / "indexer/queries/schema.sql"
MODULE, CLASS, FUNCTION, METHOD = 1, 2, 3, 4
CALL, IMPORT, INHERITS = 1, 2, 3
RAISES, MUTATES, ERROR_STRING, ENTRY_POINT = 1, 2, 3, 4


_LATER = ("file_id", "end_line", "detail", "origin", "above", "is_plain")
_BEFORE_2 = "DROP INDEX facts_by_file;" + "".join(f"ALTER TABLE facts DROP COLUMN {name};" for name in _LATER)


class SnapshotBuilder:
    """
    Collects rows and publishes them as the current set of a repository.

    Symbols of Python files come from their syntax tree; edges and facts are what the test says. Symbols are named
    `path::qualified_name`, modules `path::`.
    """

    def __init__(self, *, schema_version: int = 2, commit: str = "c0ffee", dirty: bool = False) -> None:
        self._schema_version = schema_version
        self._dirty = dirty
        self._commit = commit
        self._db = sqlite3.connect(":memory:")
        self._db.executescript(_SCHEMA.read_text(encoding="utf-8"))
        if schema_version < 2:
            self._db.executescript(_BEFORE_2)
        self._ids: dict[str, int] = {}

    def python(self, path: str, text: str, *, is_test: bool = False, module: str = "") -> SnapshotBuilder:
        """Add a Python file with its module, classes, functions and methods."""
        name = module or path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        file_id = self._file(path, text, "python", name, is_test, parsed=True)
        tree = ast.parse(text)
        lines = max(1, text.count("\n"))
        module_id = self._symbol(
            f"{path}::", file_id, None, MODULE, name, "", (1, lines), "", ast.get_docstring(tree) or ""
        )
        self._walk(path, text, file_id, tree, module_id, "", inside_class=False)
        return self

    def text(self, path: str, text: str, *, language: str = "", error: str = "") -> SnapshotBuilder:
        """Add a file that is text only; with an error, one that could not be parsed."""
        self._file(path, text, language, path, False, parsed=False, error=error)
        return self

    def skipped(self, path: str, reason: int, words: bytes | None = b"") -> SnapshotBuilder:
        """Add a file that was left out, with the number of its SkipReason and the set of its words."""
        self._db.execute("INSERT INTO skipped VALUES (?, ?, ?)", (path, reason, words))
        return self

    def calls(self, source: str, target: str, *, line: int = 0, kind: int = CALL, tier: int = 1) -> SnapshotBuilder:
        """Add an edge; a target without "::" is an external dotted name."""
        source_id = self._ids[source]
        target_id = self._ids[target] if "::" in target else None
        at = line or self._db.execute("SELECT start_line FROM symbols WHERE id = ?", (source_id,)).fetchone()[0]
        name = target.partition("::")[2] or target
        row = (source_id, target_id, name, kind, at, 0.9, tier, 1 if target_id else 2)
        self._db.execute(
            "INSERT INTO edges (source_id, target_id, target_name, kind, line, confidence, tier, resolution)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        return self

    def inherits(self, source: str, target: str) -> SnapshotBuilder:
        """Add an inheritance."""
        return self.calls(source, target, kind=INHERITS)

    def imports(self, source: str, target: str) -> SnapshotBuilder:
        """Add an import; a target without "::" is an external dotted name."""
        return self.calls(source, target, kind=IMPORT)

    def fact(self, symbol: str, kind: int, value: str, *, line: int = 0) -> SnapshotBuilder:
        """Add a behaviour fact; error strings go into the full text too."""
        later = "" if self._schema_version < 2 else ", NULL, 0, '', 0, 0, 0"
        names = "" if self._schema_version < 2 else f", {', '.join(_LATER)}"
        cursor = self._db.execute(
            f"INSERT INTO facts (symbol_id, kind, value, line{names}) VALUES (?, ?, ?, ?{later})",
            (self._ids[symbol], kind, value, line or 1),
        )
        if kind == ERROR_STRING:
            self._db.execute("INSERT INTO error_text (rowid, value) VALUES (?, ?)", (cursor.lastrowid, value))
        return self

    def document(
        self, path: str, title: str, body: str, *, kind: int = 4, symbol: str = "", lines: tuple[int, int] = (0, 0)
    ) -> SnapshotBuilder:
        """Add a documentation page."""
        cursor = self._db.execute(
            "INSERT INTO docs (kind, path, title, symbol_id, start_line, end_line, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (kind, path, title, self._ids.get(symbol), *lines, body),
        )
        self._db.execute("INSERT INTO doc_text (rowid, title, body) VALUES (?, ?, ?)", (cursor.lastrowid, title, body))
        return self

    def co_changed(self, path: str, other: str, count: int) -> SnapshotBuilder:
        """Add a co-change, both ways."""
        for one, two in ((path, other), (other, path)):
            self._db.execute(
                "INSERT INTO cochanges SELECT a.id, b.id, ? FROM files a, files b WHERE a.path = ? AND b.path = ?",
                (count, one, two),
            )
        return self

    def described(self, path: str, domain: str, *concepts: str) -> SnapshotBuilder:
        """Say what a file is about."""
        self._db.execute(
            "INSERT INTO file_metadata SELECT id, ?, ? FROM files WHERE path = ?", (domain, "\n".join(concepts), path)
        )
        return self

    def prepare(self, step: Callable[[sqlite3.Connection], None]) -> SnapshotBuilder:
        """Let a test write further tables."""
        step(self._db)
        return self

    def publish(
        self,
        data: Path,
        repository: str,
        *,
        publish_time: str = "2026-01-01T00:00:00Z",
        findings: Sequence[object] | None = None,
        precise: SnapshotBuilder | None = None,
        enrichment: Sequence[object] | None = None,
    ) -> str:
        """
        Write the layers and the set, point CURRENT at it, and return its identity.

        Args:
            precise: Has the same files and symbols; its edges make a precise layer.
        """
        root = data / "repositories" / repository
        layers = [self._layer(root, "core", "code.db", self._core(repository))]
        if findings is not None:
            lines = "".join(json.dumps(each) + "\n" for each in findings)
            layers.append(self._layer(root, "findings", "findings.jsonl", lines.encode()))
        if precise is not None:
            layers.append(self._layer(root, "precise", "edges.db", precise._core(repository)))
        if enrichment is not None:
            lines = "".join(json.dumps(each) + "\n" for each in enrichment)
            layers.append(self._layer(root, "enrichment", "files.jsonl", lines.encode()))
        listed = sorted(f"{layer['kind']}:{layer['digest']}\n" for layer in layers)
        snapshot_id = hashlib.sha256("".join(listed).encode()).hexdigest()
        content = {
            "schema_version": self._schema_version,
            "snapshot_id": snapshot_id,
            "repository": repository,
            "source_identity": "source-" + snapshot_id[:8],
            "commit": self._commit,
            "dirty": self._dirty,
            "publish_time": publish_time,
            "counts": {},
            "layers": layers,
        }
        (root / "sets").mkdir(parents=True, exist_ok=True)
        (root / "sets" / f"{snapshot_id}.json").write_text(json.dumps(content), encoding="utf-8")
        (root / "CURRENT").write_text(snapshot_id + "\n", encoding="utf-8")
        return snapshot_id

    def _core(self, repository: str) -> bytes:
        meta = {"schema_version": str(self._schema_version), "repository": repository, "commit": self._commit}
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        self._db.commit()
        return self._db.serialize()

    def _layer(self, root: Path, kind: str, name: str, content: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        folder = root / "layers" / f"{kind}-{digest[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        manifest = {
            "schema_version": self._schema_version,
            "kind": kind,
            "digest": digest,
            "files": {name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}},
            "model": "",
        }
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return {"kind": kind, "folder": folder.name, "digest": digest, "bytes": len(content), "model": ""}

    def _file(
        self, path: str, text: str, language: str, module: str, is_test: bool, *, parsed: bool, error: str = ""
    ) -> int:
        raw = text.encode()
        cursor = self._db.execute(
            "INSERT INTO files (path, language, module, sha256, bytes, lines, is_test, status, error, digest, source,"
            " role) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?)",
            (
                path,
                language,
                module,
                hashlib.sha256(raw).hexdigest(),
                len(raw),
                text.count("\n"),
                is_test,
                1 if parsed else 2,
                error,
                zlib.compress(raw),
                role_of(path, is_code=bool(language)),
            ),
        )
        return int(cursor.lastrowid or 0)

    def _walk(
        self, path: str, text: str, file_id: int, node: ast.AST, parent: int, prefix: str, *, inside_class: bool
    ) -> None:
        seen: Counter[str] = Counter()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            qualified = prefix + child.name
            kind = CLASS if isinstance(child, ast.ClassDef) else METHOD if inside_class else FUNCTION
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            signature = text.splitlines()[child.lineno - 1].strip().rstrip(":")
            seen[qualified] += 1
            key = f"{path}::{qualified}" + (f"#{seen[qualified]}" if seen[qualified] > 1 else "")
            lines = (first, child.end_lineno or first)
            doc = ast.get_docstring(child) or ""
            row = self._symbol(key, file_id, parent, kind, child.name, qualified, lines, signature, doc)
            self._walk(path, text, file_id, child, row, qualified + ".", inside_class=kind == CLASS)

    def _symbol(
        self,
        key: str,
        file_id: int,
        parent: int | None,
        kind: int,
        name: str,
        qualified: str,
        lines: tuple[int, int],
        signature: str,
        docstring: str,
    ) -> int:
        marks = SymbolMark.CONSTRUCTOR | SymbolMark.IMPLICIT if name == "__init__" else 0
        public = not any(part.startswith("_") for part in qualified.split("."))
        cursor = self._db.execute(
            "INSERT INTO symbols (file_id, parent_id, kind, name, qualified_name, start_line, end_line, signature,"
            " docstring, decorators, is_public, complexity, marks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, 1, ?)",
            (file_id, parent, kind, name, qualified, *lines, signature, docstring, public, marks),
        )
        self._ids[key] = int(cursor.lastrowid or 0)
        return self._ids[key]
