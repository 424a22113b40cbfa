"""What the Python adapter says of definitions."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind


def parse(text: str) -> ParsedFile:
    """Parse a module called `m`."""
    return PythonLanguage().parse("m.py", "m", textwrap.dedent(text).lstrip("\n"))


def symbol(text: str, name: str) -> SymbolDef:
    """Parse and pick the first symbol of a qualified name."""
    return next(found for found in parse(text).symbols if found.qualified_name == name)


def test_every_definition_is_a_symbol_in_order_of_line() -> None:
    """Nested, repeated and conditional definitions are all kept, each with its place."""
    text = '''
    """Module."""
    import os
    LIMIT = 3
    if LIMIT:
        class A:
            size: int = 1
            def __init__(self): ...
            def __init__(self, x):
                def inner():
                    pass
    def f():
        local = 1
    '''
    found = [(each.kind.name, each.qualified_name, each.start_line, each.parent) for each in parse(text).symbols]

    assert found == [
        ("MODULE", "", 1, -1),
        ("VARIABLE", "LIMIT", 3, 0),
        ("CLASS", "A", 5, 0),
        ("VARIABLE", "A.size", 6, 2),
        ("METHOD", "A.__init__", 7, 2),
        ("METHOD", "A.__init__", 8, 2),
        ("FUNCTION", "A.__init__.inner", 9, 5),
        ("FUNCTION", "f", 11, 0),
    ]


def test_a_range_starts_at_the_first_decorator() -> None:
    """Decorators belong to the definition and are kept as written."""
    found = symbol("@a\n@b.c(1,\n     2)\ndef f():\n    pass\n", "f")

    assert (found.start_line, found.end_line) == (1, 5)
    assert found.decorators == ("a", "b.c(1, 2)")


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("def f(a,\n      b=1) -> int:\n    pass", "def f(a, b=1) -> int"),
        ("async def f(*, a: 'x:y' = ':') : return 1", "async def f(*, a: 'x:y' = ':')"),
        ("def f(a,  # why\n      b): pass", "def f(a, b)"),
        ('def f(é="ü"): return é', 'def f(é="ü")'),
    ],
)
def test_a_signature_is_the_declaration_on_one_line(text: str, signature: str) -> None:
    """White space is folded and comments are left out."""
    assert symbol(text, "f").signature == signature


def test_a_class_signature_has_its_bases() -> None:
    """Bases and keywords are part of it."""
    assert symbol("class A(B, metaclass=C):\n    pass", "A").signature == "class A(B, metaclass=C)"


def test_docstrings_are_whole_and_dedented() -> None:
    """A docstring is stored as written, without quotes; a string below a variable is its docstring."""
    text = 'def f():\n    """First.\n\n    More\n      deep.\n    """\nX = 1\n"""About X."""\n'

    assert symbol(text, "f").docstring == "First.\n\nMore\n  deep."
    assert symbol(text, "X").docstring == "About X."


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("def f(): pass", "f", True),
        ("def _f(): pass", "_f", False),
        ("class _A:\n    def f(self): pass", "_A.f", False),
        ("class A:\n    def __len__(self): pass", "A.__len__", True),
        ("def f():\n    def g(): pass", "f.g", False),
    ],
)
def test_private_by_name_or_by_place(text: str, name: str, expected: bool) -> None:
    """An underscore in front, in the name or around it, makes private; so does a function around it."""
    assert symbol(text, name).is_public is expected


def test_complexity_counts_decisions_of_the_own_body() -> None:
    """Branches, loops, handlers, conditions and boolean operators count; inner functions have their own."""
    text = """
    def f(a, b):
        if a and b:
            return [x for x in a if x]
        def g():
            if a: pass
        for x in a:
            pass
        try:
            return 1 if a else 2
        except ValueError:
            pass
    """

    assert symbol(text, "f").complexity == 7
    assert symbol(text, "f.g").complexity == 2


@pytest.mark.parametrize(
    "text",
    ["def f(:", "x = (" * 200_000, "x = " + "-" * 100_000 + "1", "x = " + "a." * 50_000 + "b", "a\0b", "\ud800"],
    ids=["syntax", "brackets", "signs", "dots", "null byte", "surrogate"],
)
def test_what_cannot_be_parsed_has_its_module_and_a_reason(text: str) -> None:
    """Neither bad syntax nor any depth of nesting raises or takes the process down."""
    found = PythonLanguage().parse("m.py", "m", text)

    assert [each.kind for each in found.symbols] == [SymbolKind.MODULE]
    assert found.error
