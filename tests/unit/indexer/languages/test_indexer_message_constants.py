"""Which texts the names in a message stand for: those of the function, class or file that binds them."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.java.language import JavaLanguage
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.model import FactKind, ParsedFile


def messages(parsed: ParsedFile) -> list[str]:
    """Give the error strings of a file, in order of line."""
    return [fact.value for fact in parsed.facts if fact.kind == FactKind.ERROR_STRING]


def java(members: str) -> list[str]:
    """Give the error strings of a class with these members."""
    return messages(JavaLanguage().parse("src/a/B.java", "a", f"class B {{ {members} }}"))


def javascript(text: str) -> list[str]:
    """Give the error strings of a script."""
    return messages(JavaScriptLanguage().parse("m.js", "m", text))


def python(text: str) -> list[str]:
    """Give the error strings of a module."""
    return messages(PythonLanguage().parse("m.py", "m", textwrap.dedent(text).lstrip("\n")))


@pytest.mark.parametrize(
    ("members", "found"),
    [
        # of another method, of a parameter, of a lambda's
        ('void g() { String m = "of g"; } void f(String m) { throw new XError("bad " + m); }', ["bad {}"]),
        ('void g() { String m = "of g"; } void f() { throw new XError("bad " + m); }', ["bad {}"]),
        ('String m = "of B"; void f(String m) { throw new XError("bad " + m); }', ["bad {}"]),
        ('String m = "of B"; void f() { String m = g(); throw new XError("bad " + m); }', ["bad {}"]),
        ('void f() { run(() -> { String m = "inside"; }); throw new XError("bad " + m); }', ["bad {}"]),
        ('String m = "of B"; void f() { run(m -> { throw new XError("bad " + m); }); }', ["bad {}"]),
        ('String m = "of B"; void f() { try { g(); } catch (E m) { throw new XError("bad " + m); } }', ["bad {}"]),
        # their own, from around, of the class, behind another name
        ('void f() { String m = "of f"; throw new XError("bad " + m); }', ["bad of f"]),
        ('void f() { String m = "of f"; run(() -> { throw new XError("bad " + m); }); }', ["bad of f"]),
        ('void f() { throw new XError("bad " + M); } static final String M = "of B";', ["bad of B"]),
        ('String m = "of B"; void f(String m) { throw new XError("bad " + this.m); }', ["bad of B"]),
        ('void f() { throw new XError("bad " + C.M); } static class C { static String M = "of C"; }', ["bad of C"]),
    ],
)
def test_java_names_stand_for_what_their_method_sees(members: str, found: list[str]) -> None:
    """A local text of one method is none of another; parameters and locals hide fields of their name."""
    assert java(members) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("function g() { const m = 'of g' }\nfunction f(m) { throw new Error('bad ' + m) }", ["bad {}"]),
        ("const m = 'of all'\nfunction f(m) { throw new Error('bad ' + m) }", ["bad {}"]),
        ("const m = 'of all'\nfunction f() { const m = g(); throw new Error('bad ' + m) }", ["bad {}"]),
        ("const m = 'of all'\nrun(m => { throw new Error('bad ' + m) })", ["bad {}"]),
        ("const m = {gone: 'it is gone'}\nfunction f(m) { throw new Error('bad ' + m.gone) }", ["bad {}"]),
        ("run(() => { const m = 'inside' })\nfunction f() { throw new Error('bad ' + m) }", ["bad {}"]),
        ("const m = 'of all'\ntry { g() } catch (m) { throw new Error('bad ' + m) }", ["bad {}"]),
        ("const m = 'of all'\nfunction f() { throw new Error('bad ' + m) }", ["bad of all"]),
        ("function f() { const m = 'of f'; return () => { throw new Error('bad ' + m) } }", ["bad of f"]),
        ("function f() { let m; run(() => { m = 'of f' }); throw new Error('bad ' + m) }", ["bad of f"]),
        ("const m = {gone: 'it is gone'}\nfunction f() { throw new Error('bad ' + m.gone) }", ["bad it is gone"]),
    ],
)
def test_javascript_names_stand_for_what_their_function_sees(text: str, found: list[str]) -> None:
    """A text of one function, named or not, is none of another; parameters and locals hide outer names."""
    assert javascript(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("m = 'of all'\ndef f(m): raise ValueError('bad ' + m)", ["bad {}"]),
        ("m = 'of all'\ndef f(*, m=None): raise ValueError('bad ' + m)", ["bad {}"]),
        ("m = 'of all'\ndef f():\n    for m in g(): raise ValueError('bad ' + m)", ["bad {}"]),
        ("m = 'of all'\ndef f():\n    try: g()\n    except E as m: raise ValueError('bad ' + m)", ["bad {}"]),
        ("m = 'of all'\ndef f(x): raise ValueError('bad ' + x.m)", ["bad {}"]),
        ("class C:\n    m = 'of C'\n    def f(self): raise ValueError('bad ' + m)", ["bad {}"]),
        ("class C:\n    m = 'of C'\n    def f(self, m): raise ValueError('bad ' + self.m)", ["bad of C"]),
        ("class C:\n    m = {'a': 'of C'}\n    def f(self): raise ValueError(self.m['a'])", ["of C"]),
        ("m = 'of all'\ndef f(): raise ValueError('bad ' + m)", ["bad of all"]),
        ("def f():\n    m = 'of f'\n    def g(): raise ValueError('bad ' + m)", ["bad of f"]),
        ("m = 'of all'\ndef f():\n    global m\n    m = g()\n    raise ValueError('bad ' + m)", ["bad of all"]),
    ],
)
def test_python_names_stand_for_what_their_function_sees(text: str, found: list[str]) -> None:
    """Parameters and locals hide names of the module; what a class holds its methods write behind an object."""
    assert python(text) == found
