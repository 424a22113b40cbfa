"""Measures of the code."""

from __future__ import annotations

import ast
from graphlib import CycleError
from pathlib import Path

import pytest

from scripts.check_sizes import Source, entries, imports_of, longest_chain, measures, percentile, too_long


def source(path: str, text: str) -> Source:
    return Source(Path(path), ast.parse(text), len(text.splitlines()))


def test_imports_count_where_they_run() -> None:
    """Within functions too, and not those for types alone; a name that is a module is that module."""
    text = (
        "import a.one\nfrom a import two, name\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import a.types\nelse:\n    import a.other\n"
        "def late():\n    from a.three import thing\n"
    )
    modules = frozenset({"a", "a.one", "a.two", "a.three", "a.types", "a.other", "a.itself"})

    assert imports_of(source("a/itself.py", text), modules) == {"a", "a.one", "a.two", "a.three", "a.other"}


def test_the_longest_chain_is_found_and_a_cycle_is_an_error() -> None:
    """By the number of modules; of equally long ones the same one each time."""
    graph = {"a": {"b", "c"}, "b": {"d"}, "c": set(), "d": {"c"}, "e": {"d"}}

    assert longest_chain(graph) == ["a", "b", "d", "c"]
    with pytest.raises(CycleError):
        longest_chain(graph | {"c": {"a"}})


def test_entries_are_modules_and_packages_of_a_folder() -> None:
    """What makes a folder a package is none of them."""
    sources = [source(path, "") for path in ("p/__init__.py", "p/a.py", "p/q/__init__.py", "p/q/b.py", "p/q/c.py")]

    assert sorted(entries(sources)) == [2, 2]


@pytest.mark.parametrize(("lines", "told"), [(49, []), (50, ["x.py:1: f has 51 lines, at most 50"])])
def test_a_function_over_the_bound_is_named(lines: int, told: list[str]) -> None:
    """The line of its head counts."""
    assert list(too_long(source("x.py", "def f():\n" + "    pass\n" * lines))) == told


def test_measures_are_of_all_sources() -> None:
    """Each figure stands beside its bound."""
    sources = [source("p/a.py", "import p.b\ndef f():\n    pass\n"), source("p/b.py", "x = 1\n")]
    told = {each.name: each.value for each in measures(sources)}

    assert told["lines of a file, median"] == 2
    assert told["lines of a function, p90"] == 2
    assert told["entries of a folder, most"] == 2
    assert told["modules in a chain of imports, from p.a to p.b"] == 2
    assert percentile(range(1, 101), 90) == 91
