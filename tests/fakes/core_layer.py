"""A small core layer, written by the schema alone."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

_SCHEMA = Path(__file__).parents[2] / "indexer/queries/schema.sql"
_SOURCE = "\n".join(f"line {number}" for number in range(1, 200))

SYMBOLS = (
    # id, kind, name, first line, last line, docstring, is public
    (1, 1, "", 1, 190, "", 1),
    (2, 3, "parse_config", 10, 20, "Read settings from a TOML file and report every mistake at once.", 1),
    (3, 3, "send_mail", 30, 40, "Deliver an e-mail message through the SMTP server.", 1),
    (4, 3, "hash_password", 50, 60, "Derive a salted digest of a secret for storage.", 1),
    (5, 2, "ConnectionPool", 70, 120, "Keep database connections open so that requests can share them.", 1),
    (6, 3, "resize_image", 130, 140, "Scale a picture to a thumbnail.", 1),
    (7, 3, "tiny", 150, 151, "", 1),
    (8, 3, "_hidden", 155, 170, "", 0),
)
PAGES = (
    (1, 4, "docs/install.md", "Installation", 1, 9, "Use pip to install the package into a virtual environment."),
    (2, 4, "docs/deploy.md", "Deployment", 1, 90, "Run the containers on Kubernetes behind a load balancer.\n" * 30),
)


def write_core(folder: Path) -> Path:
    """Write code.db anew into a folder, with one file of code, one test file, and two pages; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "code.db").unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / "code.db")) as database:
        database.executescript(_SCHEMA.read_text(encoding="utf-8"))
        for number, path, is_test in ((1, "src/app.py", 0), (2, "tests/test_app.py", 1)):
            database.execute(
                "INSERT INTO files (id, path, language, module, sha256, bytes, lines, is_test, status, error, digest,"
                " source, role) VALUES (?, ?, 'python', '', '', 0, 199, ?, 1, '', '', ?, 0)",
                (number, path, is_test, zlib.compress(_SOURCE.encode())),
            )
        for number, kind, name, start, end, docstring, is_public in SYMBOLS:
            _symbol(database, (number, 1, kind, name, name, start, end, f"def {name}()", docstring, is_public))
        _symbol(database, (9, 2, 3, "test_mail", "test_mail", 1, 9, "def test_mail()", "Mail is delivered.", 1))
        for page in PAGES:
            database.execute(
                "INSERT INTO docs (id, kind, path, title, start_line, end_line, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                page,
            )
        database.commit()
    return folder


def _symbol(database: sqlite3.Connection, row: tuple[object, ...]) -> None:
    database.execute(
        "INSERT INTO symbols (id, file_id, kind, name, qualified_name, start_line, end_line, signature, docstring,"
        " is_public, decorators, complexity, marks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 1, 0)",
        row,
    )
