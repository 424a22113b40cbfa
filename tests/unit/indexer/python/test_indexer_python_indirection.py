"""What is behind a decorator, or a name that a parameter hides."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import EdgeKind, FactKind, Tier
from tests.unit.indexer.read_units import units_of


def facts(text: str, kind: FactKind) -> list[tuple[str, str]]:
    """Return (qualified name, value) of the facts of one kind."""
    parsed = PythonLanguage().parse("m.py", "m", textwrap.dedent(text))
    return [(parsed.symbols[fact.symbol].qualified_name, fact.value) for fact in parsed.facts if fact.kind == kind]


FORWARDING = """
def retry(times):
    def decorate(f):
        def wrapper(*a, **k):
            return f(*a, **k)
        return wrapper
    return decorate
"""
CALLED = """
class retry:
    def __init__(self, f): self.f = f
    def __call__(self, *a): return self.f(*a)
@retry
def pull(): return 1
@retry
def push(): return 2
def main():
    pull()
"""
NAMING = FORWARDING.replace("*a, **k", "self")
USED = """
class S:
    @retry(times=3)
    def pull(self): return 1
    @retry(times=2)
    def push(self): return 2
def main():
    S().pull()
"""


@pytest.mark.parametrize("decorator", [FORWARDING, NAMING], ids=["forwards all", "names its parameters"])
def test_who_calls_what_is_decorated_calls_the_function_and_its_wrapper(decorator: str) -> None:
    """The wrapper is called for sure, the function by way of it; other functions under the decorator are not."""
    text = decorator + USED
    units = units_of(PythonLanguage(), {"m.py": text})

    calls = {
        (edge.target_name, edge.tier)
        for edge in FlowLinker(PythonSemantics()).link(units).edges
        if edge.kind == EdgeKind.CALL and units[0].parsed.symbols[edge.source[1]].name == "main" and edge.target
    }

    assert calls == {
        ("m.S", Tier.STATIC),
        ("m.retry.decorate.wrapper", Tier.STATIC),
        ("m.S.pull", Tier.PROTOCOL),
    }


def test_an_object_in_place_of_a_function_represents_it() -> None:
    """Who calls what a class decorates calls its `__call__`, and by way of that this function, not another one."""
    units = units_of(PythonLanguage(), {"m.py": CALLED})

    edges = FlowLinker(PythonSemantics()).link(units).edges
    calls = {each.target_name for each in edges if units[0].parsed.symbols[each.source[1]].name == "main"}

    assert calls == {"m.retry.__call__", "m.pull"}


def test_a_parameter_with_the_name_of_a_global_is_not_the_global() -> None:
    """Only who changes the module's own object changes it."""
    text = """
    _known = {}
    def hidden(_known): _known["x"] = 1
    def own(): _known["y"] = 1
    def other(given): given["z"] = 1
    """

    assert facts(text, FactKind.MUTATES) == [("own", "_known"), ("other", "given")]
