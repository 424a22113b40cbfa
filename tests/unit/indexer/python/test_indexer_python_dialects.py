"""Python that only other versions read: the words change, the lines and the names do not."""

from __future__ import annotations

import ast

import pytest

from indexer.adapters.languages.python.dialects import as_common_python
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.model import FactKind


@pytest.mark.parametrize(
    ("written", "common"),
    [
        ('print "a", b', 'print ("a", b)'),
        ("print", "print"),
        ('print("a")', 'print("a")'),
        ("print >>sys.stderr, x", "print (sys.stderr, x)"),
        ("if a: print b; print c # d", "if a: print (b); print (c) # d"),
        ("print {1: 2}[\n1], 2", "print ({1: 2}[\n1], 2)"),
        ("x = lambda: 1; print x", "x = lambda: 1; print (x)"),
        ("exec code in names", "exec (code in names)"),
        ("raise Error, 'text'", "raise Error('text')"),
        ("raise Error, 'text', trace", "raise Error('text') from trace"),
        ("x = `a` + `b`", "x = repr(a) + repr(b)"),
        ("if a <> b: pass", "if a != b: pass"),
        ("x = 0777, 10L, 0xFFl, 0, 00, 1.5e3", "x = 0o777, 10, 0xFF, 0, 00, 1.5e3"),
        ("x = ur'\\d'", "x = r'\\d'"),
        (r"x = 'C:\users', u'\u00e9'", r"x = 'C:\\users', u'\u00e9'"),
        ("def f(a, (b, c)=(1, 2)): pass", "def f(a, b, c=(1, 2)): pass"),
        ("x = lambda (a, b): a(b)", "x = lambda a, b: a(b)"),
        ("f(async=True)", "f(async_=True)"),
        ("type Pair[T] = tuple[T, T]", "Pair = tuple[T, T]"),
        ("type = [1]", "type = [1]"),
        ("def first[T: (int, str)](items: list[T]) -> T: ...", "def first(items: list[T]) -> T: ..."),
        ("class Box[T](Base): ...", "class Box(Base): ..."),
        ("async def f[T](): await g()", "async def f(): await g()"),
    ],
)
def test_statements_are_written_as_all_versions_read_them(written: str, common: str) -> None:
    """What another version reads comes out as what this one does; what this one reads stays."""
    rewritten = as_common_python(written)

    assert ast.dump(ast.parse(rewritten)) == ast.dump(ast.parse(common))
    assert rewritten.count("\n") == written.count("\n")


@pytest.mark.parametrize(
    ("caught", "common"),
    [
        ("except Error, e:", "except Error as e:"),
        ("except (A, B), e:", "except (A, B) as e:"),
        ("except Error,e:", "except Error as e:"),
        ("except OSError, (number, text):", "except OSError:"),
        ("except ValueError, KeyError:", "except (ValueError, KeyError):"),
        ("except A, B, errors.C:", "except (A, B, errors.C):"),
    ],
)
def test_a_comma_behind_an_exception_names_it_or_adds_another(caught: str, common: str) -> None:
    """What is caught was named behind a comma in Python 2; since 3.14 there are other classes."""
    block = "try:\n  pass\n{}\n  pass"

    assert ast.dump(ast.parse(as_common_python(block.format(caught)))) == ast.dump(ast.parse(block.format(common)))


def test_a_file_of_python_2_has_its_symbols_and_facts() -> None:
    """Nothing but the syntax tells the versions apart: lines, docstrings and facts are those of the file."""
    text = (
        '"""Shop."""\n\nclass Till:\n\tdef pay(self, (amount, unit)):\n'
        '        \t"""Pay\n\tnow."""\n\t\tif amount < 0:\n\t\t\traise ValueError, "negative amount"\n'
        '\t\tprint "paid", amount\n'
    )

    parsed = PythonLanguage().parse("shop.py", "shop", text)

    assert parsed.error == ""
    assert [(each.qualified_name, each.start_line, each.end_line) for each in parsed.symbols] == [
        ("", 1, 9),
        ("Till", 3, 9),
        ("Till.pay", 4, 9),
    ]
    facts = {(fact.kind, fact.value, fact.line) for fact in parsed.facts}
    assert {(FactKind.RAISES, "ValueError", 8), (FactKind.ERROR_STRING, "negative amount", 8)} <= facts


def test_what_no_version_reads_is_told_as_before() -> None:
    """The error is that of the text as it is written."""
    error = PythonLanguage().parse("a.py", "a", "print 'a'\ndef f(:\n").error

    assert error == "syntax error at line 1: Missing parentheses in call to 'print'. Did you mean print(...)?"


@pytest.mark.parametrize("text", ["(" * 5000, "`" * 5001, "lambda " * 30_000, '"' * 5001, "except ,,,:", "raise ,", ""])
def test_broken_text_is_rewritten_to_something(text: str) -> None:
    """Nothing is raised, and lines stay."""
    assert as_common_python(text).count("\n") == text.count("\n")
