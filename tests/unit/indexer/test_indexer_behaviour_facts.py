"""Errors that are caught, handed over or raised with a message, and what is changed, in all languages."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages
from indexer.adapters.parsing.child import read_file
from indexer.domain.model import Fact, FactKind, Origin
from indexer.domain.parsing import ParseRequest
from indexer.usecases.indexing.read_facts import languages_of

_LANGUAGES = languages()
_OF_C = ["ink", "c.n"]


def _facts(path: str, text: str, kind: FactKind) -> list[Fact]:
    [language] = languages_of([path], _LANGUAGES)
    assert language
    read = read_file(ParseRequest("key", language.name, path, path, text), _LANGUAGES)
    assert read.parsed
    return [each for each in read.parsed.facts if each.kind == kind]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "try:\n  f()\nexcept (A, b.C) as e:\n  pass\nexcept D:\n  pass\n", ["A", "b.C", "D"]),
        ("a.py", "with suppress(LookupError):\n  f()\nisinstance(e, TornNote)\n", ["LookupError", "TornNote"]),
        ("a.js", "function f(e) { return e instanceof TornNote }\n", ["TornNote"]),
        ("A.java", "class A { void f() { try { g(); } catch (Foo | Bar e) {} } }\n", ["Foo", "Bar"]),
        ("a.go", "package a\nfunc f(err error) bool { return errors.Is(err, store.ErrGone) }\n", ["store.ErrGone"]),
        ("a.rs", "fn f() { match r { Err(Refusal::Torn) => 1, Err(e) => 2 } }\n", ["Refusal.Torn"]),
        ("a.cs", "class A { void F() { try { G(); } catch (Foo e) {} } }\n", ["Foo"]),
        ("a.rb", "def f\n  g\nrescue Foo, Bar => e\n  h\nend\n", ["Foo", "Bar"]),
        ("a.php", "<?php function f() { try { g(); } catch (Foo|Bar $e) {} }\n", ["Foo", "Bar"]),
        ("a.kt", "fun f() { try { g() } catch (e: Foo) {} }\n", ["Foo"]),
        ("a.cpp", "void f() { try { g(); } catch (const Foo& e) {} }\n", ["Foo"]),
    ],
)
def test_what_is_caught_is_a_fact(path: str, text: str, names: list[str]) -> None:
    """By clauses, comparisons and patterns; a variable that takes any error is none."""
    assert [each.value for each in _facts(path, text, FactKind.CATCHES)] == names


def test_an_error_that_is_handed_over_is_told_with_what_takes_it() -> None:
    """Values of other kinds count too, messages of logs do not."""
    code = "function f(done) {\n  done(new TornNote())\n  console.log(new Date())\n}\n"

    assert [(each.value, each.detail, each.line) for each in _facts("a.js", code, FactKind.HANDED)] == [
        ("TornNote", "done", 2)
    ]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (
            "a.c",
            "static int ink;\nvoid f(struct c *c) {\n  int own = 1;\n  own = 2;\n  --ink;\n  c->n |= 1;\n}\n",
            ["ink", "c.n"],
        ),
        ("a.rs", "fn f(ink: &mut u32) {\n  *ink += 1;\n  self.x = 2;\n}\n", ["ink", "self.x"]),
        ("a.cs", "class A { void F() { this.x = 1; } }\n", ["this.x"]),
        ("a.rb", "def f\n  @x += 1\nend\n", ["x"]),
        ("a.php", "<?php function f() { $this->x += 1; }\n", ["this.x"]),
        ("a.kt", "fun f() { this.x = 1 }\n", ["this.x"]),
    ],
)
def test_what_is_changed_is_a_fact_in_languages_that_are_read_by_name(path: str, text: str, names: list[str]) -> None:
    """Members and variables of the file; local variables are none."""
    assert [each.value for each in _facts(path, text, FactKind.MUTATES)] == names


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'def f():\n  raise KeyError("no such thing here")\n', (Origin.RAISED, "")),
        ("a.py", 'def f(x):\n  assert x, "no such thing here"\n', (Origin.RAISED, "AssertionError")),
        ("a.py", 'def f():\n  log.error("no such thing here")\n', (Origin.NONE, "")),
        ("a.js", 'function f() { throw new Error("no such thing here") }\n', (Origin.RAISED, "")),
        ("a.go", 'package a\nfunc f() error {\n\treturn fmt.Errorf("no such thing here")\n}\n', (Origin.RETURNED, "")),
        ("a.go", 'package a\nfunc f() {\n\tlog.Printf("no such thing here")\n}\n', (Origin.NONE, "")),
    ],
)
def test_a_message_says_whether_it_is_raised(path: str, text: str, expected: tuple[Origin, str]) -> None:
    """Or returned, where errors are values; one that is only reported raises nothing."""
    assert [(each.origin, each.detail) for each in _facts(path, text, FactKind.ERROR_STRING)] == [expected]
