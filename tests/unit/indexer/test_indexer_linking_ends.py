"""Programs in which a call leads to itself: linking them ends, with the calls that are there."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.engine import Engine
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.values import qualified_name
from indexer.domain.model import LinkUnit

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
    unit = LinkUnit("m.py", "m", PythonLanguage().parse("m.py", "m", textwrap.dedent(text)))
    sites = Engine(PythonSemantics()).solve([unit]).sites
    found = {(qualified_name(site.scope), qualified_name(target)) for site in sites for target in site.targets}
    found |= {(qualified_name(site.scope), qualified_name(cls)) for site in sites for cls in site.constructed}

    assert expected <= found
