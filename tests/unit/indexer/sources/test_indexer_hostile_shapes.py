"""Files of one shape repeated without end: read and linked in time that grows with their size, or cut and said so."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.go.modules import module_path
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.adapters.languages.javascript.configuration import configuration_program
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.comments import rationale_comments
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.adapters.parsing.child import read_file
from indexer.domain.linking.go.semantics import GoSemantics
from indexer.domain.linking.java.semantics import JavaSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.model import EdgeKind, LinkUnit, Tier
from indexer.domain.parsing import ParseRequest
from tests.fakes.latency import within

# Each takes less than one on an idle machine, and took from ten to hundreds.
MOST_SECONDS = 5.0

JAVASCRIPT = {
    "names": "x = a" + ".b" * 12_000 + ";",
    "optional names": "x = a" + "?.b" * 8_000 + ";",
    "calls of methods": "x = a" + ".b()" * 10_000 + ";",
    "promises": "x = a" + ".then(f)" * 10_000 + ";",
    "names taken out": "const {" + ", ".join(f"a{number}" for number in range(30_000)) + "} = x;",
    "comments": "// a\n" * 60_000 + "function f() {}",
    "comparisons": "x = a" + " < a" * 80_000 + ";",
}


@pytest.mark.parametrize("text", JAVASCRIPT.values(), ids=JAVASCRIPT)
def test_javascript_without_end_is_read_in_time(text: str) -> None:
    """Nothing asks at each link of a chain for all of it."""
    with within(MOST_SECONDS):
        parsed = JavaScriptLanguage().parse("m.js", "m", text)
    assert parsed.error in ("", "nested too deeply")


def test_a_bundle_in_a_call_that_is_called_is_read_in_time() -> None:
    """No key of an object within looks for the name of what is called in all of it."""
    modules = '  1: [0, {"./aa": 2, "./bb": 3}],\n' * 2_500
    text = "function wrap() {\n  return f(e({\n" + modules + "}, {}, [48])(48));\n}\n"
    request = ParseRequest("k", "javascript", "m.js", "m", text)
    with within(MOST_SECONDS):
        found = read_file(request, {"javascript": JavaScriptLanguage()})
    assert found.parsed is not None


@pytest.mark.parametrize(("begin", "end"), [("x = " + "() => " * 20_000, "1;"), ("f(() => {" * 8_000, "})" * 8_000)])
def test_javascript_nested_too_deeply_is_told_so_at_once(begin: str, end: str) -> None:
    """How deep a definition stands is what each look at what is around it costs."""
    with within(MOST_SECONDS):
        parsed = JavaScriptLanguage().parse("m.js", "m", begin + end)

        assert parsed.error == "nested too deeply"


def test_javascript_nested_as_people_do_is_read() -> None:
    """Callbacks within callbacks, and a chain of them, far beyond what anybody reads."""
    nested = "f(function () {" * 60 + "g();" + "})" * 60
    chained = "p" + ".then(() => { g(); })" * 200

    for text in (nested, chained):
        assert not JavaScriptLanguage().parse("m.js", "m", f"function g() {{}}\n{text};").error


def test_java_without_end_is_read_in_time() -> None:
    """The same of names in Java."""
    with within(MOST_SECONDS):
        parsed = JavaLanguage().parse("C.java", "p", "class C { void f() { x = a" + ".b" * 12_000 + "; } }")
    assert parsed.error in ("", "nested too deeply")


def test_long_names_of_packages_are_still_names() -> None:
    """A class by its whole name, of more parts than any has."""
    package = ".".join(f"p{number}" for number in range(15))
    units = [
        ("A.java", package, f"package {package}; public class A {{ public static void f() {{}} }}"),
        ("B.java", "q", f"package q; class B {{ void g() {{ {package}.A.f(); }} }}"),
    ]
    language = JavaLanguage()
    linked = FlowLinker(JavaSemantics()).link(
        [LinkUnit(path, module, language.parse(path, module, text)) for path, module, text in units]
    )

    assert f"{package}.A.f" in {edge.target_name for edge in linked.edges if edge.kind == EdgeKind.CALL}


def test_an_interface_of_very_many_methods_is_linked_in_time() -> None:
    """Who implements them is found for all at once."""
    methods = "".join(f"void m{number}();" for number in range(14_000))
    text = f"interface B {{ {methods} }} class C implements B {{ public void m7() {{}} void x(B b) {{ b.m7(); }} }}"
    parsed = JavaLanguage().parse("B.java", "p", text)
    with within(MOST_SECONDS):
        linked = FlowLinker(JavaSemantics()).link([LinkUnit("B.java", "p", parsed)])
    assert "p.C.m7" in {edge.target_name for edge in linked.edges if edge.kind == EdgeKind.CALL}


def test_many_names_of_a_class_with_many_below_it_are_cut() -> None:
    """Looking for what overrides them counts as work of the link; what is called without doubt is kept."""
    methods = "".join(f" def m{number}(self): pass\n" for number in range(4_000))
    classes = "".join(f"class A{number}(B): pass\n" for number in range(8_000))
    calls = "".join(f" b.m{number}()\n" for number in range(4_000))
    text = f"class B:\n{methods}{classes}def g(b: B):\n{calls}def h(): g(B())\n"
    linked = FlowLinker(PythonSemantics()).link([LinkUnit("m.py", "m", PythonLanguage().parse("m.py", "m", text))])

    assert linked.cut == (Tier.PROTOCOL,)
    assert "m.g" in {edge.target_name for edge in linked.edges if edge.kind == EdgeKind.CALL}


def test_interfaces_that_want_the_same_share_who_has_it() -> None:
    """Each with a list of its own took as much as their number times that of the types."""
    types = "".join(f"type A{number} struct{{}}\nfunc (a A{number}) M() {{}}\n" for number in range(3))
    text = f"package p\ntype I interface {{ M() }}\ntype J interface {{ M() }}\n{types}"
    world = Engine(GoSemantics()).solve([LinkUnit("m.go", "p", GoLanguage().parse("m.go", "p", text))])
    named = {cls.name: cls for cls in world.classes}

    assert [cls.name for cls in named["I"].subclasses] == ["A0", "A1", "A2"]
    assert named["I"].subclasses is named["J"].subclasses


@pytest.mark.parametrize(
    "read",
    [
        lambda: module_path("\n" * 100_000),
        lambda: configuration_program("tsconfig.json", "/* " * 30_000),
        lambda: list(rationale_comments(["#" * 100_000], ())),
    ],
    ids=["go.mod of blank lines", "comments never closed", "signs of comments"],
)
def test_small_formats_are_read_in_time(read: Callable[[], object]) -> None:
    """Runs of blanks, and what is never closed, are looked at once."""
    began = time.process_time()

    assert not read()
    assert time.process_time() - began < MOST_SECONDS
