"""What is called outside the project: how sure that is, and what is not said at all."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, LinkUnit, Resolution, Tier
from tests.unit.indexer.read_units import units_of

PARTLY_KNOWN = """
import datetime
import uuid
class Context:
    def _sub(self): pass
def run(context):
    known = Context()
    if context:
        known = context
    known._sub()
def late(thing):
    thing.hex()
run(Context())
run(uuid.UUID("a"))
late(uuid.UUID("b"))
datetime.datetime.now()
"""


def foreign_calls(language: str, path: str, text: str) -> list[tuple[int, str, Tier]]:
    reader = languages()[language]
    unit = LinkUnit(path, "m", reader.parse(path, "m", textwrap.dedent(text)))
    edges = linkers()[language].link([unit]).edges
    return [
        (each.line, each.target_name, each.tier)
        for each in edges
        if each.kind is EdgeKind.CALL and each.resolution is Resolution.EXTERNAL
    ]


def test_what_arguments_say_is_told_where_nothing_surer_is_known() -> None:
    """A method of what some caller hands over is no call of where the code itself makes the object."""
    assert foreign_calls("python", "m.py", PARTLY_KNOWN) == [
        (12, "uuid.UUID.hex", Tier.ARGUMENT),
        (14, "uuid.UUID", Tier.STATIC),
        (15, "uuid.UUID", Tier.STATIC),
        (16, "datetime.datetime.now", Tier.STATIC),
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node = lib.Node()\nwhile node:\n    node = node.next()\n", {"lib.Node", "lib.Node.next"}),
        ("lib.lib.lib()\n", {"lib.lib.lib"}),
    ],
)
def test_names_do_not_grow_with_loops(text: str, names: set[str]) -> None:
    """What leads to its like goes by its name twice at most; a package may have its own name inside."""
    found = {name for _, name, _ in foreign_calls("python", "m.py", f"import lib\n{text}")}

    assert names <= found
    assert not any(name.count(".next") > 2 for name in found)


def test_requests_with_contexts_are_one_request() -> None:
    """In Go each method of something outside gives something outside; a loop of them has an end."""
    text = """
    package m
    import "net/http"
    func f() {
        r, _ := http.NewRequest("GET", "/", nil)
        for i := 0; i < 9; i++ {
            r = r.WithContext(nil).WithContext(nil).WithContext(nil)
        }
        r.Header()
    }
    """
    names = [name for _, name, _ in foreign_calls("go", "m.go", text)]

    assert "net/http.NewRequest.WithContext" in names
    assert not any(name.count(".WithContext") > 2 for name in names)


def test_what_a_javascript_module_hands_on_it_does_not_know_itself() -> None:
    """`export *` brings no name into the file; who imports from there finds it, globals stay globals."""
    files = {
        "a.ts": 'export * from "./b";\nexport * from "ext";\nrun();\nnew Map();\n',
        "b.ts": "export function run() {}\n",
        "c.ts": 'import { run } from "./a";\nrun();\n',
    }
    reader = languages()["javascript"]
    units = units_of(reader, files)
    calls = [
        (units[each.source[0]].path, each.line, each.target_name, each.resolution)
        for each in linkers()["javascript"].link(units).edges
        if each.kind is EdgeKind.CALL
    ]

    assert calls == [
        ("a.ts", 3, "builtins.run", Resolution.EXTERNAL),
        ("a.ts", 4, "builtins.Map", Resolution.EXTERNAL),
        ("c.ts", 2, "b.run", Resolution.RESOLVED),
    ]


def test_a_getter_is_no_call_of_what_marks_it() -> None:
    """What adapters write for the linker's own use is not told as somebody's code."""
    text = "class A {\n  get size() { return Number(1); }\n}\n"

    assert foreign_calls("javascript", "a.js", text) == [(2, "builtins.Number", Tier.STATIC)]
