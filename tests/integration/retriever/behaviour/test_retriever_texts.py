"""Exact search over a real index: in files of every kind, in order of what they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.values import TextHit

if TYPE_CHECKING:
    from retriever.ports import Snapshot

_LONG = "".join(f"row {number} of a long list\n" for number in range(6000)) + "needle_behind_the_head\n"
FILES = {
    "ops/rotate.sh": "rotate_keys() {\n  echo 'cannot rotate keys: vault is sealed'\n}\n",
    "db/001_init.sql": "CREATE TABLE ledger_entry (\n  id INTEGER\n);\n",
    "proto/ledger.proto": "service Ledger {\n  rpc RotateKeys(Empty) returns (Empty);\n}\n",
    "Dockerfile": "FROM scratch\nENV LEDGER_ENTRY_LIMIT=5\n",
    "web/page.html": "<button onclick='rotate_keys()'>Go</button>\n",
    "odd/file.zzz": "ledger_entry of a kind that nobody knows\n",
    "svc/main.py": "def main():\n    run('rotate_keys')\n",
    "tests/test_main.py": "def test_main():\n    assert 'rotate_keys'\n",
    "examples/use.py": "rotate_keys\n",
    "README.md": "# Ledger\n\nCall `rotate_keys` once a week.\n",
    "long.txt": _LONG,
}


def test_a_name_is_found_in_every_kind_of_file(snapshot: Snapshot) -> None:
    """Code before tests, those before examples, documentation last; the limit counts lines."""
    found = snapshot.texts.find("rotate_keys", limit=9)

    assert [(hit.path, hit.line) for hit in found] == [
        ("ops/rotate.sh", 1),
        ("svc/main.py", 2),
        ("web/page.html", 1),
        ("tests/test_main.py", 2),
        ("examples/use.py", 1),
        ("README.md", 3),
    ]
    assert snapshot.texts.find("rotate_keys", limit=2) == found[:2]
    assert snapshot.texts.find("rotate_keys", limit=0) == ()


def test_a_part_of_a_word_is_found_in_its_case_before_any_other(snapshot: Snapshot) -> None:
    """In the order of whole words; in another case only where no file has it as it is written."""
    parts = snapshot.texts.containing("otate_key", limit=9)
    other = snapshot.texts.containing("edger_Entry", limit=9)

    assert [(hit.path, hit.line) for hit in parts][:3] == [
        ("ops/rotate.sh", 1),
        ("svc/main.py", 2),
        ("web/page.html", 1),
    ]
    assert snapshot.texts.containing("otate_key", limit=2) == parts[:2]
    assert [(hit.path, hit.line) for hit in snapshot.texts.containing("edger_entry", limit=9)] == [
        ("db/001_init.sql", 1),
        ("odd/file.zzz", 1),
    ]
    assert {hit.path for hit in other} == {"Dockerfile", "db/001_init.sql", "odd/file.zzz"}
    assert snapshot.texts.containing("zz_nothing", limit=9) == snapshot.texts.containing(" ", limit=9) == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("cannot rotate keys: vault is sealed", TextHit("ops/rotate.sh", 2)),
        ("RotateKeys", TextHit("proto/ledger.proto", 2)),
        ("LEDGER_ENTRY_LIMIT", TextHit("Dockerfile", 2)),
        ("of a kind that nobody knows", TextHit("odd/file.zzz", 1)),
        ("needle_behind_the_head", TextHit("long.txt", 6001)),
        ("=5", TextHit("Dockerfile", 2)),
        ("<", TextHit("web/page.html", 1)),
    ],
)
def test_texts_without_a_term_of_their_own_are_found_too(snapshot: Snapshot, text: str, place: TextHit) -> None:
    """What the index has no term for is looked for in all files."""
    assert snapshot.texts.find(text, limit=3)[0] == place


def test_what_stands_nowhere_is_not_found(snapshot: Snapshot) -> None:
    """Words that stand in the same file, but not one behind the other, are no such text."""
    assert snapshot.texts.find("sealed vault", limit=3) == ()
    assert snapshot.texts.find("rotate_key", limit=3) == ()
