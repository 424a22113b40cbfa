"""Programs in which a call leads to itself: linking them ends, with the calls that are there."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.semantics import Semantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import qualified_name
from indexer.domain.model import LinkUnit
from indexer.ports import Language

PROGRAMS = {
    "a base's empty method, set on an instance of a subclass that overrides it": (
        """
        class Base:
            def load(self): pass
        class Below(Base):
            def load(self): return 1 + 1
        def switch_off():
            below = Below()
            below.load = Base.load
        def use(): Base().load()
        """,
        {("m.use", "m.Base.load"), ("m.use", "m.Below.load"), ("m.switch_off", "m.Below")},
    ),
    "a route's handler that is a tuple of itself": (
        """
        from django.urls import path
        def routes():
            handler = ("x",)
            while handler: handler = (handler, "y")
            path("x/", handler)
        """,
        set(),
    ),
    "a route's handler that is its own name": (
        """
        from django.urls import path
        index = "m.index"
        path("x/", "m.index")
        """,
        set(),
    ),
    "annotations of containers of nothing": (
        """
        def run(names: list[None], pairs: tuple[None, None]) -> dict[str, None]: other()
        def other(): pass
        """,
        {("m.run", "m.other")},
    ),
    "a list of signals that is one of them": (
        """
        from django.dispatch import receiver
        signals = []
        signals.append(signals)
        @receiver(signals)
        def listen(): other()
        def other(): pass
        """,
        {("m.listen", "m.other")},
    ),
    "a family of methods that is one of its own members": (
        """
        class Visitor:
            def visit(self, node):
                handler = getattr(self, "visit_" + node)
                self.visit_other = handler
                handler(node)
            def visit_name(self, node): pass
            def visit_other(self, node): pass
        """,
        {("m.Visitor.visit", "m.Visitor.visit_name"), ("m.Visitor.visit", "m.Visitor.visit_other")},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_that_leads_to_itself_ends(name: str) -> None:
    """The link ends and finds what is called."""
    text, expected = PROGRAMS[name]

    assert expected <= linked({"m.py": text})


def test_modules_that_are_each_other_as_a_whole_end() -> None:
    """Two modules that each export the other one have no name that neither defines."""
    sources = {
        "a.js": "module.exports = require('./b')",
        "b.js": "module.exports = require('./a')",
        "c.js": "function own() {}\nconst a = require('./a'); a.missing(); own();",
    }

    assert linked(sources, JavaScriptLanguage(), JavaScriptSemantics()) == {("c", "c.own")}


def test_a_name_that_no_star_import_has_is_looked_for_once_in_each_module() -> None:
    """Fourteen modules that take over all names of each other make 14 steps, not one for each way through them."""
    names = [f"m{number}" for number in range(14)]
    sources = {f"{name}.py": "\n".join(f"from {other} import *" for other in names) for name in names}
    sources["m7.py"] += "\ndef here(): pass"
    sources["u.py"] = "from m0 import here, missing\nclass C(missing): pass\nhere()\nmissing()"

    assert linked(sources) == {("u", "m7.here")}


def test_a_name_that_no_ancestor_has_is_looked_for_once_in_each_class() -> None:
    """Sixty diamonds on top of each other have 2**60 ways to the top."""
    lines = ["class A0: pass"]
    for number in range(1, 60):
        lines += [f"class {side}{number}(A{number - 1}): pass" for side in "BC"]
        lines.append(f"class A{number}(B{number}, C{number}): pass")
    lines += ["class X(A59.Missing):", "    def x(self): pass", "X().x()"]

    assert linked({"m.py": "\n".join(lines)}) == {("m", "m.X"), ("m", "m.X.x")}


def test_classes_that_may_be_their_own_ancestors_end() -> None:
    """A name that a loop binds to a class below what it was before makes two classes each other's base."""
    text = """
    class A: pass
    while more():
        class B(A): pass
        class C(B): pass
        A = C
    class D(A.Missing):
        def d(self): pass
    D().d()
    """

    assert ("m", "m.D.d") in linked({"m.py": text})


def linked(
    sources: dict[str, str], language: Language | None = None, semantics: Semantics | None = None
) -> set[tuple[str, str]]:
    """Link files given by path, Python by default: who calls what, and who makes instances of what."""
    reader = language or PythonLanguage()
    units = []
    for path, text in sorted(sources.items()):
        module = path.partition(".")[0]
        units.append(LinkUnit(path, module, reader.parse(path, module, textwrap.dedent(text))))
    sites = Engine(semantics or PythonSemantics()).solve(units).sites
    found = {(qualified_name(site.scope), qualified_name(target)) for site in sites for target in site.targets}
    return found | {(qualified_name(site.scope), qualified_name(cls)) for site in sites for cls in site.constructed}
